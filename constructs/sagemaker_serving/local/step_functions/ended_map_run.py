"""Map Runs of an earlier life of the local AWS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .map_run import MapRun


class EndedMapRun:
    """A Map Run that is no more than what it was described as."""

    def __init__(self, described: Mapping[str, Any]) -> None:
        self.arn: str = described["mapRunArn"]
        self.machine_arn: str = described["stateMachineArn"]
        self._described = {
            key: value for key, value in described.items() if key != "stateMachineArn"
        }

    def describe(self) -> dict[str, Any]:
        """DescribeMapRun's answer."""
        return dict(self._described)

    def list_item(self) -> dict[str, Any]:
        """The run among others, as ListMapRuns has it."""
        shown = ("executionArn", "mapRunArn", "startDate", "stopDate")
        kept = {key: self._described[key] for key in shown if key in self._described}
        return {**kept, "stateMachineArn": self.machine_arn}

    def update(self, *_: Any) -> None:
        """Nothing changes any more."""

    def stop(self) -> None:
        """It has ended already."""


AnyMapRun = MapRun | EndedMapRun
"""One that runs or has run in this life, or one of an earlier."""
