"""Percentiles that CloudWatch does not have here: of what is put as sums, others know them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Percentiles(Protocol):
    """Knows percentiles of its own metrics; added to `LocalContext.percentiles`."""

    def knows(self, alarm: Mapping[str, Any]) -> bool:
        """Whether an alarm, as DescribeAlarms answers it, is over one of them."""

    def percentile(
        self, region: str, alarm: Mapping[str, Any], start: float, end: float
    ) -> float | None:
        """The alarm's percentile between two times, in seconds since the epoch; None where there
        is no datapoint."""
