"""A SavedModel's variables: the checksums of ``variables.index``, and of each tensor's bytes.

The index is a table of LevelDB's, each block with the CRC-32C of its bytes; its values are
BundleEntryProto, each with the CRC-32C of a tensor. Read 2026-11-22: tensorflow/core/util/
tensor_bundle/tensor_bundle.cc and core/protobuf/tensor_bundle.proto (TensorFlow 2.21), and
github.com/google/leveldb, doc/table_format.md.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from typing import BinaryIO

from sagemaker_serving.archive.protobuf import Malformed, fields, varint

_FOOTER, _MAGIC = 48, 0xDB4775248B80FB57
_TRAILER = 5
_CHUNK = 1 << 20
_STRING, _VARIANT = 7, 21


class Compressed(Exception):
    """A block is compressed with Snappy, as by some of Google's own writers; it is not read."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A tensor: its bytes in a shard, and their checksum."""

    name: str
    dtype: int
    elements: int
    shard: int
    offset: int
    size: int
    crc: int


@dataclass(frozen=True, kw_only=True)
class Index:
    """What ``variables.index`` says: how many shards there are, and the tensors in them."""

    shards: int
    entries: tuple[Entry, ...]


def read_index(data: bytes) -> Index:
    """The index in ``data``. Raises `Malformed` for a byte that is not what was written.

    And `Compressed`.
    """
    try:
        shards, entries = 0, []
        for key, value in _table(data):
            if not key:
                shards = _numbers(value).get(1, 0)
            else:
                entries.append(_entry(key, value))
    except (IndexError, struct.error):
        raise Malformed("it ends too early") from None
    return Index(shards=shards, entries=tuple(entries))


def damaged_tensor(
    index: Index, shard: int, size: int, open_: Callable[[], BinaryIO]
) -> str | None:
    """What is wrong with the ``size`` bytes of a shard, which ``open_`` opens; None: nothing.

    Every byte has to belong to a tensor whose checksum is right. Variants, whose
    checksums are of their own kind, are passed over.
    """
    entries = sorted(
        (entry for entry in index.entries if entry.shard == shard and entry.size),
        key=lambda entry: entry.offset,
    )
    end = 0
    with open_() as stream:
        for entry in entries:
            if entry.offset < end or entry.offset + entry.size > size:
                return f"it has {size} bytes, and {entry.name!r} is said to lie outside of them"
            if stream.read(entry.offset - end).strip(b"\0"):
                return f"there is something between the tensors, before {entry.name!r}"
            if not _is_right(entry, stream):
                return f"the bytes of {entry.name!r} do not have the checksum in variables.index"
            end = entry.offset + entry.size
    if end != size:
        return f"it has {size} bytes, and the tensors in variables.index end at {end}"
    return None


def shard_name(shard: int, shards: int) -> str:
    """A shard's file beside ``variables.index``."""
    return f"variables.data-{shard:05}-of-{shards:05}"


def _is_right(entry: Entry, stream: BinaryIO) -> bool:
    if entry.dtype == _STRING:
        return _crc_of_strings(stream.read(entry.size), entry.elements) == entry.crc
    crc, left = 0, entry.size
    while left > 0:
        part = stream.read(min(left, _CHUNK))
        if not part:
            return False
        crc, left = _extend(crc, part), left - len(part)
    return entry.dtype == _VARIANT or crc == entry.crc


def _crc_of_strings(data: bytes, elements: int) -> int | None:
    """Of their lengths as numbers of 4 or 8 bytes, the checksum of those, and the strings.

    On the disk the lengths are varints, and their checksum stands after them.
    """
    at, crc, total = 0, 0, 0
    try:
        for _ in range(elements):
            length, at = varint(data, at)
            total += length
            crc = _extend(crc, length.to_bytes(4 if length < 1 << 32 else 8, "little"))
    except (IndexError, Malformed):
        return None
    said = data[at : at + 4]
    if said != _masked(crc).to_bytes(4, "little") or at + 4 + total != len(data):
        return None
    return _extend(_extend(crc, said), data[at + 4 :])


def _table(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values, in their order; every byte of the file is looked at."""
    footer = data[-_FOOTER:]
    if len(footer) < _FOOTER or int.from_bytes(footer[-8:], "little") != _MAGIC:
        raise Malformed("it is no table: its last 8 bytes are others")
    meta_at, meta_size, at = _handle(footer, 0)
    index_at, index_size, at = _handle(footer, at)
    if footer[at:-8].strip(b"\0"):
        raise Malformed("there is something within its footer")
    blocks = [_handle(value, 0)[:2] for _, value in _entries(_block(data, index_at, index_size))]
    end = 0
    for offset, size in (*blocks, (meta_at, meta_size), (index_at, index_size)):
        if offset != end:
            raise Malformed("its blocks do not stand one after another")
        end = offset + size + _TRAILER
    if end != len(data) - _FOOTER:
        raise Malformed("its blocks do not stand one after another")
    for _ in _entries(_block(data, meta_at, meta_size)):
        raise Malformed("it has a filter, which TensorFlow does not write")
    for offset, size in blocks:
        yield from _entries(_block(data, offset, size))


def _block(data: bytes, offset: int, size: int) -> bytes:
    block = data[offset : offset + size + _TRAILER]
    if len(block) < size + _TRAILER:
        raise Malformed("it ends within a block")
    if _masked(_extend(0, block[: size + 1])) != int.from_bytes(block[size + 1 :], "little"):
        raise Malformed(f"the block at byte {offset} does not have its checksum")
    if block[size]:
        raise Compressed
    return block[:size]


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    restarts = int.from_bytes(block[-4:], "little")
    end = len(block) - 4 - 4 * restarts
    at, key = 0, b""
    while at < end:
        shared, at = varint(block, at)
        own, at = varint(block, at)
        length, at = varint(block, at)
        key = key[:shared] + block[at : at + own]
        at += own
        yield key, block[at : at + length]
        at += length


def _entry(key: bytes, value: bytes) -> Entry:
    numbers = _numbers(value)
    return Entry(
        name=key.decode("utf-8", "replace"),
        dtype=numbers.get(1, 0),
        elements=prod(_shape(value)),
        shard=numbers.get(3, 0),
        offset=numbers.get(4, 0),
        size=numbers.get(5, 0),
        crc=_unmasked(numbers.get(6, 0)),
    )


def _numbers(message: bytes) -> dict[int, int]:
    return {number: value for number, value in fields(message) if isinstance(value, int)}


def _shape(entry: bytes) -> list[int]:
    """The sizes in a BundleEntryProto's field 2, a TensorShapeProto."""
    shapes = [value for number, value in fields(entry) if number == 2]
    dims = [dim for shape in shapes if isinstance(shape, bytes) for _, dim in fields(shape)]
    return [_numbers(dim).get(1, 0) for dim in dims if isinstance(dim, bytes)]


def _handle(data: bytes, at: int) -> tuple[int, int, int]:
    offset, at = varint(data, at)
    size, at = varint(data, at)
    return offset, size, at


def _extend(crc: int, data: bytes) -> int:
    import google_crc32c  # here, so that who looks at no variables does not load it

    extended: int = google_crc32c.extend(crc, data)
    return extended


def _masked(crc: int) -> int:
    """As LevelDB writes checksums, so that one of bytes that hold one is another."""
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFF_FFFF


def _unmasked(masked: int) -> int:
    rotated = (masked - 0xA282EAD8) & 0xFFFF_FFFF
    return ((rotated >> 17) | (rotated << 15)) & 0xFFFF_FFFF
