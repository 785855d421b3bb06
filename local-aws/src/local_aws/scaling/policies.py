"""Target tracking and step scaling: the alarms that they watch, and what those ask for."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Metric = Callable[[int, int], float | None]
"""A metric's value of a minute (from 0) at a capacity; None where there is no datapoint."""


def unasked(minute: int, capacity: int) -> None:
    """The metric of a policy that is told of its metric by alarms."""


OUT_MINUTES = 3
IN_MINUTES = 15
IN_SHARE = 0.9
DEFAULT_COOLDOWN_SECONDS = 300
"""Target tracking's alarms: over the target for 3 minutes, under 90 % of it for 15 (Application
Auto Scaling user guide, "Target tracking scaling policies", and the alarms that it makes; the
cooldown of SageMaker's variants: API reference, TargetTrackingScalingPolicyConfiguration)."""


@dataclass(frozen=True, kw_only=True)
class Wish:
    """The capacity that a policy asks for now; the change may begin one of its cooldowns."""

    capacity: int
    because: str


@dataclass(frozen=True, kw_only=True)
class TargetTracking:
    """Keeps a metric at a target. Metrics of 10 s are taken by the minute here."""

    name: str
    metric: Metric = unasked
    target: float
    out_cooldown_seconds: float = DEFAULT_COOLDOWN_SECONDS
    in_cooldown_seconds: float = DEFAULT_COOLDOWN_SECONDS
    scales_in: bool = True

    @classmethod
    def of(cls, policy: Mapping[str, Any], metric: Metric = unasked) -> TargetTracking:
        """Read a policy of DescribeScalingPolicies; ``metric`` is what it tracks."""
        config = policy["TargetTrackingScalingPolicyConfiguration"]
        return cls(
            name=policy["PolicyName"],
            metric=metric,
            target=config["TargetValue"],
            out_cooldown_seconds=config.get("ScaleOutCooldown", DEFAULT_COOLDOWN_SECONDS),
            in_cooldown_seconds=config.get("ScaleInCooldown", DEFAULT_COOLDOWN_SECONDS),
            scales_in=not config.get("DisableScaleIn", False),
        )

    def wish(self, seen: Sequence[float | None], capacity: int) -> Wish | None:
        """What the datapoints so far, the newest last, call for; None for no change.

        Missing datapoints breach nothing: a metric that is not sent never
        scales in, nor out.
        """
        latest = seen[-1] if seen else None
        if latest is None:
            return None
        if _all_of(seen, OUT_MINUTES, lambda value: value > self.target):
            return self.scaled(latest, capacity, is_out=True)
        if _all_of(seen, IN_MINUTES, lambda value: value < self.low):
            return self.scaled(latest, capacity, is_out=False)
        return None

    @property
    def low(self) -> float:
        """Below which it scales in."""
        return IN_SHARE * self.target

    def scaled(self, value: float, capacity: int, *, is_out: bool) -> Wish | None:
        """What its alarm for scaling out, or in, asks for; None for no change.

        Nothing, where there is no capacity that ``value`` could be of.
        """
        needed = math.ceil(capacity * value / self.target)
        if is_out and needed > capacity:
            return Wish(capacity=needed, because=f"{self.name}: {value:g} is above {self.target:g}")
        if not is_out and self.scales_in and needed < capacity:
            return Wish(capacity=needed, because=f"{self.name}: {value:g} is below {self.low:g}")
        return None


_COMPARE = {
    "GreaterThanOrEqualToThreshold": operator.ge,
    "GreaterThanThreshold": operator.gt,
    "LessThanThreshold": operator.lt,
    "LessThanOrEqualToThreshold": operator.le,
}


@dataclass(frozen=True, kw_only=True)
class StepScaling:
    """Adds or takes by how far an alarm's metric is from its threshold.

    ``alarm`` is the alarm as DescribeAlarms has it, of which `scaled` needs the threshold alone;
    its period is whole minutes.
    """

    name: str
    metric: Metric = unasked
    alarm: Mapping[str, Any]
    adjustment_type: str
    steps: Sequence[Mapping[str, Any]]
    least_adjustment: int = 1
    cooldown_seconds: float = DEFAULT_COOLDOWN_SECONDS

    @classmethod
    def of(
        cls, policy: Mapping[str, Any], alarm: Mapping[str, Any], metric: Metric = unasked
    ) -> StepScaling:
        """Read a policy of DescribeScalingPolicies and the alarm that calls it."""
        config = policy["StepScalingPolicyConfiguration"]
        return cls(
            name=policy["PolicyName"],
            metric=metric,
            alarm=alarm,
            adjustment_type=config["AdjustmentType"],
            steps=config["StepAdjustments"],
            least_adjustment=config.get("MinAdjustmentMagnitude", 1),
            cooldown_seconds=config.get("Cooldown", DEFAULT_COOLDOWN_SECONDS),
        )

    @property
    def out_cooldown_seconds(self) -> float:
        """One cooldown for both ways."""
        return self.cooldown_seconds

    @property
    def in_cooldown_seconds(self) -> float:
        """One cooldown for both ways."""
        return self.cooldown_seconds

    def wish(self, seen: Sequence[float | None], capacity: int) -> Wish | None:
        """What the datapoints so far, the newest last, call for; None while the alarm is not on."""
        periods: int = self.alarm["EvaluationPeriods"]
        needed: int = self.alarm.get("DatapointsToAlarm") or periods
        minutes = max(round(self.alarm["Period"] / 60), 1)
        values = [value for value in seen[-periods * minutes :: minutes] if value is not None]
        breaches = _COMPARE[self.alarm["ComparisonOperator"]]
        threshold: float = self.alarm["Threshold"]
        breaching = [value for value in values if breaches(value, threshold)]
        if len(breaching) < needed:
            return None
        return self.scaled(breaching[-1], capacity)

    def scaled(self, value: float, capacity: int) -> Wish | None:
        """What it asks for while its alarm is on; None for no change."""
        threshold: float = self.alarm["Threshold"]
        wanted = self._adjusted(capacity, value - threshold)
        if wanted is None or wanted == capacity:
            return None
        return Wish(capacity=wanted, because=f"{self.name}: {value:g} against {threshold:g}")

    def _adjusted(self, capacity: int, difference: float) -> int | None:
        for step in self.steps:
            low = step.get("MetricIntervalLowerBound", -math.inf)
            high = step.get("MetricIntervalUpperBound", math.inf)
            # The bound nearer to the threshold belongs to the step (API reference, StepAdjustment).
            inside = low <= difference < high if difference >= 0 else low < difference <= high
            if inside:
                return self._by(capacity, step["ScalingAdjustment"])
        return None

    def _by(self, capacity: int, adjustment: int) -> int:
        match self.adjustment_type:
            case "ExactCapacity":
                return adjustment
            case "PercentChangeInCapacity":
                change = math.trunc(capacity * adjustment / 100)
                least = max(self.least_adjustment, 1)
                if abs(change) < least:
                    change = least if adjustment > 0 else -least
                return capacity + change
            case _:
                return capacity + adjustment


def _all_of(seen: Sequence[float | None], minutes: int, breaches: Callable[[float], bool]) -> bool:
    """Whether every one of the last ``minutes`` datapoints is there and breaches."""
    last = seen[-minutes:]
    return len(last) == minutes and all(value is not None and breaches(value) for value in last)
