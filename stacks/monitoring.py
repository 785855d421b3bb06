"""What watches the endpoint of a model, as the environment's file says, and the topic it tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aws_cdk as cdk
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from aws_cdk import aws_ssm as ssm
from constructs import Construct

from sagemaker_serving.infra import AlarmTopic, EndpointMonitoring, WatchedVariant
from sagemaker_serving.log_groups import endpoint_log_group
from sagemaker_serving.spec import Environment, InstanceVariant, Model, Monitoring
from sagemaker_serving.spec.environment import parameter_name

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms


def add_monitoring(
    scope: Construct,
    environment: Environment,
    model: str,
    encryption_key: kms.IKey | None,
    *,
    endpoint_config_name: str | None,
) -> EndpointMonitoring | None:
    """What watches the endpoint of ``model``; None where its file says nothing of it.

    ``endpoint_config_name`` is what it moves to under guardrails. The endpoint has to depend on
    the monitoring: its log group comes first.
    """
    monitoring = environment.monitoring_of(model)
    if monitoring is None:
        return None
    spec = environment.models[model]
    endpoint_name = environment.endpoint_name(model)
    return EndpointMonitoring(
        scope,
        "Monitoring",
        endpoint_name=endpoint_name,
        variants=watched_variants(spec),
        endpoint_config_name=endpoint_config_name,
        alarms=monitoring.alarms,
        thresholds=monitoring.thresholds,
        topic=alarm_topic(scope, environment, monitoring) if monitoring.alarms else None,
        dashboard=monitoring.dashboard,
        inference_components=[f"{endpoint_name}-{name}" for name in spec.inference_components],
        log_group=None if spec.endpoint is None else _log_of(scope, endpoint_name),
        log_retention_days=monitoring.log_retention_days,
        retain_logs=environment.production,
        encryption_key=encryption_key,
    )


def _log_of(scope: Construct, endpoint_name: str) -> logs.ILogGroup:
    """The log that an endpoint which was there has: SageMaker made it as the first one wrote."""
    name = endpoint_log_group(endpoint_name)
    return logs.LogGroup.from_log_group_name(scope, "EndpointLog", name)


def watched_variants(model: Model) -> list[WatchedVariant]:
    """The production variants of ``model`` and what of them tells which metrics they have."""
    metrics = model.metrics_config
    return [
        WatchedVariant(
            name=variant.name,
            instance_type=variant.instance_type if isinstance(variant, InstanceVariant) else None,
            asynchronous=model.asynchronous is not None,
            multi_model=model.multi_model is not None,
            enhanced=metrics is not None and metrics.enable_enhanced_metrics is True,
        )
        for variant in model.variants
    ]


def add_alarm_topic(
    scope: Construct, environment: Environment, encryption_key: kms.IKey | None
) -> None:
    """The environment's own topic, if any alarm is to tell it; its ARN leaves as a parameter."""
    if not environment.needs_alarm_topic:
        return
    made = AlarmTopic(
        scope, "AlarmTopic", retain=environment.production, encryption_key=encryption_key
    )
    ssm.StringParameter(
        scope,
        "AlarmTopicArnParameter",
        parameter_name=_topic_parameter(environment),
        string_value=made.topic.topic_arn,
    )
    cdk.CfnOutput(scope, "AlarmTopicArn", value=made.topic.topic_arn)


def alarm_topic(scope: Construct, environment: Environment, monitoring: Monitoring) -> sns.ITopic:
    """The topic that a model's alarms tell: the file's, or the environment's own."""
    there = scope.node.try_find_child("AlarmTopic")
    if there is not None:
        return there  # type: ignore[return-value]
    arn = monitoring.alarm_topic_arn
    if arn is None:
        arn = ssm.StringParameter.value_for_string_parameter(scope, _topic_parameter(environment))
    return sns.Topic.from_topic_arn(scope, "AlarmTopic", arn)


def _topic_parameter(environment: Environment) -> str:
    return parameter_name(environment.name, "storage", "alarm-topic-arn")
