"""What a job's failure means, and how long to wait before the next.

Step Functions names few of SageMaker's refusals (throttling and a missing permission are both
``SageMaker.AmazonSageMakerException``), and a job that failed is ``States.TaskFailed``
with the job's description as its cause: so the causes are read.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sagemaker_serving.functions.custom_resource.refusals import PATIENCE_SECONDS, is_told_in


class Kind(StrEnum):
    """Why a job has not transformed all of its inputs."""

    THROTTLING = "throttling"
    """SageMaker, or Step Functions on its behalf, asked too often."""
    CAPACITY = "capacity"
    """AWS has no such instances at the moment, or the account's quota is in use."""
    INTERNAL = "internal"
    """SageMaker failed, or the model's container never answered its health check."""
    DATA = "data"
    """Objects, or records in them, that the model or SageMaker refused."""
    DENIED = "denied"
    """A request that is not allowed to the machine, or to the model's role: not yet, perhaps."""
    REFUSED = "refused"
    """A request that is wrong: it will be so the next time."""
    STOPPED = "stopped"
    """Somebody stopped the job."""


DENIED_TRIES = 5
DENIED_SECONDS = round(PATIENCE_SECONDS / DENIED_TRIES)
"""How often what is denied is tried again, and after how long each time."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A kind, and the reason in AWS's words."""

    kind: Kind
    reason: str


_REFUSALS = (
    (Kind.THROTTLING, ("Throttl", "TooManyRequests", "Rate exceeded", "RequestLimitExceeded")),
    (Kind.CAPACITY, ("ResourceLimitExceeded", "LimitExceeded", "CapacityError")),
    (
        Kind.INTERNAL,
        (
            *("InternalServer", "InternalFailure", "ServiceUnavailable", "SdkClientException"),
            *("ResourceInUse", "Status Code: 500", "Status Code: 503", "States.Timeout"),
        ),
    ),
)
"""Words of a refused CreateTransformJob, but for those of `refusals`. A name in use is that of a
job whose creation was answered too late: the next has another name, and writes the same outputs."""

_FAILURE_REASONS = (
    (Kind.CAPACITY, ("CapacityError", "InsufficientInstanceCapacity")),
    (Kind.INTERNAL, ("InternalServerError", "We encountered an internal error")),
    (Kind.DATA, ("See job logs",)),
    (Kind.INTERNAL, ("AlgorithmError",)),
)
"""What a failed job's FailureReason begins with or holds, in the order of judgement. Where
objects failed it says no more than to see the logs (github.com/aws/deep-learning-containers
issue 586); any other AlgorithmError is a container that did not start."""


def failure_of(error: Mapping[str, Any] | None) -> Failure | None:
    """The failure that a state caught, ``{"Error": …, "Cause": …}``; None when there was none."""
    if error is None:
        return None
    name, cause = str(error.get("Error", "")), str(error.get("Cause", ""))
    job = _job(cause)
    if job is None:
        kind = _kind(f"{name} {cause}", _REFUSALS)
        if kind is Kind.REFUSED and is_told_in(f"{name} {cause}"):
            kind = Kind.DENIED
        return Failure(kind=kind, reason=f"{name}: {cause}")
    reason = str(job.get("FailureReason", job["TransformJobStatus"]))
    if job["TransformJobStatus"] in ("Stopped", "Stopping"):
        return Failure(kind=Kind.STOPPED, reason=f"{job.get('TransformJobName')} was stopped")
    return Failure(kind=_kind(reason, _FAILURE_REASONS), reason=reason)


def wait_seconds(
    retry: Mapping[str, Any], used: int, waited: int, chance: random.Random
) -> int | None:
    """How long to wait before another try: full jitter; None when the budget is used up.

    ``retry`` has ASL's own fields in snake_case, and ``max_wait_seconds``; ``used`` is how often
    it was retried before, ``waited`` for how long in all.
    """
    most = retry.get("max_wait_seconds")
    if used >= retry["max_attempts"] or (most is not None and waited >= most):
        return None
    try:
        grown = retry["interval_seconds"] * float(retry["backoff_rate"]) ** used
    except OverflowError:
        grown = math.inf
    return round(chance.uniform(0, min(retry["max_delay_seconds"], grown)))


def is_over_quota(reason: str) -> bool:
    """Whether one job asks for more than the whole quota, so that waiting for others is no use.

    In the words of data-science-on-aws/data-science-on-aws#200 and #140.
    """
    said = re.search(r"is ([0-9]+) Instances, .* request delta of ([0-9]+) Instances", reason)
    return said is not None and int(said[2]) > int(said[1])


def _kind(text: str, table: tuple[tuple[Kind, tuple[str, ...]], ...]) -> Kind:
    for kind, words in table:
        if any(word in text for word in words):
            return kind
    return Kind.REFUSED


def _job(cause: str) -> dict[str, Any] | None:
    """The description of a job that failed, as the cause has it."""
    try:
        job = json.loads(cause)
    except ValueError:
        return None
    return job if isinstance(job, dict) and "TransformJobStatus" in job else None
