"""What a bench found."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sagemaker_serving.answers.differences import Difference


def percentile(values: Sequence[float], percent: float) -> float | None:
    """What ``percent`` of the values are at most; None without a value."""
    ordered = sorted(values)
    if not ordered:
        return None
    place = (len(ordered) - 1) * percent / 100
    below, above = ordered[math.floor(place)], ordered[math.ceil(place)]
    return below + (above - below) * (place - math.floor(place))


def milliseconds(seconds: Sequence[float]) -> dict[str, float | None]:
    """The latency for programs."""
    found = {percent: percentile(seconds, percent) for percent in (50, 90, 99)}
    return {
        # One digit more than anybody reads.
        f"p{percent}_ms": None if value is None else round(value * 1000, 4)
        for percent, value in found.items()
    }


@dataclass(frozen=True, kw_only=True)
class InputDifference:
    """The largest difference to the ``baseline`` variant's answers, and the input that shows it."""

    baseline: str
    input: str
    difference: Difference


@dataclass(frozen=True, kw_only=True)
class VariantReport:
    """One variant's figures.

    ``seconds`` are those of the requests that were answered, in the order they ended;
    ``duration_seconds`` is from the first request's start to the last one's end; ``errors``
    counts what failed by what was said. ``compared`` is how many different answers were held
    against the baseline's; ``difference`` None means that all were equal to them.
    ``own_difference`` is the same among the variant's own answers to one input.
    """

    name: str
    seconds: Sequence[float]
    duration_seconds: float
    errors: Mapping[str, int] = field(default_factory=dict)
    compared: int = 0
    difference: InputDifference | None = None
    own_difference: InputDifference | None = None

    @classmethod
    def joined(cls, name: str, parts: Sequence[VariantReport]) -> VariantReport:
        """The figures of all ``parts``, which were measured one after the other."""
        return cls(
            name=name,
            seconds=[second for each in parts for second in each.seconds],
            duration_seconds=sum(each.duration_seconds for each in parts),
            errors=sum((Counter(each.errors) for each in parts), Counter()),
        )

    @property
    def failed(self) -> int:
        """How many requests failed."""
        return sum(self.errors.values())

    @property
    def per_second(self) -> float:
        """Answered requests in a second."""
        return len(self.seconds) / self.duration_seconds if self.duration_seconds else 0.0

    def percentile(self, percent: float) -> float | None:
        """The seconds that ``percent`` of the requests took at most; None without an answer."""
        return percentile(self.seconds, percent)

    def as_dict(self) -> dict[str, Any]:
        """The figures for programs: milliseconds, and no single request."""
        return {
            "variant": self.name,
            "requests": len(self.seconds) + self.failed,
            "errors": self.failed,
            **milliseconds(self.seconds),
            "per_second": self.per_second,
            "compared": self.compared,
            "largest_difference": _difference(self.difference),
            "own_difference": _difference(self.own_difference),
            "error_messages": dict(self.errors),
        }


@dataclass(frozen=True, kw_only=True)
class BenchReport:
    """All variants of an endpoint, in the order they were measured; the first is the baseline."""

    endpoint: str
    requests: int
    concurrency: int
    variants: Sequence[VariantReport]

    def as_dict(self) -> dict[str, Any]:
        """The report for programs."""
        return {
            "endpoint": self.endpoint,
            "requests": self.requests,
            "concurrency": self.concurrency,
            "variants": [variant.as_dict() for variant in self.variants],
        }


def _difference(found: InputDifference | None) -> dict[str, Any] | None:
    """JSON has no infinity: a difference of form has no size."""
    if found is None:
        return None
    size = found.difference.size
    return {
        "baseline": found.baseline,
        "input": found.input,
        **asdict(found.difference),
        "size": None if math.isinf(size) else size,
    }
