"""Everything that watches an endpoint, in one construct."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import aws_cdk as cdk
from aws_cdk import aws_logs as logs
from constructs import Construct

from sagemaker_serving.infra.monitoring.alarms import EndpointAlarms
from sagemaker_serving.infra.monitoring.dashboard import EndpointDashboard
from sagemaker_serving.infra.monitoring.watches import WatchedVariant
from sagemaker_serving.infra.storage.keys import let_logs_use
from sagemaker_serving.infra.synth.acknowledge import NO_KEY_ON_LOGS, acknowledge
from sagemaker_serving.log_groups import component_log_group, endpoint_log_group
from sagemaker_serving.spec.monitoring import AlarmThresholds

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_sns as sns


class EndpointMonitoring(Construct):
    """Alarms, a dashboard and log groups with an end, for an endpoint made here or elsewhere.

    It needs the endpoint's name only, so that the endpoint's own guardrails
    can name its alarms. An endpoint of the same stack must depend on it
    (``endpoint.node.add_dependency(monitoring)``). Otherwise SageMaker makes a log group first,
    which is then kept for ever and stops this one from being made.

    :param alarms: whether there are alarms.
    :param topic: what they tell, such as an `AlarmTopic`'s.
    :param dashboard: whether there is a dashboard.
    :param inference_components: names of components that share the endpoint's instances; each
        has a log group of its own.
    :param log_group: the endpoint's, ``/aws/sagemaker/Endpoints/<name>``, where it is there
        already; none is made for it then.
    :param log_retention_days: one of the numbers of days that CloudWatch takes; None leaves the
        log groups to SageMaker, which keeps them for ever.
    :param retain_logs: whether the log groups outlive the stack.
    :param encryption_key: encrypts the logs, and CloudWatch Logs is let use it. Absent,
        CloudWatch's own key does.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        endpoint_name: str,
        variants: Sequence[WatchedVariant],
        alarms: bool = True,
        thresholds: AlarmThresholds | None = None,
        topic: sns.ITopic | None = None,
        dashboard: bool = True,
        inference_components: Sequence[str] = (),
        log_group: logs.ILogGroup | None = None,
        log_retention_days: int | None = 90,
        retain_logs: bool = True,
        encryption_key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self.alarms: EndpointAlarms | None = None
        """The alarms, if there are any."""
        self.log_groups: list[logs.CfnLogGroup] = []
        """The endpoint's log group and its components', if they are made here."""
        self.dashboard: EndpointDashboard | None = None
        """The dashboard, if there is one."""
        if alarms:
            self.alarms = EndpointAlarms(
                self,
                "Alarms",
                endpoint_name=endpoint_name,
                variants=variants,
                thresholds=thresholds,
                topic=topic,
            )
        names = {
            "Log": endpoint_log_group(endpoint_name),
            **{f"Log-{name}": component_log_group(name) for name in inference_components},
        }
        if log_group is not None:
            del names["Log"]
        if log_retention_days is not None:
            if encryption_key is not None:
                let_logs_use(encryption_key, self)
            self.log_groups = [
                self._log(construct_id, name, log_retention_days, retain_logs, encryption_key)
                for construct_id, name in names.items()
            ]
        if dashboard:
            self.dashboard = EndpointDashboard(
                self,
                "Dashboard",
                endpoint_name=endpoint_name,
                variants=variants,
                alarms=self.alarms,
                inference_components=inference_components,
                log_group_names=[
                    *([] if log_group is None else [log_group.log_group_name]),
                    *names.values(),
                ],
            )

    def _log(
        self, construct_id: str, name: str, days: int, retain: bool, key: kms.IKey | None
    ) -> logs.CfnLogGroup:
        group = logs.CfnLogGroup(
            self,
            construct_id,
            log_group_name=name,
            retention_in_days=days,
            kms_key_id=None if key is None else key.key_arn,
        )
        group.apply_removal_policy(
            cdk.RemovalPolicy.RETAIN if retain else cdk.RemovalPolicy.DESTROY
        )
        if key is None:
            acknowledge(
                group, NO_KEY_ON_LOGS, "No key was asked for; CloudWatch encrypts with its own"
            )
        return group
