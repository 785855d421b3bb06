"""What came of the requests: by the minute in which they arrived, and by the quarter-hour."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from local_aws.scaling import Change

QUARTER_MINUTES = 15


@dataclass(kw_only=True, slots=True)
class Minute:
    """The requests that arrived in a minute, and the fleet in it.

    ``seconds`` are those of the answered ones. ``instances`` took requests at the end of it,
    ``paid`` counts those that start or drain, too; ``most_at_once`` is the most requests that an
    instance had, on average over the fleet.
    """

    arrived: int = 0
    refused: int = 0
    timed_out: int = 0
    seconds: array[float] = field(default_factory=lambda: array("f"))
    instances: int = 0
    paid: int = 0
    most_at_once: float = 0.0

    @property
    def p99(self) -> float | None:
        """In seconds; None without an answer."""
        return percentile(sorted(self.seconds), 99)


@dataclass(frozen=True, kw_only=True)
class Quarter:
    """A quarter-hour from ``start`` on; percentiles are in seconds, None without an answer."""

    start: datetime
    arrived: int
    refused: int
    timed_out: int
    p50: float | None
    p90: float | None
    p99: float | None
    fewest_instances: int
    most_instances: int


@dataclass(frozen=True, kw_only=True)
class Beginning:
    """The first minute of something that a fleet too small shows, and how many minutes had it."""

    what: str
    at: datetime
    minutes: int


@dataclass(frozen=True, kw_only=True)
class SimulationReport:
    """What a simulation found.

    ``assumptions`` are sentences: what was taken to be so, and not measured. ``instance_hours``
    count each instance from the moment it is asked for until its last request is answered.
    ``mean_outstanding`` is the mean number of requests that waited or were worked on.
    ``price`` is of one instance for an hour, None where it is not known.
    """

    title: str
    start: datetime
    minutes: Sequence[Minute]
    changes: Sequence[Change]
    assumptions: Sequence[str]
    instance_hours: float
    mean_outstanding: float
    instance_type: str
    goal_seconds: float | None = None
    price: float | None = None
    currency: str = "USD"

    @property
    def arrived(self) -> int:
        """Every request."""
        return sum(minute.arrived for minute in self.minutes)

    @property
    def refused(self) -> int:
        """Those that the servers had no room for."""
        return sum(minute.refused for minute in self.minutes)

    @property
    def timed_out(self) -> int:
        """Those that no answer came to in time."""
        return sum(minute.timed_out for minute in self.minutes)

    @property
    def answered(self) -> int:
        """Those that were answered in time."""
        return sum(len(minute.seconds) for minute in self.minutes)

    @property
    def cost(self) -> float | None:
        """Of the instance-hours; None where no price is known."""
        return None if self.price is None else self.price * self.instance_hours

    def percentile(self, percent: float) -> float | None:
        """In seconds, of all that were answered; None when none was."""
        return percentile(sorted(self._seconds(self.minutes)), percent)

    @property
    def mean_seconds(self) -> float | None:
        """Of all that were answered; None when none was."""
        return sum(self._seconds(self.minutes)) / self.answered if self.answered else None

    @property
    def quarters(self) -> list[Quarter]:
        """Every quarter-hour, the last one perhaps shorter."""
        starts = range(0, len(self.minutes), QUARTER_MINUTES)
        return [self._quarter(start) for start in starts]

    @property
    def beginnings(self) -> list[Beginning]:
        """Since when the fleet was too small, and in what way; empty where it was not."""
        goal = self.goal_seconds

        def late(minute: Minute) -> bool:
            return goal is not None and minute.p99 is not None and minute.p99 > goal

        found = [
            self._beginning("requests were refused", lambda minute: minute.refused > 0),
            self._beginning("requests timed out", lambda minute: minute.timed_out > 0),
        ]
        if goal is not None:
            found.append(self._beginning(f"p99 was over {goal * 1000:g} ms", late))
        return [each for each in found if each is not None]

    def as_dict(self) -> dict[str, Any]:
        """For programs: times in milliseconds and in UTC."""
        return {
            "title": self.title,
            "start": self.start.isoformat(),
            "assumptions": list(self.assumptions),
            "arrived": self.arrived,
            "answered": self.answered,
            "refused": self.refused,
            "timed_out": self.timed_out,
            **{f"p{each}_ms": _ms(self.percentile(each)) for each in (50, 90, 99)},
            "mean_outstanding": self.mean_outstanding,
            "instance_type": self.instance_type,
            "instance_hours": self.instance_hours,
            "cost": self.cost,
            "currency": None if self.price is None else self.currency,
            "too_small": [
                {"what": each.what, "at": each.at.isoformat(), "minutes": each.minutes}
                for each in self.beginnings
            ],
            "changes": [
                {
                    "at": self.at(each.minute).isoformat(),
                    "before": each.before,
                    "after": each.after,
                    "because": each.because,
                }
                for each in self.changes
            ],
            "quarters": [
                {
                    "start": each.start.isoformat(),
                    "arrived": each.arrived,
                    "refused": each.refused,
                    "timed_out": each.timed_out,
                    "p50_ms": _ms(each.p50),
                    "p90_ms": _ms(each.p90),
                    "p99_ms": _ms(each.p99),
                    "fewest_instances": each.fewest_instances,
                    "most_instances": each.most_instances,
                }
                for each in self.quarters
            ],
        }

    def at(self, minute: int) -> datetime:
        """When a minute begins."""
        return self.start + timedelta(minutes=minute)

    def _quarter(self, start: int) -> Quarter:
        minutes = self.minutes[start : start + QUARTER_MINUTES]
        seconds = sorted(self._seconds(minutes))
        return Quarter(
            start=self.at(start),
            arrived=sum(minute.arrived for minute in minutes),
            refused=sum(minute.refused for minute in minutes),
            timed_out=sum(minute.timed_out for minute in minutes),
            p50=percentile(seconds, 50),
            p90=percentile(seconds, 90),
            p99=percentile(seconds, 99),
            fewest_instances=min(minute.instances for minute in minutes),
            most_instances=max(minute.instances for minute in minutes),
        )

    def _beginning(self, what: str, shows: Callable[[Minute], bool]) -> Beginning | None:
        found = [number for number, minute in enumerate(self.minutes) if shows(minute)]
        if not found:
            return None
        return Beginning(what=what, at=self.at(found[0]), minutes=len(found))

    @staticmethod
    def _seconds(minutes: Iterable[Minute]) -> Iterable[float]:
        return (seconds for minute in minutes for seconds in minute.seconds)


def percentile(ordered: Sequence[float], percent: float) -> float | None:
    """As `bench` counts it; None of nothing."""
    if not ordered:
        return None
    place = (len(ordered) - 1) * percent / 100
    below, above = ordered[math.floor(place)], ordered[math.ceil(place)]
    return below + (above - below) * (place - math.floor(place))


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1000
