"""Target tracking and step scaling: the alarms that they watch, and what those ask for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

IN_SHARE = 0.9
DEFAULT_COOLDOWN_SECONDS = 300
"""Target tracking scales in under 90 % of its target (Application Auto Scaling user guide, "Target
tracking scaling policies", and the alarms that it makes; the cooldown of SageMaker's variants: API
reference, TargetTrackingScalingPolicyConfiguration)."""


@dataclass(frozen=True, kw_only=True)
class TargetTracking:
    """Keeps a metric at a target."""

    name: str
    target: float
    out_cooldown_seconds: float = DEFAULT_COOLDOWN_SECONDS
    in_cooldown_seconds: float = DEFAULT_COOLDOWN_SECONDS
    scales_in: bool = True

    @classmethod
    def of(cls, policy: Mapping[str, Any]) -> TargetTracking:
        """Read a policy of DescribeScalingPolicies."""
        config = policy["TargetTrackingScalingPolicyConfiguration"]
        return cls(
            name=policy["PolicyName"],
            target=config["TargetValue"],
            out_cooldown_seconds=config.get("ScaleOutCooldown", DEFAULT_COOLDOWN_SECONDS),
            in_cooldown_seconds=config.get("ScaleInCooldown", DEFAULT_COOLDOWN_SECONDS),
            scales_in=not config.get("DisableScaleIn", False),
        )

    @property
    def low(self) -> float:
        """Below which it scales in."""
        return IN_SHARE * self.target

    def scaled(self, value: float, capacity: int, *, is_out: bool) -> int | None:
        """The capacity that its alarm for scaling out, or in, asks for; None for no change.

        Nothing, where there is no capacity that ``value`` could be of.
        """
        needed = math.ceil(capacity * value / self.target)
        if is_out:
            return needed if needed > capacity else None
        return needed if self.scales_in and needed < capacity else None


@dataclass(frozen=True, kw_only=True)
class StepScaling:
    """Adds or takes by how far an alarm's metric is from its threshold.

    ``threshold`` is its alarm's.
    """

    name: str
    threshold: float
    adjustment_type: str
    steps: Sequence[Mapping[str, Any]]
    least_adjustment: int = 1
    cooldown_seconds: float = DEFAULT_COOLDOWN_SECONDS

    @classmethod
    def of(cls, policy: Mapping[str, Any], threshold: float) -> StepScaling:
        """Read a policy of DescribeScalingPolicies."""
        config = policy["StepScalingPolicyConfiguration"]
        return cls(
            name=policy["PolicyName"],
            threshold=threshold,
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

    def scaled(self, value: float, capacity: int) -> int | None:
        """The capacity that it asks for while its alarm is on; None for no change."""
        wanted = self._adjusted(capacity, value - self.threshold)
        return None if wanted == capacity else wanted

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
