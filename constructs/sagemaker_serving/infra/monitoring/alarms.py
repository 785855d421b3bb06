"""Alarms on an endpoint, variant by variant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from constructs import Construct

from sagemaker_serving.infra.monitoring.topic import let_alarms_publish
from sagemaker_serving.infra.monitoring.watches import Watch, WatchedVariant, watches
from sagemaker_serving.infra.synth.acknowledge import NO_ALARM_ACTION, acknowledge
from sagemaker_serving.infra.synth.tokens import must_be_written
from sagemaker_serving.spec.monitoring import AlarmThresholds
from sagemaker_serving.spec.update import MOST_ALARMS

if TYPE_CHECKING:
    from aws_cdk import aws_sns as sns


class EndpointAlarms(Construct):
    """The alarms of an endpoint, of which only the name has to be known.

    For every variant, with the dimensions ``EndpointName`` and ``VariantName``:
    the share of 5XX, p99 of model and overhead latency, memory, CPU, disk, and GPU on types
    that have one. Serverless variants have one on concurrency, asynchronous endpoints one on the
    age of their oldest request. `AlarmThresholds`
    has the default of each, and which kind of variant has which. Missing data
    counts as good: no request is no error.

    CloudWatch tells utilization in percent of one core or one GPU; thresholds
    are of the whole instance, and multiplied here. A type whose number of
    cores is not known has no alarm on CPU.

    Alarms are named ``<endpoint>-<variant>-<what>``, such as
    ``prod-digits-gpu-invocation-5xx-errors``.

    :param endpoint_config_name: what the endpoint moves to. Errors and latencies of the instances
        that run it have alarms of their own, ``<endpoint>-<variant>-<what>-of-<config>``, which
        take an update back. An alarm on all instances would do so for a fault of the old version,
        and a canary's few errors would not set it off. Source: SageMaker developer guide,
        "Auto-Rollback Configuration and Monitoring".
    :param topic: is told when an alarm goes off and when it is over, and its policy and its key
        let CloudWatch do so. Without one an alarm is for rollbacks and dashboards only, and
        scanners are told so.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        endpoint_name: str,
        variants: Sequence[WatchedVariant],
        endpoint_config_name: str | None = None,
        thresholds: AlarmThresholds | None = None,
        topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self._endpoint_name = endpoint_name
        self._limits = thresholds if thresholds is not None else AlarmThresholds()
        self._action = None if topic is None else actions.SnsAction(topic)
        if topic is not None:
            let_alarms_publish(topic, self)
        must_be_written(self, "a variant's name", [variant.name for variant in variants])
        watched = {watch.name: watch for watch in watches(endpoint_name, variants, self._limits)}
        made = {name: self._alarm(watch) for name, watch in watched.items()}
        self.alarms: list[cloudwatch.Alarm] = list(made.values())
        """Every alarm on all instances, the most telling first: errors of every variant, then
        latency."""
        self.rollback_alarms: list[cloudwatch.Alarm] = [
            made[name] for name, watch in watched.items() if watch.takes_back
        ]
        """The alarms that tell whether an update is to be rolled back."""
        if endpoint_config_name is not None:
            of_config = watches(endpoint_name, variants, self._limits, endpoint_config_name)
            self.rollback_alarms = [
                self._alarm(watch, endpoint_config_name) for watch in of_config if watch.takes_back
            ]

    @property
    def alarm_names(self) -> list[str]:
        """The names of all alarms, in their order (tokens)."""
        return [alarm.alarm_name for alarm in self.alarms]

    @property
    def rollback_alarm_names(self) -> list[str]:
        """The first ten names: as many as an automatic rollback takes (tokens)."""
        return [alarm.alarm_name for alarm in self.rollback_alarms[:MOST_ALARMS]]

    def _alarm(self, watch: Watch, config: str | None = None) -> cloudwatch.Alarm:
        construct_id = watch.name.replace("-", " ").title().replace(" ", "")
        suffix = "" if config is None else f"-of-{config}"
        alarm = cloudwatch.Alarm(
            self,
            construct_id if config is None else f"{construct_id}OfConfig",
            alarm_name=f"{self._endpoint_name}-{watch.name}{suffix}",
            alarm_description=f"{self._endpoint_name}: {watch.meaning}",
            metric=watch.metric,
            threshold=watch.threshold,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
            evaluation_periods=self._limits.evaluation_periods,
            datapoints_to_alarm=self._limits.datapoints,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        if config is not None:
            acknowledge(alarm, NO_ALARM_ACTION, "It takes updates back; others tell a topic")
        elif self._action is None:
            acknowledge(
                alarm,
                NO_ALARM_ACTION,
                "No topic was asked for; updates are rolled back by it and dashboards show it",
            )
        else:
            alarm.add_alarm_action(self._action)
            alarm.add_ok_action(self._action)
        return alarm
