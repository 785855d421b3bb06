"""The emulator's CloudWatch: what it keeps, read as it is, and the changes to it.

Read from its own objects and not through its API: alarms are looked at again and again, and a call
for each period of each would cost more than all else that runs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, Protocol

from moto.cloudwatch.models import CloudWatchBackend, MetricAggregatedDatum, cloudwatch_backends
from moto.cloudwatch.responses import CloudWatchResponse

from local_aws.emulator.replacing import Original, replaces

Alarm = Mapping[str, Any]
"""A metric alarm as DescribeAlarms answers it."""

Metric = tuple[str, str, frozenset[tuple[str, str]]]
"""A metric's namespace, name and dimensions."""


class Watcher(Protocol):
    """Is told what is done to alarms and metrics, right after."""

    def watch(self, region: str) -> None:
        """An alarm was put."""

    def wrote(self, region: str) -> None:
        """Data of a metric was put."""

    def changed(self, region: str, alarm: Alarm, previous: Alarm) -> None:
        """The state of an alarm, ``previous`` before, was set."""


@dataclass
class Datapoints:
    """One metric's data: ``(time, samples, sum, least, most)`` each, times since the epoch."""

    known: list[tuple[float, float, float, float, float]] = field(default_factory=list)

    def statistic(self, name: str, start: float, end: float) -> float | None:
        """A statistic (Sum, Average …) of what lies between two times; None for nothing."""
        inside = [each for each in self.known if start <= each[0] < end]
        if not inside:
            return None
        samples, total = sum(each[1] for each in inside), sum(each[2] for each in inside)
        match name:
            case "Sum":
                return total
            case "Average":
                return total / samples if samples else None
            case "Minimum":
                return min(each[3] for each in inside)
            case "Maximum":
                return max(each[4] for each in inside)
        return samples


def regions_with_alarms(account: str) -> list[str]:
    """Every region in which an account has an alarm."""
    return [name for name, kept in _regions(account).items() if kept.alarms]


def alarms_of(account: str, region: str) -> list[Alarm]:
    """The metric alarms of a region as they stand."""
    kept = _regions(account).get(region)
    alarms = [] if kept is None else list(kept.alarms.values())
    return [_described(alarm) for alarm in alarms if alarm.rule is None]


def data_of(
    account: str, region: str, metrics: Collection[Metric], since: float
) -> Mapping[Metric, Datapoints]:
    """The data of these metrics of a region from a time on, in seconds since the epoch; those
    without any are empty."""
    first = datetime.fromtimestamp(since, UTC).replace(tzinfo=None)  # as the emulator's times are
    found: dict[Metric, Datapoints] = defaultdict(Datapoints)
    names = {name for _, name, _ in metrics}
    backend = cloudwatch_backends[account][region]
    # The emulator makes up what S3 tells of its buckets each time that it is asked.
    s3 = any(namespace == "AWS/S3" for namespace, _, _ in metrics)
    for datum in backend.get_all_metrics() if s3 else list(backend.metric_data):
        if datum.name in names and datum.timestamp >= first:
            dimensions = frozenset((each.name, each.value) for each in datum.dimensions)
            key = (datum.namespace, datum.name, dimensions)
            if key in metrics:
                found[key].known.append(_datapoint(datum))
    return found


def set_state(
    account: str, region: str, name: str, *, state: str, reason: str, reason_data: str
) -> None:
    """Move an alarm to a state, if it is still there, as SetAlarmState does."""
    backend = cloudwatch_backends[account][region]
    if name in backend.alarms:
        backend.set_alarm_state(name, reason, reason_data, state)


def tell(account: str, watcher: Watcher) -> None:
    """Have ``watcher`` told of what is done in an account; alarms begin and change as on AWS.

    The emulator's begin OK, and again with each PutMetricAlarm: "When you create an alarm, the
    alarm state is immediately set to INSUFFICIENT_DATA"; "when you update an existing alarm, its
    state is left unchanged" (CloudWatch API reference, PutMetricAlarm).
    """
    _WATCHERS[account] = watcher

    @replaces(CloudWatchBackend, "put_metric_alarm")
    def put_metric_alarm(original: Original, self: Any, name: str, **given: Any) -> Any:
        before = self.alarms.get(name)
        alarm = original(self, name, **given)
        alarm.state_value = "INSUFFICIENT_DATA"
        # DescribeAlarms leaves out what is empty (recorded by LocalStack's suite, 2023).
        alarm.state_reason_data = None
        alarm.metric_data_queries = alarm.metric_data_queries or None
        alarm.state_transitioned_timestamp = alarm.state_updated_timestamp
        for attribute in _STATE if before is not None else ():
            setattr(alarm, attribute, getattr(before, attribute))
        _WATCHERS[self.account_id].watch(self.region_name)
        return alarm

    @replaces(CloudWatchBackend, "put_metric_data")
    def put_metric_data(original: Original, self: Any, *given: Any, **named: Any) -> None:
        original(self, *given, **named)
        _WATCHERS[self.account_id].wrote(self.region_name)

    @replaces(CloudWatchBackend, "get_metric_statistics")
    def get_metric_statistics(
        original: Original, self: Any, *given: Any, dimensions: Any, **named: Any
    ) -> Any:
        """The emulator counts series that have further dimensions, too; on AWS each combination
        is a metric of its own (CloudWatch API reference, GetMetricStatistics)."""
        wanted = {(each["Name"], each["Value"]) for each in dimensions}
        exact = [
            datum
            for datum in self.get_all_metrics()
            if {(each.name, each.value) for each in datum.dimensions} == wanted
        ]
        only = SimpleNamespace(get_all_metrics=lambda: exact)
        return original(only, *given, dimensions=dimensions, **named)

    @replaces(CloudWatchBackend, "set_alarm_state")
    def set_alarm_state(original: Original, self: Any, name: str, *given: Any) -> None:
        known = self.alarms.get(name)
        before = None if known is None else _described(known)
        original(self, name, *given)
        assert before is not None  # the original raises for an alarm that is not there
        assert known is not None
        if known.state_value != before["StateValue"]:
            known.state_transitioned_timestamp = known.state_updated_timestamp
        _WATCHERS[self.account_id].changed(self.region_name, _described(known), before)

    @replaces(CloudWatchBackend, "tag_resource")
    def tag_resource(original: Original, self: Any, arn: str, tags: dict[str, str]) -> None:
        """The emulator tags no dashboards; AWS does (CloudWatch API reference, TagResource)."""
        if arn not in [each.arn for each in self.dashboards.values()]:
            original(self, arn, tags)
            return
        self.tagger.tag_resource(arn, self.tagger.convert_dict_to_tags_input(tags))

    @replaces(CloudWatchResponse, "put_dashboard")
    def put_dashboard(original: Original, self: Any) -> Any:
        """The emulator drops tags; AWS takes those of a new dashboard (CloudWatch API reference,
        PutDashboard)."""
        backend, name = self.cloudwatch_backend, self._get_param("DashboardName")
        is_new = name not in backend.dashboards
        answer = original(self)
        if is_new:
            arn = backend.dashboards[name].arn
            backend.tagger.tag_resource(arn, self._get_param("Tags", []))
        return answer

    @replaces(CloudWatchBackend, "delete_dashboards")
    def delete_dashboards(original: Original, self: Any, names: list[str]) -> str | None:
        gone = [self.dashboards[name].arn for name in names if name in self.dashboards]
        problem: str | None = original(self, names)
        for arn in gone if problem is None else ():
            self.tagger.delete_all_tags_for_resource(arn)
        return problem


_WATCHERS: dict[str, Watcher] = {}
"""By account."""

_STATE = (
    "history",
    "state_reason",
    "state_reason_data",
    "state_transitioned_timestamp",
    "state_updated_timestamp",
    "state_value",
)


def _regions(account: str) -> Mapping[str, Any]:
    return dict(cloudwatch_backends[account])


def _described(alarm: Any) -> Alarm:
    return {
        "AlarmName": alarm.name,
        "AlarmArn": alarm.alarm_arn,
        "AlarmDescription": alarm.description,
        "ActionsEnabled": alarm.actions_enabled,
        "OKActions": alarm.ok_actions,
        "AlarmActions": alarm.alarm_actions,
        "InsufficientDataActions": alarm.insufficient_data_actions,
        "StateValue": alarm.state_value,
        "StateReason": alarm.state_reason,
        "StateReasonData": alarm.state_reason_data,
        "StateUpdatedTimestamp": alarm.state_updated_timestamp.replace(tzinfo=UTC),
        "MetricName": alarm.metric_name,
        "Namespace": alarm.namespace,
        "Statistic": alarm.statistic,
        "ExtendedStatistic": alarm.extended_statistic,
        "Dimensions": [{"Name": each.name, "Value": each.value} for each in alarm.dimensions],
        "Period": alarm.period,
        "Unit": alarm.unit,
        "EvaluationPeriods": alarm.evaluation_periods,
        "DatapointsToAlarm": alarm.datapoints_to_alarm,
        "Threshold": alarm.threshold,
        "ComparisonOperator": alarm.comparison_operator,
        "TreatMissingData": alarm.treat_missing_data,
    }


def _datapoint(datum: Any) -> tuple[float, float, float, float, float]:
    seconds = datum.timestamp.replace(tzinfo=UTC).timestamp()
    if isinstance(datum, MetricAggregatedDatum):
        return seconds, datum.sample_count, datum.sum, datum.min, datum.max
    return seconds, 1.0, datum.value, datum.value, datum.value
