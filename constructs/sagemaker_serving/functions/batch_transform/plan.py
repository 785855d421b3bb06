"""The first step: look at what is to be done, and cut it into shards.

One call takes as long as it has time for, and says where the next goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from . import lock
from .errors import Refused
from .inputs import first_input, folder_of, manifest_inputs, under_prefix
from .ledger import accounts
from .line_count import REQUEST
from .quarantine import OBJECTS, Bad, place_of, quarantine, release
from .records import Damaged, Unzipped
from .run import Run, run_of
from .sharding import Input, shards
from .store import Place, Store

WINDOW = 10_000
"""Inputs that are looked at together: what a call holds in memory, beside one shard."""

_MAX_KEY_BYTES = 1024
_COUNTS = ("objects", "bytes", "answered", "quarantined", "missing", "planned", "shards")


def begin(
    store: Store,
    states: Any,
    settings: Mapping[str, Any],
    given: Any,
    execution: str,
    began: int,
) -> Run | None:
    """Check an execution's input and take a turn and its output's lock; None: no turn is free.

    Raises `Refused`. The turn comes first, so that of two on one output the second finds the
    first's answers.
    """
    run = run_of(store, settings, given, execution, began)
    folder_of(run)
    if run.input_type == "S3Prefix" and next(under_prefix(run, after=None), None) is None:
        raise Refused([f"there are no objects under {run.source}"])
    _refuse_requests_in_one_payload(run)
    turned = lock.take_turn(run, states)
    if turned is None:
        return None
    try:
        lock.acquire(turned, states)
    except Refused:
        lock.release(turned)
        raise
    turned.save()
    return turned


def plan(run: Run, cursor: Mapping[str, Any] | None, in_time: Callable[[], bool]) -> dict[str, Any]:
    """Cut shards until all inputs are cut or the time is up.

    Returns the cursor that the next call begins with; when its ``more`` is false, the plan is
    whole: ``plan.jsonl`` has a line for each shard. ``in_time`` is asked after each window. Its
    ``doubtful`` says how many inputs have an output of the same second: what answers them must be
    a second younger, so nothing may be made before that second is over.
    """
    state: dict[str, Any] = (
        dict(cursor) if cursor is not None else {"part": 0, "after": None, "skip": 0}
    )
    counts: dict[str, int] = {name: state.get(name, 0) for name in _COUNTS} | {"doubtful": 0}
    lines: list[dict[str, int]] = []
    whole = True

    def windows() -> Iterator[Input]:
        nonlocal whole
        for window, absent in _windows(run, state):
            _count(run, counts, window, absent)
            yield from _to_do(run, counts, window, absent)
            if not in_time():
                whole = False
                return

    cut = shards(
        windows(),
        max_objects=run.limits["max_objects_per_shard"],
        max_bytes=run.limits["max_bytes_per_shard"],
    )
    for shard in cut:
        number = counts["shards"]
        run.store.write_lines(
            run.shard(number) / "objects.jsonl",
            ([entry.name, entry.size, entry.modified] for entry in shard),
        )
        size = sum(entry.size for entry in shard)
        lines.append({"shard": number, "objects": len(shard), "bytes": size})
        counts["shards"] += 1
        counts["planned"] += len(shard)
    run.store.write_lines(run.work_place / f"plan/{state['part']:06}.jsonl", lines)
    state |= {**counts, "part": state["part"] + 1, "more": not whole}
    if whole:
        _finish(run, state)
    return state


def inputs_of(run: Run, shard: int) -> list[Input]:
    """A shard's inputs, as they were planned."""
    return [
        Input(name=name, size=size, modified=modified)
        for name, size, modified in run.store.read_lines(run.shard(shard) / "objects.jsonl")
    ]


def _windows(run: Run, state: dict[str, Any]) -> Iterator[tuple[list[Input], list[str]]]:
    """Windows of inputs and of names without an object; ``state`` says where the next begins."""
    if run.input_type == "ManifestFile":
        for window, absent, taken in manifest_inputs(run, skip=state["skip"]):
            state["skip"] += taken
            yield window, absent
        return
    listed = under_prefix(run, after=state["after"])
    while window := list(islice(listed, WINDOW)):
        state["after"] = window[-1].name
        yield window, []


def _count(run: Run, counts: dict[str, int], window: list[Input], absent: list[str]) -> None:
    counts["objects"] += len(window) + len(absent)
    counts["bytes"] += sum(entry.size for entry in window)
    for name in ("objects", "bytes"):
        limit = run.limits.get(f"max_input_{name}")
        if limit is not None and counts[name] > limit:
            raise Refused(
                [
                    f"the input has more than {limit:,} {name}, the pipeline's max_input_{name}; "
                    "give it less at once, or raise the limit"
                ]
            )


def _to_do(
    run: Run, counts: dict[str, int], window: list[Input], absent: list[str]
) -> Iterator[Input]:
    _must_fit(run, [entry.name for entry in window] + absent)
    if run.input_type == "ManifestFile":
        _must_be_others(run, [entry.name for entry in window])
    for name in absent:
        quarantine(run, name, [Bad(error="the manifest names it, and there is no object")])
    counts["missing"] += len(absent)
    done = accounts(run, window, made_before=True)
    for name in done.overtaken:  # by an execution that was stopped before it could say so
        release(run, name)
    again = done.refused | done.in_part if run.retry_quarantined else frozenset()
    settled = done.settled - again
    counts["answered"] += len(done.answered & settled)
    counts["quarantined"] += len(done.refused & settled)
    for entry in window:
        if entry.name in again:
            yield replace(entry, modified=max(entry.modified, run.began))
        elif entry.name in done.doubtful and entry.name not in settled:
            counts["doubtful"] += 1
            yield replace(entry, modified=entry.modified + 1)
        elif entry.name not in settled:
            yield entry


def _must_fit(run: Run, names: list[str]) -> None:
    """A name must leave room for what is written of it: S3's keys have at most 1,024 bytes."""
    written = (
        run.output_place / ".out",
        run.shard(0) / "outputs/000/.out",
        place_of(run, OBJECTS, ""),
    )
    room = _MAX_KEY_BYTES - max(len(place.key.encode()) for place in written)
    for name in names:
        if len(name) * 4 > room and len(name.encode()) > room:
            raise Refused(
                [
                    f"the name {name[:200]}… has {len(name.encode()):,} bytes, and the output "
                    f"leaves {room:,} of the {_MAX_KEY_BYTES:,} that S3's keys take; give it a "
                    "shorter prefix"
                ]
            )


def _must_be_others(run: Run, names: list[str]) -> None:
    """What a manifest names must not lie where the pipeline keeps its own files."""
    folder = str(folder_of(run))
    kept = [run.work.rstrip("/").rpartition("/")[0], run.reports.rstrip("/").rpartition("/")[0]]
    for name in names:
        own = next((place for place in kept if f"{folder}{name}".startswith(f"{place}/")), None)
        if own is not None:
            raise Refused(
                [f"the manifest names {folder}{name}; below {own}/ lie the pipeline's own files"]
            )


def _finish(run: Run, state: Mapping[str, Any]) -> None:
    parts = (run.work_place / f"plan/{part:06}.jsonl" for part in range(state["part"]))
    lines = [line for part in parts for line in run.store.read_lines(part)]
    run.store.write_lines(run.work_place / "plan.jsonl", lines)
    run.store.write_json(run.work_place / "counts.json", {name: state[name] for name in _COUNTS})


_JSON = ("application/json", "application/jsonlines", "application/jsons")
_LOOKED_AT_BYTES = 1 << 16
_LOOKED_AT_LINES = 10


def _refuse_requests_in_one_payload(run: Run) -> None:
    """Raise `Refused` where the first input's lines are whole requests, and would go together.

    TensorFlow Serving takes one request in a payload. A container with code of the user's may take
    more, which is not known of every model: there a strategy that somebody has chosen stands.
    """
    is_chosen = "BatchStrategy" in run.job
    by_line = run.split_type == "Line" and run.content_type in _JSON
    is_known = run.requests_alone is True or not is_chosen
    if not (by_line and run.takes_requests_alone and is_known):
        return
    place = first_input(run)
    lines = [] if place is None else _first_lines(run, place)
    number = next((number for number, line in lines if REQUEST.search(line)), None)
    if number is not None and len(lines) > 1:
        raise Refused(
            [
                f'line {number} of {place} is a whole request, such as {{"instances": …}}, and '
                f"with batch_strategy MultiRecord{'' if is_chosen else ', the default,'} many "
                "lines go in one payload, of which TensorFlow Serving answers the first or none; "
                "set batch_strategy to SingleRecord"
            ]
        )


def _first_lines(run: Run, place: Place) -> list[tuple[int, bytes]]:
    """The first lines that are not blank, each with its number."""
    body = run.store.open(place)
    stream = Unzipped(body) if run.is_gzip else body
    try:
        begins = stream.read(_LOOKED_AT_BYTES)
    except Damaged:
        return []
    lines = enumerate(begins.split(b"\n"), start=1)
    return list(islice(((n, line) for n, line in lines if line.strip()), _LOOKED_AT_LINES))
