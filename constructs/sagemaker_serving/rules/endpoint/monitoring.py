"""Rules on an endpoint's monitoring: thresholds, periods, the alarms' topic, log retention."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.engine.numbers import at_least, between
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.kinds import KindFacts, host_type, is_serverless
from sagemaker_serving.rules.hardware.instance_types import known
from sagemaker_serving.spec.monitoring import LOG_RETENTION_DAYS, AlarmThresholds

_ALARM = "botocore cloudwatch PutMetricAlarm"
_TOPIC = re.compile(r"arn:aws[a-z-]*:sns:([a-z0-9-]+):[0-9]{12}:[a-zA-Z0-9_-]{1,256}")
_SHORT_PERIODS = (10, 20, 30)
_DAY, _WEEK, _HOUR = 86_400, 604_800, 3_600


@dataclass(frozen=True, kw_only=True)
class MonitoringFacts:
    """What watches one model's endpoint: the environment's fields with the model's over them.

    ``alarmed`` is whether there are alarms.
    """

    region: Fact
    topic: Fact
    retention: Fact
    thresholds: Mapping[str, Fact]
    publish_seconds: Fact
    alarmed: bool

    def number(self, field: str) -> float | None:
        """A threshold's number, or its default; None when it is switched off or no number."""
        if field in self.thresholds:
            number = self.thresholds[field].number
            return number if number is not None and math.isfinite(number) else None
        default = AlarmThresholds.model_fields[field].default
        return None if default is None else float(default)


def monitoring_facts(environment: Fact, model: Fact, *, alarmed: bool) -> MonitoringFacts:
    """The facts of ``model`` within ``environment``, both as they were written."""
    below, above = environment.get("monitoring"), model.get("monitoring")

    def field(name: str) -> Fact:
        return above.get(name).or_else(below.get(name))

    return MonitoringFacts(
        region=environment.get("region"),
        topic=field("alarm_topic_arn"),
        retention=field("log_retention_days"),
        alarmed=alarmed,
        publish_seconds=model.get("metrics_config").get("metric_publish_frequency_in_seconds"),
        thresholds=dict([*below.get("thresholds").entries(), *above.get("thresholds").entries()]),
    )


@rule(source=_ALARM, example="thresholds: {cpu_utilization_percent: 100}")
def alarm_threshold(monitoring: MonitoringFacts) -> Iterator[Finding]:
    """A percentage is 0 or more and below 100; latencies and waits are above 0.

    An alarm goes off above its threshold, so one at 100 % never would.
    """
    for name, fact in monitoring.thresholds.items():
        if fact.number is None:
            continue
        if name.endswith("_percent") and not 0 <= fact.number < 100:
            yield fact.says(
                f"is {fact.value}; an alarm goes off above it, so it must be 0 or more and below "
                "100; use null for no such alarm"
            )
        if name.endswith(("_milliseconds", "request_seconds")) and fact.number <= 0:
            yield fact.says(
                f"is {fact.value}; every request takes longer; use more than 0, or null for no "
                "such alarm"
            )


@warning(
    source="this project", example="thresholds: {gpu_utilization_percent: 80}   # on ml.c5.large"
)
def alarm_unmade(kind: KindFacts) -> Iterator[Finding]:
    """A model's own threshold is for a metric that its endpoint has.

    Thresholds of the environment apply to the models that have the metric.
    """
    variants = kind.model.get("variants").items()
    for name, fact in kind.model.get("monitoring").get("thresholds").entries():
        if name not in _MEASURED or fact.number is None:
            continue
        what, is_measured = _MEASURED[name]
        if not any(is_measured(kind, variant) for variant in variants):
            yield fact.says(f"makes no alarm: it is of {what}; remove it")


@rule(source=_ALARM, example="thresholds: {period_seconds: 45}")
def alarm_period(monitoring: MonitoringFacts) -> Iterator[Finding]:
    """An alarm's period is 10, 20, 30 or a multiple of 60 seconds, and all of them a day at most.

    With periods of an hour or more all of them together may take a week.
    """
    fact = monitoring.thresholds.get("period_seconds")
    period, periods = monitoring.number("period_seconds"), monitoring.number("evaluation_periods")
    if fact is not None and period is not None and not _is_period(period):
        yield fact.says(
            f"is {fact.value}; CloudWatch takes 10, 20, 30 and multiples of 60; use "
            f"{max(round(period / 60), 1) * 60}"
        )
    longest = _WEEK if period is not None and period >= _HOUR else _DAY
    if period is not None and periods is not None and period * periods > longest:
        where = monitoring.thresholds.get("evaluation_periods", fact)
        assert where is not None  # the defaults alone are three minutes
        yield where.finding(
            f"{periods:g} periods of {period:g} seconds are {period * periods:g} seconds; "
            f"CloudWatch looks back {longest}; use fewer or shorter ones"
        )


@rule(
    source="botocore MetricsConfig",
    example="metrics_config: {metric_publish_frequency_in_seconds: 300}",
)
def alarm_frequency(monitoring: MonitoringFacts) -> Iterator[Finding]:
    """An alarm's period is no shorter than the time between two values of its metric.

    Periods without a value count as good, so an alarm that needs two of three never goes off.
    """
    every, period = monitoring.publish_seconds, monitoring.number("period_seconds")
    if not monitoring.alarmed or every.number is None or period is None:
        return
    if period < every.number:
        yield every.says(
            f"is {every.value} and the alarms' period_seconds is {period:g}; most periods would "
            f"have no value; publish every {period:g} seconds, or give thresholds a period_seconds "
            f"of {every.value}"
        )


@rule(source=_ALARM, example="{evaluation_periods: 2, datapoints_to_alarm: 3}")
def alarm_datapoints(monitoring: MonitoringFacts) -> Iterator[Finding]:
    """An alarm looks at 1 or more periods, and 1 to all of them make it go off.

    CloudWatch refuses an alarm that would need more datapoints than it looks at.
    """
    periods = monitoring.thresholds.get("evaluation_periods")
    if periods is not None:
        yield from at_least(periods, 1)
    datapoints = monitoring.thresholds.get("datapoints_to_alarm")
    most = monitoring.number("evaluation_periods")
    if datapoints is not None and most is not None and most >= 1:
        yield from between(datapoints, 1, round(most))


@rule(
    source="CloudWatch user guide, Amazon SNS topics of alarms",
    example="alarm_topic_arn: arn:aws:sns:us-east-1:111122223333:pager   # of eu-west-1",
)
def alarm_topic(monitoring: MonitoringFacts) -> Iterator[Finding]:
    """The alarms' topic is a topic's ARN in the environment's region.

    An alarm cannot send to a topic of another region.
    """
    arn, region = monitoring.topic, monitoring.region.text
    if arn.text is None:
        return
    found = _TOPIC.fullmatch(arn.text)
    if found is None:
        yield arn.says(
            f"is {arn.value!r}; it must be the ARN of an SNS topic, "
            "arn:aws:sns:<region>:<account>:<name>; leave it out to have one made"
        )
    elif region is not None and found[1] != region:
        yield arn.says(
            f"is in {found[1]}, the environment in {region}; an alarm tells topics of its own "
            "region only; use one of there, or leave it out to have one made"
        )


@rule(source="botocore logs PutRetentionPolicy, Days", example="log_retention_days: 100")
def log_retention(monitoring: MonitoringFacts) -> Iterator[Finding]:
    """A log is kept for one of the numbers of days that CloudWatch takes.

    PutRetentionPolicy refuses others, and the log group is not made.
    """
    days = monitoring.retention
    if days.number is not None and days.number not in LOG_RETENTION_DAYS:
        number = days.number
        longer = next((one for one in LOG_RETENTION_DAYS if one > number), LOG_RETENTION_DAYS[-1])
        yield days.says(
            f"is {days.value}; CloudWatch keeps logs for {', '.join(map(str, LOG_RETENTION_DAYS))} "
            f"days; use {longer}, or null to keep them for ever"
        )


def _at_once(kind: KindFacts, variant: Fact) -> bool:
    return not kind.model.get("asynchronous").given


def _on_instances(kind: KindFacts, variant: Fact) -> bool:
    return not is_serverless(variant)


def _with_gpu(kind: KindFacts, variant: Fact) -> bool:
    """A type that the catalog lacks may have one."""
    hardware = known(host_type(variant))
    return not is_serverless(variant) and (hardware is None or hardware.gpus > 0)


_MEASURED: Mapping[str, tuple[str, Callable[[KindFacts, Fact], bool]]] = {
    "model_latency_p99_milliseconds": ("endpoints that answer at once", _at_once),
    "overhead_latency_p99_milliseconds": (
        "variants on instances that answer at once",
        lambda kind, variant: _at_once(kind, variant) and _on_instances(kind, variant),
    ),
    "cpu_utilization_percent": ("variants on instances", _on_instances),
    "disk_utilization_percent": ("variants on instances", _on_instances),
    "gpu_utilization_percent": ("instance types with a GPU", _with_gpu),
    "serverless_concurrency_percent": (
        "serverless variants",
        lambda kind, variant: is_serverless(variant),
    ),
    "oldest_request_seconds": (
        "asynchronous endpoints",
        lambda kind, variant: not _at_once(kind, variant),
    ),
}
"""What each threshold is of, and whether a variant has it; those of every variant are left out."""


def _is_period(seconds: float) -> bool:
    return seconds in _SHORT_PERIODS or (seconds >= 60 and seconds % 60 == 0)
