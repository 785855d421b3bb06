"""What a metric alarm's datapoints call for: its state, and why."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

Alarm = Mapping[str, Any]
"""A metric alarm as DescribeAlarms answers it."""

_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "GreaterThanOrEqualToThreshold": operator.ge,
    "GreaterThanThreshold": operator.gt,
    "LessThanThreshold": operator.lt,
    "LessThanOrEqualToThreshold": operator.le,
}


def has_fixed_threshold(alarm: Alarm) -> bool:
    """Whether the alarm holds one metric against a number: no metric math, no band of anomaly
    detection."""
    return bool(
        alarm.get("MetricName")
        and alarm.get("Threshold") is not None
        and alarm["ComparisonOperator"] in _COMPARE
    )


def judge(alarm: Alarm, values: Sequence[float | None]) -> str | None:
    """The state that ``values`` call for, or None to leave the alarm as it is.

    ``values`` are those of the last EvaluationPeriods periods, None where
    there is no datapoint. Missing ones count as TreatMissingData says
    (CloudWatch user guide, "Configuring how CloudWatch alarms treat missing
    data"); that AWS looks at a few older datapoints, too, is
    not followed.
    """
    treat = alarm.get("TreatMissingData") or "missing"
    present = [value for value in values if value is not None]
    if not present and treat in ("missing", "ignore"):
        return "INSUFFICIENT_DATA" if treat == "missing" else None
    is_breach = _COMPARE[alarm["ComparisonOperator"]]
    breaching = sum(is_breach(value, alarm["Threshold"]) for value in present)
    missing = len(values) - len(present)
    needed: int = alarm.get("DatapointsToAlarm") or alarm["EvaluationPeriods"]
    if breaching + (missing if treat == "breaching" else 0) >= needed:
        return "ALARM"
    could_still = treat in ("missing", "ignore") and breaching == len(present) < needed
    return None if could_still else "OK"


def reason(values: Sequence[float | None]) -> str:
    """Why, for people; ``values`` are the last datapoints, the newest first."""
    shown = ", ".join("no data" if value is None else f"{value:g}" for value in values)
    return f"the last datapoints, newest first: {shown}"


def reason_data(alarm: Alarm, values: Sequence[float | None], now: float) -> str:
    """Why, for programs, as StateReasonData has it; ``values`` are the newest first.

    (CloudWatch user guide, "Alarm events and EventBridge".)
    """
    return json.dumps(
        {
            "version": "1.0",
            "queryDate": datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%S.000+0000"),
            "statistic": alarm.get("Statistic") or alarm.get("ExtendedStatistic"),
            "period": alarm["Period"],
            "recentDatapoints": [value for value in reversed(values) if value is not None],
            "threshold": alarm["Threshold"],
        }
    )
