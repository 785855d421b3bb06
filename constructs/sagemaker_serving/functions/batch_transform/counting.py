"""A job's output held against its input: as many answers as records, or it is not whole.

Input and output are read once, as streams. Reading goes on in another call where one call's time
ends, from the byte that was reached; only compressed inputs, RecordIO and TFRecord begin anew,
and have to fit into one call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from .answers import AnswerCount, OutOfTime
from .line_count import LineCount
from .records import Damaged, Unzipped
from .run import Run
from .shard import Shard
from .state import Unit

MAX_BLANKS = 100_000
"""Blank lines of one input that are named; one with more is quarantined whole."""

_MAX_BLANKS_OF_CHUNK = 1000

_BLOCK = 1 << 20
_LARGEST_RECORD = 100 * 1024 * 1024
_LOOK_AT_THE_CLOCK = 1000


@dataclass(frozen=True, kw_only=True)
class Whole:
    """Every record has its answer, but for the ``blanks`` that the container passes over."""

    records: int
    blanks: int = 0


@dataclass(frozen=True, kw_only=True)
class Differs:
    """Records without an answer, or answers that cannot be told.

    ``records`` is None where not even they are known. ``is_final`` is whether nothing comes of
    cutting the input.
    """

    records: int | None
    error: str
    is_final: bool = False


@dataclass(frozen=True, kw_only=True)
class Unfinished:
    """The time is up; ``cursor`` says where another call goes on."""

    cursor: Mapping[str, Any]


def count(
    shard: Shard, unit: Unit, cursor: Mapping[str, Any] | None, *, begun_now: bool
) -> Whole | Differs | Unfinished:
    """Whether a unit's output has an answer to each of its records.

    ``cursor`` is what an earlier call has left of this unit. ``begun_now`` is whether this call
    has all of its time for it, so that what does not fit now never will.
    """
    kept = dict(cursor) if cursor is not None else {}
    lines = LineCount(**kept["lines"]) if "lines" in kept else LineCount()
    answers = AnswerCount.of(dict(kept["answers"])) if "answers" in kept else AnswerCount()
    try:
        if not kept.get("is_read"):
            _count_records(shard, unit, lines)
        kept["is_read"] = True
        body = shard.run.store.open(shard.output_of(unit), offset=answers.offset)
        answers.read(body, shard.in_time)
    except OutOfTime:
        is_stuck = (lines.offset if not kept.get("is_read") else answers.offset) == 0
        if is_stuck and begun_now:
            return Differs(records=None, error="too large to be counted within one call")
        left = {"lines": asdict(lines), "answers": answers.kept()}
        return Unfinished(cursor={**left, "is_read": kept.get("is_read", False)})
    except Damaged as damaged:
        why = f"there is an output, and the input is damaged: {damaged}"
        return Differs(records=None, error=why)
    result = _judged(shard, lines, answers)
    most_blanks = _MAX_BLANKS_OF_CHUNK if unit.is_chunk else MAX_BLANKS
    if isinstance(result, Whole) and result.blanks > most_blanks:
        said = f"{result.blanks:,} of {result.records:,} records are blank lines"
        why = f"{said}, which the container passes over; remove them"
        return Differs(records=result.records, error=why, is_final=not unit.is_chunk)
    return result


def _count_records(shard: Shard, unit: Unit, lines: LineCount) -> None:
    """Raises `OutOfTime`; ``lines.offset`` tells then how far it has come, 0: it begins anew."""
    run = shard.run
    if run.split_type != "Line":
        for number, _ in enumerate(shard.records_of(unit, limit=_LARGEST_RECORD), start=1):
            if number % _LOOK_AT_THE_CLOCK == 0 and not shard.in_time():
                raise OutOfTime
            lines.lines = number
        return
    body = run.store.open(shard.source_of(unit), offset=lines.offset)
    stream = Unzipped(body) if run.is_gzip else body
    counted = LineCount() if run.is_gzip else lines
    block = stream.read(_BLOCK)
    while block:
        counted.feed(block)
        block = stream.read(_BLOCK)
        if block and not shard.in_time():
            raise OutOfTime
    counted.end()
    vars(lines).update(vars(counted))


def _judged(shard: Shard, lines: LineCount, answers: AnswerCount) -> Whole | Differs:
    run, records = shard.run, lines.lines
    together = run.strategy == "MultiRecord"
    reading = {"each_alone": not together, "joined": run.joins_source}
    if records == 1 and answers.is_whole_to_one(**reading, accept=run.accept):
        return Whole(records=1)
    has_requests = records > 1 and lines.has_requests and run.takes_requests_alone
    found = answers.answers(**reading, accept=run.accept, records=records)
    passes_over = answers.is_shaped and lines.blanks > 0 and not run.joins_source
    is_misled = answers.is_shaped and has_requests
    is_shifted = passes_over and together and run.requests_alone is not False
    if found == records and not is_misled and not is_shifted:
        return Whole(records=records)
    if passes_over and not is_misled and 0 < (found or 0) == records - lines.blanks:
        return Whole(records=records, blanks=lines.blanks)
    return Differs(records=records, error=_said(run, records, found, answers, has_requests))


def _said(
    run: Run, records: int, found: int | None, answers: AnswerCount, has_requests: bool
) -> str:
    """Both numbers, and what to set where that is known."""
    counted = f"{records:,} {'record' if records == 1 else 'records'} in, "
    if found is None:
        counted += "and no answers that could be counted"
    else:
        counted += f"{found:,} {'answer' if found == 1 else 'answers'} out"
    if has_requests:
        return (
            f'{counted}; lines that are whole requests, such as {{"instances": …}}, go one by one: '
            "set batch_strategy to SingleRecord"
        )
    if answers.form == "text" and run.assemble_with == "None" and records > 1:
        return f"{counted}; set assemble_with to Line, so that answers do not run together"
    if answers.form == "binary" and records > 1:
        return (
            f"{counted}; accept JSON, text, application/x-npy or RecordIO, or give each record an "
            "object of its own, without a split_type"
        )
    begins = answers.begins.strip()
    return f"{counted}; it begins with {begins!r}" if records == 1 and begins else counted
