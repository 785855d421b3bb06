"""After each of a shard's jobs: what has an output, what runs again, what is singled out."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from . import data_log
from .books import stale
from .failures import Failure, Kind, failure_of, wait_seconds
from .jobs import keys_of, next_job, outputs_of
from .plan import inputs_of
from .quarantine import Bad, pardon, quarantine
from .run import Run
from .sharding import Input
from .state import Apart, ShardState, Unit
from .store import Store

MAX_JOBS = 100
"""Jobs of one shard; then what still fails is quarantined as it is."""

MAX_BAD_RECORDS = 1000
"""Bad records of one input that are told apart; one with more is quarantined whole."""

_SPLIT = ("Line", "RecordIO", "TFRecord")


def begin_shard(store: Store, run: Run, shard: int) -> dict[str, Any]:
    """Before a shard's first job: all of its inputs are to run."""
    inputs = inputs_of(store, run, shard)
    state = ShardState(groups=[[Unit(input=index) for index in range(len(inputs))]])
    return go_on(store, run, shard, 0, state, inputs, wait=0)


def settle(
    store: Store,
    logs: Any,
    run: Run,
    shard: int,
    step: int,
    error: Mapping[str, Any] | None,
    chance: random.Random,
) -> dict[str, Any]:
    """What follows the job that step ``step`` has asked for; ``error`` is what it failed with."""
    inputs = inputs_of(store, run, shard)
    state = ShardState.load(store, run, shard, step)
    group = state.groups.pop(0)
    missing = _missing(store, run, shard, group, inputs)
    _note_good(state, group, missing)
    failure = failure_of(error)
    if missing and failure is None:
        failure = Failure(kind=Kind.DATA, reason="the job has completed, and wrote no output")
    if not missing or failure is None:
        state.budgets = {}
        return go_on(store, run, shard, step + 1, state, inputs, wait=0)
    reasons = _reasons(store, logs, run, shard, state, missing, inputs, failure)
    if failure.kind is not Kind.DATA and not reasons:
        return _again(store, run, shard, step, state, inputs, missing, failure, chance)
    state.budgets = {}
    _judge(store, run, state, group, missing, inputs, failure, reasons)
    return go_on(store, run, shard, step + 1, state, inputs, wait=0)


def go_on(
    store: Store,
    run: Run,
    shard: int,
    step: int,
    state: ShardState,
    inputs: Sequence[Input],
    *,
    wait: int,
) -> dict[str, Any]:
    """Save where the shard stands, and say what the state machine does next."""
    answer: dict[str, Any] = {"after": step, "next": "done"}
    if state.is_to_isolate:
        answer["next"] = "isolate"
    elif state.groups:
        state.jobs += 1
        job = next_job(store, run, shard, state.jobs, state.groups[0], inputs)
        answer |= {"next": "transform", "wait_seconds": wait, "job": job}
    state.save(store, run, shard, step)
    if answer["next"] == "done":
        _pardon(store, run, inputs, state)
        _finish(store, run, shard, "done", None)
    return answer


def _again(
    store: Store,
    run: Run,
    shard: int,
    step: int,
    state: ShardState,
    inputs: Sequence[Input],
    missing: list[Unit],
    failure: Failure,
    chance: random.Random,
) -> dict[str, Any]:
    """The same inputs again, without those that have their outputs; or no more of them."""
    used = state.budgets.get(failure.kind, 0)
    retry = run.retries.get(failure.kind)
    wait = None if retry is None else wait_seconds(retry, used, chance)
    if wait is None or state.jobs >= MAX_JOBS:
        _finish(store, run, shard, failure.kind, failure.reason)
        return {"after": step, "next": "give-up", "error": failure.kind, "cause": failure.reason}
    state.budgets[failure.kind] = used + 1
    state.groups.insert(0, missing)
    return go_on(store, run, shard, step + 1, state, inputs, wait=wait)


def _missing(
    store: Store, run: Run, shard: int, group: Sequence[Unit], inputs: Sequence[Input]
) -> list[Unit]:
    """The units of a job's group that have no output, or only one that is older than they are."""
    place = outputs_of(run, shard, group)
    _, names = keys_of(store, run, shard, group, inputs)
    keys = [f"{place.key}{name}.out" for name in names]
    found = store.found(place, sorted(keys))
    missing = []
    for unit, key in zip(group, keys, strict=True):
        there = found.get(key)
        since = 0 if unit.is_chunk else inputs[unit.input].modified
        if there is None or there.modified < since:
            missing.append(unit)
    return missing


def _note_good(state: ShardState, group: Sequence[Unit], missing: Sequence[Unit]) -> None:
    if not group[0].is_chunk:
        return
    for unit in set(group) - set(missing):
        assert unit.first is not None
        assert unit.count is not None
        state.apart[str(unit.input)].good.append([unit.first, unit.count])


def _reasons(
    store: Store,
    logs: Any,
    run: Run,
    shard: int,
    state: ShardState,
    missing: Sequence[Unit],
    inputs: Sequence[Input],
    failure: Failure,
) -> dict[Unit, str]:
    """What the job's data log says of each unit; asked only where it can say anything."""
    if failure.kind is not Kind.DATA:
        return {}
    folder, names = keys_of(store, run, shard, missing, inputs)
    by_key = {
        f"{folder.bucket}/{folder.key}{name}": unit
        for name, unit in zip(names, missing, strict=True)
    }
    said = data_log.reasons(logs, run.job_name(shard, state.jobs), by_key.keys())
    return {by_key[key]: why for key, why in said.items()}


def _judge(
    store: Store,
    run: Run,
    state: ShardState,
    group: Sequence[Unit],
    missing: Sequence[Unit],
    inputs: Sequence[Input],
    failure: Failure,
    reasons: Mapping[Unit, str],
) -> None:
    """What each unit without an output comes to.

    One that was refused itself is guilty; so is one that failed alone. Where the model gave no
    answer, another object may have killed it: those run again in halves, until one is alone.
    """
    again: list[Unit] = []
    doubtful: list[Unit] = []
    for unit in missing:
        why = reasons.get(unit, failure.reason)
        tried = replace(unit, tries=unit.tries + 1)
        is_doubtful = data_log.NO_ANSWER in why and len(missing) > 1
        if not unit.is_chunk and tried.tries < 2:
            again.append(tried)
        elif is_doubtful and state.jobs < MAX_JOBS:
            doubtful.append(tried)
        else:
            _single_out(store, run, state, tried, inputs, why)
    if again:
        state.groups.insert(0, again)
    if doubtful:
        half = (len(doubtful) + 1) // 2
        alike = len(doubtful) == len(group)
        halves = [doubtful[:half], doubtful[half:]] if alike else [doubtful]
        state.groups[0:0] = [each for each in halves if each]


def _single_out(
    store: Store, run: Run, state: ShardState, unit: Unit, inputs: Sequence[Input], why: str
) -> None:
    """Quarantine what cannot be cut any more; have the rest cut."""
    if unit.count == 1:
        apart = state.apart[str(unit.input)]
        apart.bad.append(
            {"record": unit.first, "offset": unit.offset, "length": unit.length, "error": why}
        )
    elif run.split_type in _SPLIT and state.jobs < MAX_JOBS:
        state.apart.setdefault(str(unit.input), Apart())
        state.to_cut.append({"unit": asdict(unit), "error": why})
    elif unit.is_chunk:
        assert unit.first is not None
        assert unit.count is not None
        state.apart[str(unit.input)].bad.append(
            {
                "record": unit.first,
                "offset": unit.offset,
                "length": unit.length,
                "error": f"not told apart: one of {unit.count} records from here on: {why}",
            }
        )
    else:
        state.quarantined += 1
        quarantine(store, run, inputs[unit.input].name, [Bad(error=why)])


def _pardon(store: Store, run: Run, inputs: Sequence[Input], state: ShardState) -> None:
    """Take from the list what stood on it before, and has all its answers now."""
    whole = [entry for index, entry in enumerate(inputs) if str(index) not in state.apart]
    for name in stale(store, run, whole):
        pardon(store, run, name)


def _finish(store: Store, run: Run, shard: int, ended: str, reason: str | None) -> None:
    """Leave how the shard has ended, for the report and for whoever watches."""
    store.write_json(run.ended(shard), {"ended": ended, "reason": reason})
