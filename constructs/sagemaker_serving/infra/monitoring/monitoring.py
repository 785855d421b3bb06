"""Everything that watches an endpoint, in one construct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import aws_cdk as cdk
import jsii
from constructs import Construct

from sagemaker_serving.infra.functions.own_function import OwnFunction
from sagemaker_serving.infra.monitoring.alarms import EndpointAlarms
from sagemaker_serving.infra.monitoring.dashboard import EndpointDashboard
from sagemaker_serving.infra.monitoring.watches import WatchedVariant
from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.infra.synth.granting import grant
from sagemaker_serving.infra.synth.tokens import colon_arn, must_be_written
from sagemaker_serving.log_groups import component_log_group, endpoint_log_group
from sagemaker_serving.spec.monitoring import AlarmThresholds

if TYPE_CHECKING:
    from aws_cdk import aws_iam as iam
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_lambda as lambda_
    from aws_cdk import aws_logs as logs
    from aws_cdk import aws_sns as sns


class EndpointMonitoring(Construct):
    """Alarms, a dashboard and log groups with an end, for an endpoint made here or elsewhere.

    It needs the endpoint's name only, and comes first: ``Endpoint(…, monitoring=monitoring)`` waits
    for its log groups, and its guardrails watch its alarms. SageMaker makes a log group as the
    first container writes, unless it is there; what SageMaker made outlives the stack.

    :param variants: of an `EndpointConfig` its ``watched_variants``.
    :param endpoint_config_name: what the endpoint moves to, as `EndpointAlarms` has it. Without it
        no update is taken back by these alarms.
    :param alarms: whether there are alarms.
    :param topic: what they tell, such as an `AlarmTopic`'s.
    :param dashboard: whether there is a dashboard.
    :param inference_components: names of components that share the endpoint's instances; each
        has a log group of its own.
    :param log_group: the endpoint's, ``/aws/sagemaker/Endpoints/<name>``, where your app or
        somebody else says how long it is kept.
    :param log_retention_days: one of the numbers of days that CloudWatch takes, for log groups
        that are there, too; None leaves them to SageMaker, which keeps them for ever.
    :param retain_logs: whether the log groups that are made here outlive the stack, too.
    :param encryption_key: encrypts the logs, and CloudWatch Logs is let use it. Absent,
        CloudWatch's own key does.
    :param function_role: what the function that does this to the log groups runs as; made here
        unless given.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        endpoint_name: str,
        variants: Sequence[WatchedVariant],
        endpoint_config_name: str | None = None,
        alarms: bool = True,
        thresholds: AlarmThresholds | None = None,
        topic: sns.ITopic | None = None,
        dashboard: bool = True,
        inference_components: Sequence[str] = (),
        log_group: logs.ILogGroup | None = None,
        log_retention_days: int | None = 90,
        retain_logs: bool = True,
        encryption_key: kms.IKey | None = None,
        function_role: iam.IRole | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        must_be_written(self, "a name of inference_components", inference_components)
        self.alarms: EndpointAlarms | None = None
        """The alarms, if there are any."""
        self.log_groups: list[cdk.CfnResource] = []
        """What makes the endpoint's log group and its components', where they are kept here."""
        self.dashboard: EndpointDashboard | None = None
        """The dashboard, if there is one."""
        self.rollback_alarm_names: list[str] = []
        """The alarms on the instances of ``endpoint_config_name``, which take an update back."""
        if alarms:
            self.alarms = EndpointAlarms(
                self,
                "Alarms",
                endpoint_name=endpoint_name,
                variants=variants,
                endpoint_config_name=endpoint_config_name,
                thresholds=thresholds,
                topic=topic,
            )
            if endpoint_config_name is not None:
                self.rollback_alarm_names = self.alarms.rollback_alarm_names
        names = {
            "Log": endpoint_log_group(endpoint_name),
            **{f"Log-{name}": component_log_group(name) for name in inference_components},
        }
        if log_group is not None:
            del names["Log"]
        if names and log_retention_days is not None:
            self.log_groups = LogRetention(
                self,
                "Logs",
                names=names,
                days=log_retention_days,
                retain=retain_logs,
                encryption_key=encryption_key,
                function_role=function_role,
            ).groups
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


class LogRetention(Construct):
    """Keeps log groups for some days, whoever makes them first: this, or the service.

    CloudFormation's AWS::Logs::LogGroup fails where a group is there, as that of an endpoint is
    once a container has written. So a function makes those that are missing. ``groups`` has a
    custom resource for each, in the order of ``names``; what writes to a group should depend on
    its own, or that is made without a tag and outlives the stack.

    ``names`` are the groups' by the ids of these resources. ``retain`` keeps those that were
    made here, too, when the stack goes.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        names: Mapping[str, str],
        days: int,
        retain: bool,
        encryption_key: kms.IKey | None,
        function_role: iam.IRole | None,
    ) -> None:
        super().__init__(scope, construct_id)
        # With a key the function has a log of its own, for whose sake CloudWatch Logs may use it.
        keeper = OwnFunction(
            self,
            "Keep",
            package="log_retention",
            handler="keep.handler",
            shares=("functions/custom_resource",),
            timeout=cdk.Duration.minutes(5),
            role=function_role,
            retain_logs=retain,
            encryption_key=encryption_key,
        )
        arns = {name: colon_arn(self, "logs", "log-group", name) for name in names.values()}
        given = self._grant(keeper.role, list(arns.values()))
        tags = cdk.Lazy.any(_TagsOf(keeper.function))
        self.groups = [
            cdk.CfnResource(
                self,
                resource_id,
                type="Custom::LogRetention",
                properties={
                    "ServiceToken": keeper.function.function_arn,
                    "LogGroupName": name,
                    "LogGroupArn": arns[name],
                    "RetentionInDays": days,
                    "Retain": retain,
                    "KmsKeyId": None if encryption_key is None else encryption_key.key_arn,
                    "Tags": tags,
                },
            )
            for resource_id, name in names.items()
        ]
        for group in self.groups:
            given.apply_before(group)

    def _grant(self, role: iam.IRole, arns: list[str]) -> iam.Grant:
        """What is done to a group is asked for by its ARN, or by that with ``:*`` behind it: the
        service authorization reference has both."""
        of_group = [
            *("CreateLogGroup", "DeleteLogGroup", "PutRetentionPolicy"),
            *("AssociateKmsKey", "DisassociateKmsKey"),
            *("ListTagsForResource", "TagResource", "UntagResource"),
        ]
        both = [arn for one in arns for arn in (one, f"{one}:*")]
        for arn in both[1::2]:
            acknowledge_wildcard(role, arn, "The ARN of a log group ends with it, or does not")
        return grant(role, [f"logs:{action}" for action in of_group], *both)


@jsii.implements(cdk.IStableAnyProducer)
class _TagsOf:
    """The tags that the app's ``cdk.Tags`` gave a function: a custom resource is given none."""

    def __init__(self, function: lambda_.Function) -> None:
        self._function = function

    def produce(self) -> Any:
        resource: Any = self._function.node.default_child
        tags = resource.tags.tag_values()
        return dict(tags) if tags else None
