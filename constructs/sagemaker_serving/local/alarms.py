"""CloudWatch alarms change their state: the emulator keeps them and never looks at a metric."""

from __future__ import annotations

import logging
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

Alarm = Mapping[str, Any]
"""A metric alarm as DescribeAlarms answers it."""

_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "GreaterThanOrEqualToThreshold": operator.ge,
    "GreaterThanThreshold": operator.gt,
    "LessThanThreshold": operator.lt,
    "LessThanOrEqualToThreshold": operator.le,
}
_log = logging.getLogger(__name__)


def evaluate_alarms(cloudwatch: Any) -> None:
    """Set the state of every alarm of a region that a new look at its metric changes.

    Alarms over one metric with a plain statistic and a fixed threshold;
    others (metric math, percentiles, anomaly detection, composite) stay as
    they are. The alarms' actions are not carried out.
    """
    try:
        pages = cloudwatch.get_paginator("describe_alarms").paginate()
        for alarm in (alarm for page in pages for alarm in page["MetricAlarms"]):
            if not is_judged(alarm):
                continue
            values = list(_last_values(cloudwatch, alarm))
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


def _last_values(cloudwatch: Any, alarm: Alarm) -> Iterator[float | None]:
    now = datetime.now(UTC)
    period = timedelta(seconds=alarm["Period"])
    for number in range(alarm["EvaluationPeriods"]):
        end = now - number * period
        found = cloudwatch.get_metric_statistics(
            Namespace=alarm["Namespace"],
            MetricName=alarm["MetricName"],
            Dimensions=alarm.get("Dimensions", []),
            StartTime=end - period,
            EndTime=end + timedelta(seconds=1 if number == 0 else 0),
            Period=alarm["Period"] + 1,
            Statistics=[alarm["Statistic"]],
        )["Datapoints"]
        yield found[0][alarm["Statistic"]] if found else None


def _reason(values: Sequence[float | None]) -> str:
    shown = ", ".join("no data" if value is None else f"{value:g}" for value in values)
    return f"the last datapoints, newest first: {shown}"
