"""How long a SavedModel's files of variables are, as ``variables.index`` says it.

The index is a table of LevelDB's whose values are BundleEntryProto. Sources:
tensorflow/core/util/tensor_bundle/tensor_bundle.cc, core/protobuf/tensor_bundle.proto, and
github.com/google/leveldb, doc/table_format.md. Checksums are TensorFlow's to verify, as it loads.
"""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.archive.protobuf import Malformed, fields, varint

LARGEST_INDEX = 64 << 20
"""Bytes of an index that are read; some hundred thousand variables have that."""

_FOOTER, _MAGIC = 48, 0xDB4775248B80FB57
_TRAILER = 5


def shard_sizes(index: bytes) -> dict[str, int]:
    """Where the last tensor of each ``variables.data-…`` ends, in bytes, by the file's name.

    None of an index that is compressed with Snappy. Raises `Malformed` for what is no index.
    """
    shards, ends = 0, dict[int, int]()
    try:
        for has_key, value in _table(index):
            numbers = {number: found for number, found in fields(value) if isinstance(found, int)}
            if not has_key:
                shards = numbers.get(1, 0)
            else:
                shard, end = numbers.get(3, 0), numbers.get(4, 0) + numbers.get(5, 0)
                ends[shard] = max(ends.get(shard, 0), end)
    except IndexError:
        raise Malformed("it ends too early") from None
    return {f"variables.data-{shard:05}-of-{shards:05}": end for shard, end in ends.items()}


def _table(data: bytes) -> Iterator[tuple[bool, bytes]]:
    """Whether each entry has a key, which all but the header have, and its value."""
    footer = data[-_FOOTER:]
    if len(footer) < _FOOTER or int.from_bytes(footer[-8:], "little") != _MAGIC:
        raise Malformed("it is no table: its last 8 bytes are others")
    _, at = varint(footer, 0)
    _, at = varint(footer, at)
    index, _ = _block(data, footer[at:], 0)
    end = 0
    for _, handle in _entries(index):
        block, end = _block(data, handle, end)
        yield from _entries(block)


def _block(data: bytes, handle: bytes, start: int) -> tuple[bytes, int]:
    """The block of a handle, which begins at ``start`` or after it, and where it ends."""
    offset, at = varint(handle, 0)
    size, _ = varint(handle, at)
    end = offset + size + _TRAILER
    if offset < start or end > len(data):
        raise Malformed("its blocks do not stand one after another")
    compressed = data[offset + size]
    return b"" if compressed else data[offset : offset + size], end


def _entries(block: bytes) -> Iterator[tuple[bool, bytes]]:
    restarts = int.from_bytes(block[-4:], "little")
    end = len(block) - 4 - 4 * restarts
    at = 0
    while at < end:
        shared, at = varint(block, at)
        own, at = varint(block, at)
        length, at = varint(block, at)
        at += own
        yield shared + own > 0, block[at : at + length]
        at += length
