"""What a replay found."""

from __future__ import annotations

import heapq
import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sagemaker_serving.answers.differences import Difference
from sagemaker_serving.operations.bench.report import milliseconds
from sagemaker_serving.operations.traffic import PassedOver

MARGIN = 2.0
"""A difference is noise up to so many times the largest that was measured: of a few requests, the
largest is not the largest of all."""

_INDEX = re.compile(r"\[\d+\]")


@dataclass
class Noise:
    """Where a model's answers differ among themselves, and by how much.

    Places are paths without their first index, which is the example's: what differs in one
    example may differ in any. Numbers that differ share the largest distance among their like (the
    path without any index). What is no number, such as an identifier, is passed over at its place.
    """

    requests: int = 0
    unsteady: set[str] = field(default_factory=set)
    largest: dict[str, float] = field(default_factory=dict)
    ignored: set[str] = field(default_factory=set)

    def add(self, found: Iterable[Difference], tolerance: float) -> None:
        """Take in the differences of two answers to one request."""
        self.requests += 1
        for one in found:
            if one.distance <= tolerance:
                continue
            place, kind = _place(one.path), _kind(one.path)
            if math.isinf(one.distance):
                self.ignored.add(place)
            else:
                self.unsteady.add(place)
                self.largest[kind] = max(one.distance, self.largest.get(kind, 0.0))

    def explains(self, one: Difference) -> bool:
        """Whether the model differs from itself as much, at this place."""
        place = _place(one.path)
        if any(f"{place}.".startswith((f"{each}.", f"{each}[")) for each in self.ignored):
            return True
        return place in self.unsteady and one.distance <= MARGIN * self.largest[_kind(one.path)]

    def sizes(self) -> dict[str, float]:
        """The places where numbers differed, and the largest distance there."""
        return {place: self.largest[_kind(place)] for place in sorted(self.unsteady)}

    def as_dict(self) -> Mapping[str, object]:
        """For programs: how many requests were asked twice, and the places that differed."""
        return {
            "requests": self.requests,
            "largest": self.sizes(),
            "passed_over": sorted(self.ignored),
        }


def _place(path: str) -> str:
    return _INDEX.sub("[]", path, count=1)


def _kind(path: str) -> str:
    return _INDEX.sub("[]", path)


OUTCOMES = ("equal", "within tolerance", "within noise", "different", "failed")

SHOWN_BYTES = 2000
"""How much of a request and of an answer a report keeps."""

SHOWN_DIFFERENCES = 5


@dataclass(frozen=True, kw_only=True)
class Different:
    """A request whose answer is another; ``size`` is the largest distance, or infinite.

    ``differences`` are told with their places, the worst first. Bodies are cut at `SHOWN_BYTES`.
    """

    size: float
    number: int
    where: str
    event_id: str
    at: str
    content_type: str
    request: str
    expected: str
    came: str
    differences: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """JSON has no infinity: a difference of form has no size."""
        return {**vars(self), "size": None if math.isinf(self.size) else self.size}


@dataclass
class Side:
    """One who was asked: the seconds of every answer that came."""

    name: str
    seconds: array[float] = field(default_factory=lambda: array("d"))

    def as_dict(self) -> dict[str, Any]:
        """The latency in milliseconds."""
        return {"name": self.name, **milliseconds(self.seconds)}


@dataclass
class ReplayReport:
    """Counts, latencies and the worst requests.

    ``compared_with`` is "the captured answers", or the baseline's name; ``counts`` has each of
    `OUTCOMES`. ``passed_over`` are lines that are no events, ``not_replayed`` events that cannot
    be sent or compared. ``worst`` holds at most ``kept`` of those that are different or failed.
    """

    capture: str
    candidate: Side
    compared_with: str
    passed_over: PassedOver
    tolerance: float
    kept: int
    baseline: Side | None = None
    events: int = 0
    seconds: float = 0.0
    late_seconds: float = 0.0
    noise: Noise = field(default_factory=Noise)
    counts: Counter[str] = field(default_factory=Counter)
    not_replayed: PassedOver = field(default_factory=PassedOver)
    failures: Counter[str] = field(default_factory=Counter)
    _worst: list[tuple[float, int, Different]] = field(default_factory=list)

    @property
    def replayed(self) -> int:
        """How many requests were sent and judged."""
        return self.counts.total()

    @property
    def different_percent(self) -> float:
        """The share of requests that are different or failed; 0 where none was sent."""
        bad = self.counts["different"] + self.counts["failed"]
        return 100 * bad / self.replayed if self.replayed else 0.0

    @property
    def worst(self) -> Sequence[Different]:
        """The worst first: failures and other forms, then by how far numbers are apart."""
        return [one for *_, one in sorted(self._worst, key=lambda each: each[:2], reverse=True)]

    def keep(self, one: Different) -> None:
        """Keep it where it is among the worst; of equal ones the earlier is."""
        entry = (one.size, -one.number, one)
        if len(self._worst) < self.kept:
            heapq.heappush(self._worst, entry)
        elif self._worst and entry[:2] > self._worst[0][:2]:
            heapq.heapreplace(self._worst, entry)

    def as_dict(self) -> Mapping[str, Any]:
        """The report for programs."""
        return {
            "capture": self.capture,
            "compared_with": self.compared_with,
            "events": self.events,
            "replayed": self.replayed,
            **{name.replace(" ", "_"): self.counts[name] for name in OUTCOMES},
            "different_percent": self.different_percent,
            "max_difference": self.tolerance,
            "seconds": round(self.seconds, 3),
            "late_seconds": round(self.late_seconds, 3),
            "candidate": self.candidate.as_dict(),
            "baseline": None if self.baseline is None else self.baseline.as_dict(),
            "noise": self.noise.as_dict(),
            "failures": dict(self.failures.most_common()),
            "not_replayed": _passed(self.not_replayed),
            "no_events": _passed(self.passed_over),
            "worst": [one.as_dict() for one in self.worst],
        }


def excerpt(body: bytes) -> str:
    """The beginning of a body, in base64 where it is no text."""
    import base64

    part = body[:SHOWN_BYTES]
    more = f" … ({len(body)} bytes)" if len(body) > len(part) else ""
    try:
        return part.decode("utf-8", "ignore" if more else "strict") + more
    except UnicodeDecodeError:
        return f"base64: {base64.b64encode(part).decode()}{more}"


def _passed(found: PassedOver) -> list[dict[str, Any]]:
    return [
        {"reason": reason, "lines": count, "first": found.places[reason]}
        for reason, count in found.counts.most_common()
    ]
