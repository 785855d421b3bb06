"""What Application Auto Scaling remembers, region by region, as its API describes it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

Record = dict[str, Any]
"""One thing as Describe answers it: plain JSON values, times in seconds since the epoch."""

MOST_ACTIVITIES = 1000
"""How many of a region's activities are kept; on AWS those of six weeks are (user guide, "Scaling
activities")."""

Target = tuple[str, str, str]
"""What scales: service namespace, resource id, scalable dimension."""


@dataclass
class Region:
    """Everything of one region: targets by `key_of`; what belongs to one, by its key and name."""

    targets: dict[str, Record] = field(default_factory=dict)
    policies: dict[str, Record] = field(default_factory=dict)
    scheduled: dict[str, Record] = field(default_factory=dict)
    tags: dict[str, dict[str, str]] = field(default_factory=dict)
    """By the target's ARN."""
    cooldowns: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Until when nothing scales out, and in, by the target's key; seconds since the epoch."""
    activities: list[Record] = field(default_factory=list)
    """The newest first."""


class Store:
    """The regions, each made when it is first asked for; hold ``lock`` while changing things."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._regions: dict[str, Region] = {}

    def region(self, name: str) -> Region:
        """The region of that name."""
        with self.lock:
            return self._regions.setdefault(name, Region())

    def regions(self) -> dict[str, Region]:
        """Every region that was ever asked for, by name."""
        with self.lock:
            return dict(self._regions)

    def export_state(self) -> Any:
        """All of it, as JSON has it."""
        with self.lock:
            return {name: asdict(region) for name, region in self._regions.items()}

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Hold what `export_state` gave; activities that were under way were cut off."""
        with self.lock:
            self._regions = {name: Region(**kept) for name, kept in state.items()}
            for region in self._regions.values():
                for activity in region.activities:
                    if activity["StatusCode"] == "InProgress":
                        activity["StatusCode"] = "Failed"
                        activity["StatusMessage"] = "The local AWS was stopped meanwhile."


def target_of(parameters: Mapping[str, Any]) -> Target:
    """What the parameters of a call, or a record, name."""
    return (
        parameters["ServiceNamespace"],
        parameters["ResourceId"],
        parameters["ScalableDimension"],
    )


def key_of(parameters: Mapping[str, Any], *names: str) -> str:
    """The key of a target, or of what is named ``names`` of it."""
    return "\t".join((*target_of(parameters), *names))
