"""RecordIO and TFRecord files for tests, written from the formats' own descriptions."""

from __future__ import annotations

import struct
from collections.abc import Iterable

MAGIC = struct.pack("<I", 0xCED7230A)


def tfrecord(records: Iterable[bytes]) -> bytes:
    """A TFRecord file."""
    return b"".join(map(tfrecord_frame, records))


def tfrecord_frame(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + _masked(length) + data + _masked(data)


def recordio(records: Iterable[bytes]) -> bytes:
    """A RecordIO file."""
    return b"".join(map(recordio_frame, records))


def recordio_frame(data: bytes) -> bytes:
    """One record, in parts where its data has the magic at a multiple of 4 bytes."""
    cuts = [at for at in range(0, len(data) - 3, 4) if data[at : at + 4] == MAGIC]
    begins, ends = [0, *(at + 4 for at in cuts)], [*cuts, len(data)]
    parts = [data[begin:end] for begin, end in zip(begins, ends, strict=True)]
    numbers = [0] if not cuts else [1, *[2] * (len(parts) - 2), 3]
    return b"".join(
        recordio_part(number, part) for number, part in zip(numbers, parts, strict=True)
    )


def recordio_part(number: int, data: bytes) -> bytes:
    word = struct.pack("<I", number << 29 | len(data))
    return MAGIC + word + data + bytes(-len(data) % 4)


def _masked(data: bytes) -> bytes:
    """The CRC-32C bit by bit, masked: no table, no library."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)
