"""Cut an object into records, records into payloads, and answers into an output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_NEWLINE = b"\n"


class RecordTooLarge(Exception):
    """A record is larger than a payload may be: its number (from 1) and both sizes in bytes."""

    def __init__(self, number: int, size: int, limit: int) -> None:
        super().__init__(
            f"record {number} has {size} bytes, more than the {limit} of MaxPayloadInMB"
        )
        self.number = number


def split(body: bytes, split_type: str) -> list[bytes]:
    """The records of an object: its lines without their newlines, or the whole for "None".

    A newline at the end closes the last line and begins no other; an empty
    object has no lines.
    """
    if split_type == "None":
        return [body]
    lines = body.split(_NEWLINE)
    if lines[-1] == b"":
        lines.pop()
    return lines


def batch(records: Iterable[bytes], *, strategy: str, limit: int | None) -> Iterator[bytes]:
    """Payloads: one record each for "SingleRecord", as many as fit for "MultiRecord".

    Records of one payload are joined by newlines, which count. ``limit`` is in
    bytes; None means that a payload may be as large as it likes. Raises
    `RecordTooLarge`.
    """
    payload: list[bytes] = []
    size = 0
    for number, record in enumerate(records, start=1):
        if limit is not None and len(record) > limit:
            raise RecordTooLarge(number, len(record), limit)
        grown = size + len(record) + (len(_NEWLINE) if payload else 0)
        if payload and (strategy == "SingleRecord" or (limit is not None and grown > limit)):
            yield _NEWLINE.join(payload)
            payload, grown = [], len(record)
        payload.append(record)
        size = grown
    if payload:
        yield _NEWLINE.join(payload)


def assemble(answers: Iterable[bytes], assemble_with: str) -> bytes:
    """The output of an object: its answers in order, each closed by a newline for "Line"."""
    if assemble_with == "None":
        return b"".join(answers)
    return b"".join(
        answer if answer.endswith(_NEWLINE) else answer + _NEWLINE for answer in answers
    )
