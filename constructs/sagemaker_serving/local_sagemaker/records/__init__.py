"""The records of an object, by SplitType, and the payloads that are made of them."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.local_sagemaker.records.batches import (
    NEWLINE,
    Payload,
    Record,
    RecordDamaged,
    RecordTooLarge,
    assemble,
    batch,
)
from sagemaker_serving.local_sagemaker.records.recordio import read_recordio
from sagemaker_serving.local_sagemaker.records.tfrecord import read_tfrecord

__all__ = [
    "NEWLINE",
    "Payload",
    "Record",
    "RecordDamaged",
    "RecordTooLarge",
    "assemble",
    "batch",
    "separator_of",
    "split",
]


def split(body: bytes, split_type: str) -> Iterator[Record]:
    """The records of an object: its lines, its RecordIO or TFRecord records, or itself for "None".

    A newline at the end closes the last line and begins no other; an empty
    object has no records, but for "None". Raises `RecordDamaged`.
    """
    match split_type:
        case "Line":
            return _lines(body)
        case "RecordIO":
            return read_recordio(body)
        case "TFRecord":
            return read_tfrecord(body)
        case _:
            return iter([Record(body, body)])


def separator_of(split_type: str) -> bytes:
    """What stands between the records of one payload."""
    return NEWLINE if split_type == "Line" else b""


def _lines(body: bytes) -> Iterator[Record]:
    lines = body.split(NEWLINE)
    if lines[-1] == b"":
        lines.pop()
    return (Record(line, line) for line in lines)
