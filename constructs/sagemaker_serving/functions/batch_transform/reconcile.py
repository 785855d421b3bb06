"""After each of a shard's jobs: what is whole, what runs again, what is bisected."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from botocore.exceptions import ClientError

from .failures import (
    DENIED_SECONDS,
    DENIED_TRIES,
    Failure,
    Kind,
    failure_of,
    is_over_quota,
    wait_seconds,
)
from .shard import Shard
from .state import Tally, Unit
from .store import Entry
from .tallying import tally_outputs


def reconcile(
    shard: Shard,
    logs: Any,
    error: Mapping[str, Any] | None,
    chance: random.Random,
) -> dict[str, Any]:
    """What follows the job that was asked for last; ``error`` is what it failed with.

    Where there is not the time to count all of its outputs, another call goes on.
    """
    state = shard.state
    if state.tally is None:
        state.tally = Tally(error=error, units=len(state.groups[0]))
    tally = state.tally
    group = state.groups[0]
    outputs = _outputs(shard, group)
    missing = [unit for unit in group if unit not in outputs]
    if not tally_outputs(shard, tally, outputs):
        return shard.again()
    state.groups.pop(0)
    state.tally = None
    failure = failure_of(tally.error)
    if missing and failure is None:
        failure = Failure(kind=Kind.DATA, reason="the job has completed, and wrote no output")
    if not missing or failure is None:
        state.budgets, state.waited = {}, {}
        return shard.next_step()
    reasons = _reasons(shard, logs, missing, failure)
    if failure.kind is not Kind.DATA and not reasons:
        return _again(shard, missing, failure, chance)
    state.budgets, state.waited = {}, {}
    _judge(shard, missing, failure, reasons, are_all=len(missing) == tally.units)
    return shard.next_step()


def _outputs(shard: Shard, group: Sequence[Unit]) -> dict[Unit, Entry]:
    """The outputs of a job's group, without those that are older than what they answer."""
    if not group:
        return {}
    by_key = {shard.output_of(unit).key: unit for unit in group}
    found = shard.run.store.found(shard.outputs_folder(group[0]), sorted(by_key))
    return {
        by_key[key]: entry
        for key, entry in found.items()
        if by_key[key].is_chunk or entry.modified >= shard.input_of(by_key[key]).modified
    }


def _again(
    shard: Shard, missing: list[Unit], failure: Failure, chance: random.Random
) -> dict[str, Any]:
    """The same inputs again, without those that have their outputs; or no more of them."""
    state = shard.state
    used = state.budgets.get(failure.kind, 0)
    wait = _wait_seconds(shard, failure, used, chance)
    if wait is None or not shard.can_run_more:
        return shard.give_up(failure)
    state.budgets[failure.kind] = used + 1
    state.waited[failure.kind] = state.waited.get(failure.kind, 0) + wait
    state.retried += 1
    state.wait_seconds = wait
    state.groups.insert(0, missing)
    return shard.next_step()


def _wait_seconds(shard: Shard, failure: Failure, used: int, chance: random.Random) -> int | None:
    """How long before the next job: none where another instance type has not been tried yet.

    A budget for capacity counts how often all types were tried.
    """
    if failure.kind is Kind.DENIED:
        return DENIED_SECONDS if used < DENIED_TRIES else None
    retry = shard.run.retries.get(failure.kind)
    choices = len(shard.run.instance_types) if failure.kind is Kind.CAPACITY else 1
    if (used + 1) % choices:
        return 0
    if retry is None or (choices == 1 and is_over_quota(failure.reason)):
        return None
    waited = shard.state.waited.get(failure.kind, 0)
    return wait_seconds(retry, used // choices, waited, chance)


def _reasons(shard: Shard, logs: Any, missing: Sequence[Unit], failure: Failure) -> dict[Unit, str]:
    """What the job's data log says of each unit; asked only where it can say anything."""
    if failure.kind is not Kind.DATA:
        return {}
    places = {unit: shard.source_of(unit) for unit in missing}
    by_key = {f"{place.bucket}/{place.key}": unit for unit, place in places.items()}
    said = reasons(logs, shard.job_name, by_key.keys())
    return {by_key[key]: why for key, why in said.items()}


def _judge(
    shard: Shard,
    missing: Sequence[Unit],
    failure: Failure,
    reasons: Mapping[Unit, str],
    *,
    are_all: bool,
) -> None:
    """What each unit without an output comes to.

    One that was refused itself is guilty; so is one that failed alone. Where the model gave no
    answer, another object may have killed it: those run again in halves, until one is alone.
    ``are_all`` is whether no unit of the job has an output.
    """
    again: list[Unit] = []
    doubtful: list[Unit] = []
    for unit in missing:
        why = reasons.get(unit, failure.reason)
        tried = replace(unit, tries=unit.tries + 1)
        is_doubtful = _NO_ANSWER in why and len(missing) > 1
        if not unit.is_chunk and tried.tries < 2:
            again.append(tried)
        elif is_doubtful and shard.can_run_more:
            doubtful.append(tried)
        else:
            shard.refuse(tried, why)
    groups = shard.state.groups
    if again:
        groups.insert(0, again)
    if doubtful:
        half = (len(doubtful) + 1) // 2
        alike = are_all and len(doubtful) == len(missing)
        halves = [doubtful[:half], doubtful[half:]] if alike else [doubtful]
        groups[0:0] = [each for each in halves if each]


GROUP = "/aws/sagemaker/TransformJobs"
_NO_ANSWER = "Unable to get response from algorithm"
"""The model died, or took too long: perhaps over another object than the one that is named."""

_LINE = re.compile(r"\[sagemaker logs\]: (?P<blamed>.+?): (?P<why>.*)")
_PATIENCE_SECONDS = 6.0
_PAUSE_SECONDS = 0.5
_MAX_PAGES = 100


def reasons(logs: Any, job: str, keys: Collection[str]) -> dict[str, str]:
    """What the data log of ``job`` says of objects, ``bucket/key`` each, for those it names.

    The stream ``<job>/<instance>-<time>/data-log`` has lines such as ``2020-10-14T04:53:51.549:
    [sagemaker logs]: bucket/key: Unable to get response from algorithm`` (SageMaker developer
    guide, "Log Events with CloudWatch"; github.com/aws/sagemaker-python-sdk issue 1951). Lines
    come a little after the job's end, so it looks for some seconds until each object has one.
    Without a permission, a group or a line there is simply no reason.
    """
    end = time.monotonic() + _PATIENCE_SECONDS
    while True:
        found = _read(logs, job, keys)
        if found.keys() >= set(keys) or time.monotonic() > end:
            return found
        time.sleep(_PAUSE_SECONDS)


def _read(logs: Any, job: str, keys: Collection[str]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    try:
        for line in _lines(logs, job):
            said = _LINE.search(line)
            if said is not None and said["blamed"] in keys:
                found.setdefault(said["blamed"], []).append(said["why"])
    except ClientError:
        return {}
    return {key: _sentence(lines) for key, lines in found.items()}


def _lines(logs: Any, job: str) -> Iterator[str]:
    streams = logs.describe_log_streams(logGroupName=GROUP, logStreamNamePrefix=f"{job}/")
    for stream in streams["logStreams"]:
        if not stream["logStreamName"].endswith("/data-log"):
            continue
        token: dict[str, str] = {}
        for _ in range(_MAX_PAGES):
            page = logs.get_log_events(
                logGroupName=GROUP,
                logStreamName=stream["logStreamName"],
                startFromHead=True,
                **token,
            )
            yield from (event["message"] for event in page["events"])
            if page["nextForwardToken"] == token.get("nextToken"):
                break
            token = {"nextToken": page["nextForwardToken"]}


def _sentence(lines: list[str]) -> str:
    """The lines about one object as one: ``ClientError: 400: Message: …``."""
    return " ".join(line for line in (each.strip() for each in lines) if line)
