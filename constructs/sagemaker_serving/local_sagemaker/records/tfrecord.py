"""TFRecord, as TensorFlow writes it.

::

    length  uint64                all numbers little-endian
    crc     uint32                masked CRC32C of the 8 bytes of length
    data
    crc     uint32                masked CRC32C of the data

(www.tensorflow.org/tutorials/load_data/tfrecord.)
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import google_crc32c

from sagemaker_serving.local_sagemaker.records.batches import Record, RecordDamaged

_LENGTH = struct.Struct("<Q")
_CRC = struct.Struct("<I")
_HEADER_SIZE = _LENGTH.size + _CRC.size
_MASK_DELTA = 0xA282EAD8


def read_tfrecord(body: bytes) -> Iterator[Record]:
    """The records of a TFRecord file. Raises `RecordDamaged`, also for a CRC that is wrong."""
    number, offset = 1, 0
    while offset < len(body):
        begin = offset + _HEADER_SIZE
        if begin > len(body):
            raise RecordDamaged("TFRecord", number, offset, "ends within its header")
        if not _has_crc(body[offset : offset + _LENGTH.size], body, offset + _LENGTH.size):
            raise RecordDamaged("TFRecord", number, offset, "has a length with another CRC")
        (length,) = _LENGTH.unpack_from(body, offset)
        end = begin + length
        after = end + _CRC.size
        if after > len(body):
            raise RecordDamaged(
                "TFRecord", number, offset, f"ends {after - len(body)} bytes before it should"
            )
        data = body[begin:end]
        if not _has_crc(data, body, end):
            raise RecordDamaged("TFRecord", number, offset, "has data with another CRC")
        yield Record(data=data, framed=body[offset:after])
        number, offset = number + 1, after


def masked_crc(data: bytes) -> int:
    """The CRC32C of ``data`` as TFRecord stores it: rotated by 15 bits, plus a constant."""
    crc: int = google_crc32c.value(data)
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & 0xFFFFFFFF


def _has_crc(data: bytes, body: bytes, offset: int) -> bool:
    (stored,) = _CRC.unpack_from(body, offset)
    return bool(stored == masked_crc(data))
