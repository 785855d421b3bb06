"""Records into payloads, and answers into an output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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


NEWLINE = b"\n"


@dataclass(frozen=True)
class Payload:
    """The body of one request, and which records of its object it holds."""

    body: bytes
    records: range


def batch(
    records: Iterable[Record], *, strategy: str, limit: int | None, separator: bytes = b""
) -> Iterator[Payload]:
    """One record each for "SingleRecord", as many as fit for "MultiRecord".

    A single record goes bare; several go framed, with ``separator`` between
    them, as CreateTransformJob's reference has it: "padding is removed if the
    value of BatchStrategy is set to SingleRecord" (TransformInput). ``limit`` is in bytes: of a
    record its data count, of a
    payload of several all that is sent; None means that a payload may be as
    large as it likes. Raises `RecordTooLarge`.
    """
    bodies: list[bytes] = []
    size, first = 0, 0
    for index, record in enumerate(records):
        if limit is not None and len(record.data) > limit:
            raise RecordTooLarge(index + 1, len(record.data), limit)
        body = record.data if strategy == "SingleRecord" else record.framed
        grown = size + len(body) + (len(separator) if bodies else 0)
        if bodies and (strategy == "SingleRecord" or (limit is not None and grown > limit)):
            yield Payload(separator.join(bodies), range(first, index))
            bodies, first, grown = [], index, len(body)
        bodies.append(body)
        size = grown
    if bodies:
        yield Payload(separator.join(bodies), range(first, first + len(bodies)))


def assemble(answers: Iterable[bytes], assemble_with: str) -> bytes:
    """The output of an object: its answers in order, each closed by a newline for "Line"."""
    if assemble_with == "None":
        return b"".join(answers)
    return b"".join(answer if answer.endswith(NEWLINE) else answer + NEWLINE for answer in answers)
