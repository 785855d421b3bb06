"""CloudWatch alarms change their state: the emulator keeps them and never looks at a metric."""

from __future__ import annotations

import logging
import math
import operator
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError

Alarm = Mapping[str, Any]
"""A metric alarm as DescribeAlarms answers it."""


class Percentiles(Protocol):
    """Knows percentiles that CloudWatch does not have here."""

    def knows(self, alarm: Alarm) -> bool:
        """Whether an alarm is over one of them."""

    def percentile(self, region: str, alarm: Alarm, start: float, end: float) -> float | None:
        """The alarm's percentile between two times; None where there is no datapoint."""


_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "GreaterThanOrEqualToThreshold": operator.ge,
    "GreaterThanThreshold": operator.gt,
    "LessThanThreshold": operator.lt,
    "LessThanOrEqualToThreshold": operator.le,
}
_log = logging.getLogger(__name__)


def evaluate_alarms(
    cloudwatch: Any, *, time_scale: float = 1.0, percentiles: Percentiles | None = None
) -> None:
    """Set the state of every alarm of a region that a new look at its metric changes.

    Alarms over one metric with a fixed threshold, and a plain statistic or one
    that ``percentiles`` knows; others (metric math, other percentiles, anomaly
    detection, composite) stay as they are. The alarms' actions are not carried
    out. ``time_scale`` is how many seconds of an alarm's period pass in one
    real second; a period is never shorter than a second.
    """
    try:
        pages = cloudwatch.get_paginator("describe_alarms").paginate()
        for alarm in (alarm for page in pages for alarm in page["MetricAlarms"]):
            if is_judged(alarm):
                values = list(_last_values(cloudwatch, alarm, time_scale))
            elif percentiles is not None and percentiles.knows(alarm):
                if alarm["ComparisonOperator"] not in _COMPARE:
                    continue
                values = list(_last_percentiles(cloudwatch, alarm, time_scale, percentiles))
            else:
                continue
            state = judge(alarm, values)
            if state is not None and state != alarm["StateValue"]:
                cloudwatch.set_alarm_state(
                    AlarmName=alarm["AlarmName"], StateValue=state, StateReason=_reason(values)
                )
    except (ClientError, BotoCoreError) as error:
        _log.warning("alarms were not evaluated: %s", error)


def is_judged(alarm: Alarm) -> bool:
    """Whether the alarm is of a kind that is evaluated here."""
    return bool(
        alarm.get("MetricName")
        and alarm.get("Statistic")
        and alarm.get("Threshold") is not None
        and alarm["ComparisonOperator"] in _COMPARE
    )


def judge(alarm: Alarm, values: Sequence[float | None]) -> str | None:
    """The state that ``values`` call for, or None to leave the alarm as it is.

    ``values`` are those of the last EvaluationPeriods periods, None where
    there is no datapoint. Missing ones count as TreatMissingData says
    (CloudWatch user guide, "Configuring how CloudWatch alarms treat missing
    data", read 2026-11-21); that AWS looks at a few older datapoints, too, is
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


def _last_values(cloudwatch: Any, alarm: Alarm, time_scale: float) -> Iterator[float | None]:
    now = datetime.now(UTC)
    seconds = max(alarm["Period"] / time_scale, 1.0)
    period = timedelta(seconds=seconds)
    for number in range(alarm["EvaluationPeriods"]):
        end = now - number * period
        found = cloudwatch.get_metric_statistics(
            Namespace=alarm["Namespace"],
            MetricName=alarm["MetricName"],
            Dimensions=alarm.get("Dimensions", []),
            StartTime=end - period,
            EndTime=end + timedelta(seconds=1 if number == 0 else 0),
            Period=math.ceil(seconds) + 1,
            Statistics=[alarm["Statistic"]],
        )["Datapoints"]
        yield found[0][alarm["Statistic"]] if found else None


def _last_percentiles(
    cloudwatch: Any, alarm: Alarm, time_scale: float, percentiles: Percentiles
) -> Iterator[float | None]:
    now, period = time.time(), max(alarm["Period"] / time_scale, 1.0)
    region = cloudwatch.meta.region_name
    for number in range(alarm["EvaluationPeriods"]):
        end = now - number * period
        yield percentiles.percentile(region, alarm, end - period, end)


def _reason(values: Sequence[float | None]) -> str:
    shown = ", ".join("no data" if value is None else f"{value:g}" for value in values)
    return f"the last datapoints, newest first: {shown}"
