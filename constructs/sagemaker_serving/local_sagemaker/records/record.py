"""One record of an object, and why an object has none."""

from __future__ import annotations

from dataclasses import dataclass

from sagemaker_serving.local_sagemaker.common.jobs import ObjectRefused


@dataclass(frozen=True)
class Record:
    """What a model may be asked about.

    ``data`` is the record itself, ``framed`` the bytes that it takes in its
    object: the same for a line, with header, checksums and padding for a
    RecordIO or TFRecord.
    """

    data: bytes
    framed: bytes


class RecordDamaged(ObjectRefused):
    """An object is not what its SplitType says: where, and what is wrong there."""

    def __init__(self, format_name: str, number: int, offset: int, why: str) -> None:
        super().__init__(f"not a {format_name} file: record {number}, at byte {offset}, {why}")
        self.number = number
        self.offset = offset


class RecordTooLarge(ObjectRefused):
    """A record is larger than a payload may be: its number (from 1) and both sizes in bytes."""

    def __init__(self, number: int, size: int, limit: int) -> None:
        super().__init__(
            f"record {number} has {size} bytes, more than the {limit} of MaxPayloadInMB"
        )
        self.number = number
