"""The latest latencies one by one: CloudWatch has their sums here, and a sum has no percentile."""

from __future__ import annotations

import math
import re
import threading
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

LATEST = 20_000
"""How many of a metric are kept."""

METRICS = ("ModelLatency", "OverheadLatency")

_PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d+)?|100)")
_Dimensions = tuple[tuple[str, str], ...]


class Latencies:
    """Answers alarms over a percentile of `METRICS`; any number of threads may add."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, _Dimensions, str], deque[tuple[float, float]]] = {}
        self._lock = threading.Lock()

    def add(self, region: str, dimensions: _Dimensions, values: Mapping[str, float]) -> None:
        """Keep one request's values by metric, in microseconds."""
        now = time.time()
        with self._lock:
            for name, value in values.items():
                key = (region, tuple(sorted(dimensions)), name)
                self._kept.setdefault(key, deque(maxlen=LATEST)).append((now, value))

    def knows(self, alarm: Mapping[str, Any]) -> bool:
        """Whether an alarm is over a percentile that `percentile` can tell."""
        return bool(
            alarm.get("Namespace") == "AWS/SageMaker"
            and alarm.get("MetricName") in METRICS
            and _PERCENTILE.fullmatch(alarm.get("ExtendedStatistic", ""))
        )

    def percentile(
        self, region: str, alarm: Mapping[str, Any], start: float, end: float
    ) -> float | None:
        """The alarm's percentile between two times, in seconds since the epoch; None without any.

        By nearest rank.
        """
        found = _PERCENTILE.fullmatch(alarm["ExtendedStatistic"])
        assert found is not None
        given = [(each["Name"], each["Value"]) for each in alarm.get("Dimensions", [])]
        key = (region, tuple(sorted(given)), alarm["MetricName"])
        with self._lock:
            values = sorted(value for at, value in self._kept.get(key, ()) if start <= at < end)
        if not values:
            return None
        rank = math.ceil(float(found[1]) / 100 * len(values))
        return values[max(rank - 1, 0)]
