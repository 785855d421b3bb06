"""Waiting before another attempt: full jitter, until a deadline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from botocore.exceptions import ClientError


@dataclass(frozen=True, kw_only=True)
class Retries:
    """How long and how often to try again what boto3 does not, or not for so long.

    ``deadline_seconds`` (default 120) is counted from the first attempt; 0
    never tries again. Before attempt n + 1 it waits between 0 and
    ``base_seconds * 2**n`` (default 0.2), at most ``cap_seconds`` (default 10):
    aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter, "full
    jitter". What is retried: see `is_not_ready` and `is_busy`.
    """

    deadline_seconds: float = 120.0
    base_seconds: float = 0.2
    cap_seconds: float = 10.0
    random: Random = field(default_factory=Random, compare=False, repr=False)

    def waits(self) -> Iterator[float]:
        """The seconds before the second attempt, the third, and so on, without end."""
        longest = self.base_seconds
        while True:
            longest = min(longest, self.cap_seconds)
            yield self.random.uniform(0, longest)
            longest *= 2


def is_not_ready(error: ClientError) -> bool:
    """Whether the model is being loaded: 429 by its code, and 530.

    Both are in botocore's service model (boto3 1.44.5) without its mark for retries, so boto3
    gives up at once.
    """
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    return _code(error) in ("ModelNotReadyException", "InternalDependencyException") or (
        status == 530
    )


def is_busy(error: ClientError) -> bool:
    """Whether there are too many requests for now: fewer at a time, and later, are taken.

    SageMaker's own throttling and 503 ``ServiceUnavailable``: boto3 tries them three times within
    seconds (botocore 1.44.5, ``retries/standard.py``) and then gives up. And TensorFlow Serving's
    full queue, a model's error 503 (424 to boto3, which never tries it again): the scheduler
    refuses before it takes the request, so nothing of it was done
    (``SharedBatchScheduler::Schedule``, TensorFlow 2.21,
    core/kernels/batching_util/shared_batch_scheduler.h). A handler that raises
    what TensorFlow Serving told it makes a 500 of the same text.

    Every other error of a model's, 503 included, is the model's own: what it did before it failed
    nobody knows, and a model that is broken says 503 for ever.
    """
    if _code(error) == "ModelError":
        told = str(error.response.get("OriginalMessage", error.response["Error"].get("Message")))
        status = error.response.get("OriginalStatusCode", 503)
        return status in (500, 503) and QUEUE_IS_FULL in " ".join(told.split())
    return _code(error) in _BUSY


QUEUE_IS_FULL = "The batch scheduling queue to which this task was submitted is full"
"""How TensorFlow Serving begins it, with large batches split or not (the same file)."""

_BUSY = frozenset(
    {
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "RequestThrottled",
        "RequestThrottledException",
        "RequestLimitExceeded",
        "TooManyRequestsException",
        "SlowDown",
    }
)


def _code(error: ClientError) -> str:
    return str(error.response["Error"].get("Code", ""))
