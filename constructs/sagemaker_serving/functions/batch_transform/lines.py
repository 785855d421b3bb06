"""An output written anew, a line for each record: line 7 is what answers record 7.

A job joins what the container answers to each payload, as it came: documents of many rows, over
several lines or run together. Which row is whose can be told once they were counted.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .answers import AnswerCount
from .json_count import RESULTS
from .records import Damaged, records_of
from .run import Run
from .store import Place, compact
from .upload import Upload

MAX_BYTES = 1 << 30
"""Of an output that is written anew: what a call reads twice and writes once, with room to spare.
Of a larger one the whole input is on the list."""

_BLOCK = 1 << 20
_LONGEST = 100 * 1024 * 1024
_BLANKS = re.compile(r"\s*")


class NoLines(Exception):
    """Answers that do not go into lines; the message says why."""


def write_lines(
    run: Run,
    target: Place,
    parts: Sequence[tuple[Place, int, int]],
    missing: Mapping[int, str],
    records: int,
) -> None:
    """Write an output of as many lines as the input has ``records``.

    Each of ``parts`` has what a job wrote, the number of its first record, and how many it has.
    ``missing`` says of records, by their numbers, why they have no answer: their line is an error
    in JSON, or empty where text is accepted. Raises `NoLines`, and nothing is written then.
    """
    is_text = run.accept.startswith("text/")

    def line_of_none(number: int) -> bytes:
        why = missing.get(number, "it has no answer")
        return b"" if is_text else _encoded({"error": why})

    number = 1
    with Upload(run, target) as upload:
        for place, first, count in sorted(parts, key=lambda part: part[1]):
            while number < first:
                upload.write(line_of_none(number) + b"\n")
                number += 1
            due = sum(each not in missing for each in range(first, first + count))
            answers = _answers(run, place, due)
            while number < first + count:
                answer = line_of_none(number) if number in missing else next(answers, None)
                if answer is None:
                    raise NoLines("there are fewer answers than were counted")
                upload.write(answer + b"\n")
                number += 1
        while number <= records:
            upload.write(line_of_none(number) + b"\n")
            number += 1


def _answers(run: Run, place: Place, records: int) -> Iterator[bytes]:
    """The answers of what a job wrote, each without a newline; as many as ``records``."""
    counted = AnswerCount()
    counted.read(run.store.open(place), lambda: True)
    alone = run.strategy != "MultiRecord"
    kind, found = counted.told_apart(
        each_alone=alone, joined=run.joins_source, accept=run.accept, records=records
    )
    if counted.form not in ("json", "text"):
        raise NoLines(f"answers are {counted.form}, which does not go into lines")
    body = run.store.open(place)
    if kind == "line":
        lines = [] if found is None else _lines(body)
        yield from lines if records != 1 or found == 1 else [_as_one([*map(_text, lines)])]
        return
    values = _values(body, kind, alone=alone, joined=run.joins_source)
    if records == 1 and found != 1:
        yield _as_one([*values])
        return
    yield from map(_encoded, values)


def _values(body: Any, kind: str, *, alone: bool, joined: bool) -> Iterator[Any]:
    """The answers of JSON as `AnswerCount.told_apart` counts them."""
    for document in _documents(body):
        rows = document if isinstance(document, list) else _rows(document)
        is_error = isinstance(document, dict) and [*document] == ["error"]
        if not joined and is_error and isinstance(document["error"], str):
            continue
        if kind == "row" and rows is not None:
            yield from rows
        elif joined or not alone or isinstance(document, list) or rows != []:
            yield document


def _rows(document: Any) -> list[Any] | None:
    """What stands under one of `RESULTS`, if that is a list."""
    if not isinstance(document, dict):
        return None
    return next((document[name] for name in RESULTS if isinstance(document.get(name), list)), None)


def _documents(body: Any) -> Iterator[Any]:
    """Documents of JSON, whatever stands between them; one of them is in memory at a time."""
    decoder, decode = json.JSONDecoder(), codecs.getincrementaldecoder("utf-8")().decode
    text, at, is_more = "", 0, True
    while True:
        begins = _BLANKS.match(text, at)
        at = at if begins is None else begins.end()
        try:
            value, end = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError) as error:
            value, end, why = None, len(text), str(error)
        else:
            why = ""
        if len(text) - at > _LONGEST:
            raise NoLines(f"a document of JSON has more than {_LONGEST:,} letters")
        if is_more and end == len(text):  # what ends with the block may go on in the next
            part = body.read(max(_BLOCK, len(text) - at))
            is_more = bool(part)
            try:
                text, at = text[at:] + decode(part, final=not part), 0
            except UnicodeDecodeError as error:
                raise NoLines(f"answers are no UTF-8: {error}") from None
        elif at == len(text):
            return
        elif why:
            raise NoLines(f"answers are no JSON: {why}")
        else:
            yield value
            at = end


def _lines(body: Any) -> Iterator[bytes]:
    try:
        for line in records_of(body, "Line", is_gzip=False, limit=_LONGEST):
            if line.is_cut:
                raise NoLines(f"an answer has {line.size:,} bytes")
            if line.data.strip():
                yield line.data.rstrip(b"\r\n")
    except Damaged as damaged:
        raise NoLines(str(damaged)) from None


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace")


def _as_one(values: Sequence[Any]) -> bytes:
    """The answers to one record, in its line."""
    return _encoded(values[0] if len(values) == 1 else values)


def _encoded(value: Any) -> bytes:
    # A lone surrogate, which no UTF-8 has, stays the escape that it was.
    return compact(value).encode("utf-8", "backslashreplace")
