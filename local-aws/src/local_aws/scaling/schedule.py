"""Scheduled actions: new bounds when their schedule comes to pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from local_aws.schedules import SCALING, Schedule


@dataclass(frozen=True, kw_only=True)
class ScheduledAction:
    """New bounds at a time; None leaves one as it is."""

    name: str
    schedule: Schedule
    minimum: int | None
    maximum: int | None

    @classmethod
    def of(cls, action: Mapping[str, Any]) -> ScheduledAction:
        """Read an action of DescribeScheduledActions."""
        from zoneinfo import ZoneInfo  # reads how Python was built, which takes a while

        bounds = action["ScalableTargetAction"]
        return cls(
            name=action["ScheduledActionName"],
            schedule=Schedule(action["Schedule"], SCALING, ZoneInfo(action.get("Timezone", "UTC"))),
            minimum=bounds.get("MinCapacity"),
            maximum=bounds.get("MaxCapacity"),
        )
