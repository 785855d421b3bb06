"""The topic that alarms tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aws_cdk as cdk
from aws_cdk import aws_sns as sns
from aws_cdk import aws_ssm as ssm
from constructs import Construct

from sagemaker_serving.infra import AlarmTopic
from sagemaker_serving.spec import Environment, Monitoring
from sagemaker_serving.spec.environment import parameter_name

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms


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
