"""RecordIO, as MXNet writes it and SageMaker reads it.

::

    magic   uint32 0xced7230a     all numbers little-endian
    word    uint32                3 bits: part of a record; 29 bits: bytes of data
    data
    zeros                         up to a multiple of 4 bytes

Where a record's data has the magic at a multiple of 4 bytes, its writer leaves
the magic out and cuts the record there: its parts are numbered 1 (first), 2
(in the middle) and 3 (last); a whole record is 0. The format has no checksums.
(github.com/dmlc/dmlc-core, recordio.h and recordio.cc.)
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from sagemaker_serving.local_sagemaker.records.batches import Record, RecordDamaged

MAGIC = 0xCED7230A
_HEADER = struct.Struct("<II")
_MAGIC_BYTES = MAGIC.to_bytes(4, "little")
_LENGTH_BITS = 29
_WHOLE, _FIRST, _MIDDLE, _LAST = range(4)


def read_recordio(body: bytes) -> Iterator[Record]:
    """The records of a RecordIO file. Raises `RecordDamaged`."""
    number, start, offset = 1, 0, 0
    parts: list[bytes] = []
    while offset < len(body):
        part, data, after = _read_part(body, number, offset)
        if (part in (_MIDDLE, _LAST)) != bool(parts):
            expected = "the next part of its record" if parts else "the beginning of a record"
            raise RecordDamaged("RecordIO", number, offset, f"is not {expected}")
        parts.append(data)
        offset = after
        if part in (_WHOLE, _LAST):
            yield Record(data=_MAGIC_BYTES.join(parts), framed=body[start:offset])
            number, start, parts = number + 1, offset, []
    if parts:
        raise RecordDamaged("RecordIO", number, start, "has no last part")


def _read_part(body: bytes, number: int, offset: int) -> tuple[int, bytes, int]:
    """Which part it is, its data, and where the next one begins."""
    begin = offset + _HEADER.size
    if begin > len(body):
        raise RecordDamaged("RecordIO", number, offset, "ends within its header")
    magic, word = _HEADER.unpack_from(body, offset)
    if magic != MAGIC:
        raise RecordDamaged(
            "RecordIO", number, offset, f"begins with {magic:#010x} instead of {MAGIC:#010x}"
        )
    part, length = word >> _LENGTH_BITS, word & ((1 << _LENGTH_BITS) - 1)
    if part > _LAST:
        raise RecordDamaged("RecordIO", number, offset, f"says that it is part {part} of 0 to 3")
    after = begin + length + -length % 4
    if after > len(body):
        raise RecordDamaged(
            "RecordIO", number, offset, f"ends {after - len(body)} bytes before its {length} do"
        )
    return part, body[begin : begin + length], after
