"""Of two executions that write to the same output, one only runs: the one that holds its lock."""

from __future__ import annotations

import json
from typing import Any

from botocore.exceptions import ClientError

from .errors import Refused
from .run import Run
from .store import Place, compact

_ENDED = ("SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED")


def acquire(run: Run, states: Any) -> None:
    """Take the output's lock, from an execution that has ended too.

    Raises `Refused` while another one runs. To take it twice is to take it once.
    """
    place = _place(run)
    mine = compact({"execution": run.execution}).encode()
    if run.store.write_if(place, mine, etag=None):
        return
    holder, etag = _held(run, place)
    if holder == run.execution:
        return
    if holder is not None and not _has_ended(states, holder):
        raise Refused(
            [
                f"{holder} is writing to {run.output} at this moment; wait for its end, or write "
                "elsewhere"
            ]
        )
    if not run.store.write_if(place, mine, etag=etag):
        raise Refused([f"another execution has begun to write to {run.output} at this moment"])


def release(run: Run) -> None:
    """Give the lock back, unless another execution has taken it."""
    place = _place(run)
    if _held(run, place)[0] == run.execution:
        run.store.delete(place)


def _place(run: Run) -> Place:
    return run.reports_place / "lock.json"


def _held(run: Run, place: Place) -> tuple[str | None, str | None]:
    """Who holds the lock, and its ETag; None and None when nobody does any more."""
    folder = Place(place.bucket, place.key[: place.key.rfind("/") + 1])
    if not run.store.found(folder, [place.key]):
        return None, None
    answer = run.store.s3.get_object(Bucket=place.bucket, Key=place.key)
    return str(json.loads(answer["Body"].read())["execution"]), answer["ETag"]


def _has_ended(states: Any, execution: str) -> bool:
    """Whether an execution is over, or so long ago that Step Functions has forgotten it."""
    try:
        described = states.describe_execution(executionArn=execution)
    except ClientError as error:
        if error.response["Error"].get("Code") == "ExecutionDoesNotExist":
            return True
        raise
    return described["status"] in _ENDED
