"""What executions wait for one another by: an output's lock, and the turns of a pipeline.

Of two executions that write to the same output, one only runs: the one that holds its lock. Of all
executions as many run as there are turns, so that arrivals of a thousand objects are no thousand
jobs at once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from random import SystemRandom
from typing import Any

from botocore.exceptions import ClientError

from .errors import Refused
from .run import Run
from .store import Place, compact

TURN_SECONDS = (15, 300)
"""The first and the longest wait for a turn."""
_ENDED = ("SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED")


def take_turn(run: Run, states: Any) -> Run | None:
    """The run with a turn of the pipeline, of an execution that has ended too; None: none is free.

    Who holds the turns of others is asked of one of them at a time: Step Functions answers few
    DescribeExecution a second. To take a turn twice is to take it once.
    """
    most = run.limits.get("max_concurrent_executions")
    if most is None:  # a machine of before this function's version, which knows no waiting
        return run
    places = [_turn(run, number) for number in range(most)]
    held = _holders(run, places)
    if mine := [number for number, (holder, _) in enumerate(held) if holder == run.execution]:
        return replace(run, turn=mine[0])
    free = [number for number, (holder, _) in enumerate(held) if holder is None]
    if not free:
        number = SystemRandom().randrange(most)
        free = [number] if _has_ended(states, str(held[number][0])) else []
    for number in free:
        if run.store.write_if(places[number], _mine(run), etag=held[number][1]):
            return replace(run, turn=number)
    return None


def acquire(run: Run, states: Any) -> None:
    """Take the output's lock, from an execution that has ended too.

    Raises `Refused` while another one runs. To take it twice is to take it once.
    """
    place = _place(run)
    if run.store.write_if(place, _mine(run), etag=None):
        return
    ((holder, etag),) = _holders(run, [place])
    if holder == run.execution:
        return
    if holder is not None and not _has_ended(states, holder):
        raise Refused(
            [
                f"{holder} is writing to {run.output} at this moment; wait for its end, or write "
                "elsewhere"
            ]
        )
    if not run.store.write_if(place, _mine(run), etag=etag):
        raise Refused([f"another execution has begun to write to {run.output} at this moment"])


def release(run: Run) -> None:
    """Give the lock and the turn back, unless another execution has taken them."""
    for place in (_place(run), *([] if run.turn is None else [_turn(run, run.turn)])):
        if _holders(run, [place])[0][0] == run.execution:
            run.store.delete(place)


def _turn(run: Run, number: int) -> Place:
    return Place.parse(run.reports.rstrip("/").rpartition("/")[0] + f"/turns/{number:03}.json")


def _place(run: Run) -> Place:
    return run.reports_place / "lock.json"


def _mine(run: Run) -> bytes:
    return compact({"execution": run.execution}).encode()


def _holders(run: Run, places: Sequence[Place]) -> list[tuple[str | None, str | None]]:
    """Who holds each of a folder's places, and its ETag; None and None when nobody does."""
    bucket, key = places[0].bucket, places[0].key
    folder = Place(bucket, key[: key.rfind("/") + 1])
    there = run.store.found(folder, [place.key for place in places])
    held: list[tuple[str | None, str | None]] = []
    for place in places:
        held.append((None, None))
        if place.key in there:
            try:
                answer = run.store.s3.get_object(Bucket=bucket, Key=place.key)
            except ClientError as error:
                if error.response["Error"].get("Code") != "NoSuchKey":
                    raise
                continue  # given back meanwhile
            held[-1] = (json.loads(answer["Body"].read())["execution"], answer["ETag"])
    return held


def _has_ended(states: Any, execution: str) -> bool:
    """Whether an execution is over, or so long ago that Step Functions has forgotten it."""
    try:
        described = states.describe_execution(executionArn=execution)
    except ClientError as error:
        if error.response["Error"].get("Code") == "ExecutionDoesNotExist":
            return True
        raise
    return described["status"] in _ENDED
