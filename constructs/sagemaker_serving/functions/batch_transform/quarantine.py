"""The list of what has no answer: an object in S3 for each input that stands on it.

An input without any answer stands under ``objects/``, in one line or a line for each record;
one whose other records have answers under ``records/``, and counts only beside its output.
So whatever is cut off in the middle, nothing is taken for answered that is not.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .run import Run
from .store import Place

OBJECTS, RECORDS = "objects/", "records/"

SHOWN_BYTES = 1024
"""How much of a bad record the list shows; its place says where the rest is."""

_ERROR_LETTERS = 2000


@dataclass(frozen=True, kw_only=True)
class Bad:
    """A record, or all of an input when ``record`` is None, and why it has no answer.

    ``record`` counts from 1, ``offset`` and ``length`` are bytes of the input as it is
    without its compression, ``data`` is how it begins. Without a ``length`` it is
    everything from there on. ``records`` is how many it stands for, None for one or for nobody
    knows how many.
    """

    error: str
    records: int | None = None
    record: int | None = None
    offset: int | None = None
    length: int | None = None
    data: bytes | None = None

    def kept(self) -> dict[str, Any]:
        """As the state keeps it: without its bytes, which the list reads again."""
        fields = vars(self).items()
        return {name: value for name, value in fields if name != "data" and value is not None}


def quarantine(run: Run, name: str, bad: Sequence[Bad]) -> None:
    """Put an input on the list, as one that has no answers at all."""
    _write(run, OBJECTS, name, bad)
    run.store.delete(place_of(run, RECORDS, name))


def quarantine_records(run: Run, name: str, bad: Sequence[Bad]) -> None:
    """Put some records of an input on the list; before its output with all others is written."""
    _write(run, RECORDS, name, bad)
    run.store.delete(place_of(run, OBJECTS, name))


def release(run: Run, name: str) -> None:
    """Take an input from the list."""
    for kind in (OBJECTS, RECORDS):
        run.store.delete(place_of(run, kind, name))


def place_of(run: Run, kind: str, name: str) -> Place:
    """Where an input stands on the list."""
    return run.quarantined / f"{kind}{name}.jsonl"


def _write(run: Run, kind: str, name: str, bad: Sequence[Bad]) -> None:
    run.store.write_lines(place_of(run, kind, name), (_line(name, each) for each in bad))


def _line(name: str, bad: Bad) -> dict[str, object]:
    data = None if bad.data is None else bad.data[:SHOWN_BYTES]
    line = {
        "object": name,
        "record": bad.record,
        "records": bad.records,
        "offset": bad.offset,
        "length": bad.length,
        "error": bad.error[:_ERROR_LETTERS],
        "bytes": None if data is None else base64.b64encode(data).decode(),
    }
    return {key: value for key, value in line.items() if value is not None}
