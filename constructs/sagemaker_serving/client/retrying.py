"""Waiting before another attempt: full jitter, until a deadline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random


@dataclass(frozen=True, kw_only=True)
class Retries:
    """How long and how often to try again what boto3 does not.

    ``deadline_seconds`` (default 120) is counted from the first attempt; 0
    never tries again. Before attempt n + 1 it waits between 0 and
    ``base_seconds * 2**n`` (default 0.2), at most ``cap_seconds`` (default 10):
    aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter, "full
    jitter", read 2026-11-21. What is retried: see `RETRIED`.
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


RETRIED = frozenset({"ModelNotReadyException", "InternalDependencyException"})
"""By their codes: 429, a serverless or multi-model endpoint that is loading the model, and 530.
Both are in botocore's service model (boto3 1.44.5) without its mark for retries, so boto3 gives
up at once; throttling, 500, 502, 503 and 504 it retries itself. A model's own error, 424, is
never retried: the model would fail again, and it may have done half of its work."""
