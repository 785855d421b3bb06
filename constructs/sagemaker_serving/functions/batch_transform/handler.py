"""The function: one step of the state machine for each call."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from sagemaker_serving.functions.custom_resource.refusals import may_pass

from . import lock
from .bisection import bisect
from .errors import NotAllowed, Refused
from .plan import begin, plan
from .reconcile import reconcile
from .report import report
from .run import Run
from .shard import Shard
from .store import Store

_SPARE_MILLISECONDS = 120_000
"""A step leaves what is left to another call when no more time than this remains."""


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Do the step that ``event`` names.

    Raises `Refused` for an input that cannot be run, which gets no better by trying again, and
    `NotAllowed` where its role misses a permission, which may be too new to be known.
    """
    try:
        return _step(event, context)
    except ClientError as error:
        said = error.response["Error"]
        if may_pass(said.get("Code", ""), said.get("Message", "")):
            raise NotAllowed(str(error)) from None
        raise


def _step(event: dict[str, Any], context: Any) -> dict[str, Any]:

    def in_time() -> bool:
        return bool(context.get_remaining_time_in_millis() > _SPARE_MILLISECONDS)

    step = event["step"]
    if step == "plan":
        return _plan(event, in_time)
    run = Run.load(_store(), event["work"])
    if step == "report":
        return report(run, event.get("cursor"), in_time, int(time.time()))
    number = int(event["shard"])
    if event.get("after") is None:
        return Shard.begin(run, number).next_step()
    shard = Shard.load(run, number, event["after"], in_time)
    if step == "isolate":
        return bisect(shard)
    logs, chance = _client("logs"), random.SystemRandom()
    return reconcile(shard, logs, event.get("error"), chance)


def _plan(event: dict[str, Any], in_time: Callable[[], bool]) -> dict[str, Any]:
    """The plan's next part, and what the machine has to know of the run."""
    store, cursor = _store(), event.get("cursor")
    if cursor is None:
        began = _began(event)
        states = _client("stepfunctions")
        begun = begin(store, states, event["settings"], event["input"], event["execution"], began)
        if begun is None:
            return _waiting(event)
        run = begun
    else:
        run = Run.load(store, event["work"])
    try:
        state = plan(run, cursor, in_time)
    except Refused:
        lock.release(run)
        raise
    if state["doubtful"]:
        time.sleep(1)  # S3 tells times in seconds: until the second that is in doubt is over
    return {
        "more": state["more"],
        "cursor": state,
        "work": run.work,
        "bucket": run.work_place.bucket,
        "key": run.work_place.key,
        "shards": state["shards"],
    }


def _waiting(event: dict[str, Any]) -> dict[str, Any]:
    """What the machine waits before it asks for a turn again: longer each time, and by chance."""
    waits = event.get("waits") or 0
    first, longest = lock.TURN_SECONDS
    seconds = min(first * 2 ** min(waits, 10), longest)
    return {
        "waits": waits + 1,
        "wait_seconds": random.SystemRandom().randint(seconds // 2, seconds),
    }


def _began(event: dict[str, Any]) -> int:
    """When the execution began; with what is tried again, when all outputs of before are older.

    S3 tells times in seconds, so what was put in the second of the beginning is waited out.
    """
    given = event["input"]
    if isinstance(given, dict) and given.get("retry_quarantined") is True:
        time.sleep(1)
        return int(time.time())
    return int(datetime.fromisoformat(event["began"]).timestamp())


@cache
def _client(service: str) -> Any:
    return boto3.client(
        service,
        config=Config(retries={"mode": "standard", "max_attempts": 8}, max_pool_connections=32),
    )


def _store() -> Store:
    return Store(_client("s3"))
