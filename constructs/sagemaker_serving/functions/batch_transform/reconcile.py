"""After each of a shard's jobs: what has an output, what runs again, what is bisected."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from . import data_log
from .failures import Failure, Kind, failure_of, wait_seconds
from .quarantine import Bad, quarantine
from .shard import Shard
from .state import SplitInput, Unit

_SPLIT = ("Line", "RecordIO", "TFRecord")


def reconcile(
    shard: Shard, logs: Any, error: Mapping[str, Any] | None, chance: random.Random
) -> dict[str, Any]:
    """What follows the job that was asked for last; ``error`` is what it failed with."""
    state = shard.state
    group = state.groups.pop(0)
    missing = _missing(shard, group)
    _note_good(shard, group, missing)
    failure = failure_of(error)
    if missing and failure is None:
        failure = Failure(kind=Kind.DATA, reason="the job has completed, and wrote no output")
    if not missing or failure is None:
        state.budgets = {}
        return shard.next_step()
    reasons = _reasons(shard, logs, missing, failure)
    if failure.kind is not Kind.DATA and not reasons:
        return _again(shard, missing, failure, chance)
    state.budgets = {}
    _judge(shard, group, missing, failure, reasons)
    return shard.next_step()


def _again(
    shard: Shard, missing: list[Unit], failure: Failure, chance: random.Random
) -> dict[str, Any]:
    """The same inputs again, without those that have their outputs; or no more of them."""
    state = shard.state
    used = state.budgets.get(failure.kind, 0)
    retry = shard.run.retries.get(failure.kind)
    wait = None if retry is None else wait_seconds(retry, used, chance)
    if wait is None or not shard.can_run_more:
        return shard.give_up(failure)
    state.budgets[failure.kind] = used + 1
    state.groups.insert(0, missing)
    return shard.next_step(wait=wait)


def _missing(shard: Shard, group: Sequence[Unit]) -> list[Unit]:
    """The units of a job's group that have no output, or only one that is older than they are."""
    places = [shard.output_of(unit) for unit in group]
    folder = shard.outputs_folder(group[0])
    found = shard.store.found(folder, sorted(place.key for place in places))
    missing = []
    for unit, place in zip(group, places, strict=True):
        there = found.get(place.key)
        since = 0 if unit.is_chunk else shard.input_of(unit).modified
        if there is None or there.modified < since:
            missing.append(unit)
    return missing


def _note_good(shard: Shard, group: Sequence[Unit], missing: Sequence[Unit]) -> None:
    if not group[0].is_chunk:
        return
    for unit in set(group) - set(missing):
        assert unit.first is not None
        assert unit.count is not None
        shard.state.split_inputs[str(unit.input)].good.append([unit.first, unit.count])


def _reasons(shard: Shard, logs: Any, missing: Sequence[Unit], failure: Failure) -> dict[Unit, str]:
    """What the job's data log says of each unit; asked only where it can say anything."""
    if failure.kind is not Kind.DATA:
        return {}
    places = {unit: shard.source_of(unit) for unit in missing}
    by_key = {f"{place.bucket}/{place.key}": unit for unit, place in places.items()}
    said = data_log.reasons(logs, shard.job_name, by_key.keys())
    return {by_key[key]: why for key, why in said.items()}


def _judge(
    shard: Shard,
    group: Sequence[Unit],
    missing: Sequence[Unit],
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
        elif is_doubtful and shard.can_run_more:
            doubtful.append(tried)
        else:
            _single_out(shard, tried, why)
    groups = shard.state.groups
    if again:
        groups.insert(0, again)
    if doubtful:
        half = (len(doubtful) + 1) // 2
        alike = len(doubtful) == len(group)
        halves = [doubtful[:half], doubtful[half:]] if alike else [doubtful]
        groups[0:0] = [each for each in halves if each]


def _single_out(shard: Shard, unit: Unit, why: str) -> None:
    """Quarantine what cannot be cut any more; have the rest cut."""
    state = shard.state
    if unit.count == 1:
        state.split_inputs[str(unit.input)].bad.append(
            {"record": unit.first, "offset": unit.offset, "length": unit.length, "error": why}
        )
    elif shard.run.split_type in _SPLIT and shard.can_run_more:
        state.split_inputs.setdefault(str(unit.input), SplitInput())
        state.to_cut.append({"unit": asdict(unit), "error": why})
    elif unit.is_chunk:
        assert unit.first is not None
        assert unit.count is not None
        state.split_inputs[str(unit.input)].bad.append(
            {
                "record": unit.first,
                "offset": unit.offset,
                "length": unit.length,
                "error": f"not told apart: one of {unit.count} records from here on: {why}",
            }
        )
    else:
        quarantine(shard.store, shard.run, shard.input_of(unit).name, [Bad(error=why)])
