"""The topic that alarms tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from constructs import Construct

from sagemaker_serving.infra.synth.acknowledge import NO_KEY_ON_TOPIC, acknowledge
from sagemaker_serving.infra.synth.granting import add_to_policy_of
from sagemaker_serving.infra.synth.tokens import stack_of

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms


class AlarmTopic(Construct):
    """An SNS topic that takes TLS only, and lets the account's CloudWatch alarms publish.

    With any policy of its own a topic loses the one that lets its account
    publish, so the alarms are named in it. CloudWatch cannot publish to a
    topic under SNS's own key ``alias/aws/sns``, whose policy nobody can change.
    Sources: CloudWatch user guide, "Notifying users on alarm changes"; SNS
    developer guide, "Enable compatibility between event sources from AWS
    services and encrypted topics".

    :param retain: whether the topic and so its subscriptions outlive the stack.
    :param encryption_key: encrypts messages at rest; CloudWatch is let use it. Absent, they are
        not encrypted.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        retain: bool,
        encryption_key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self.topic = sns.Topic(
            self, "Resource", display_name="Alarms", enforce_ssl=True, master_key=encryption_key
        )
        """The topic itself."""
        self.topic.apply_removal_policy(
            cdk.RemovalPolicy.RETAIN if retain else cdk.RemovalPolicy.DESTROY
        )
        let_alarms_publish(self.topic, self)
        if encryption_key is None:
            acknowledge(
                self.topic,
                NO_KEY_ON_TOPIC,
                "No key was asked for, and alarms cannot publish under SNS's own",
            )


def let_alarms_publish(topic: sns.ITopic, scope: Construct) -> None:
    """Lets the account's alarms tell a topic, and use its key where it has one of its own.

    Of a topic or a key that was made elsewhere, ``scope`` is told what its policy needs.
    """
    alarms = iam.ServicePrincipal("cloudwatch.amazonaws.com")
    add_to_policy_of(
        topic,
        scope,
        iam.PolicyStatement(
            principals=[alarms],
            actions=["sns:Publish"],
            resources=[topic.topic_arn],
            conditions={"StringEquals": {"aws:SourceAccount": stack_of(scope).account}},
        ),
    )
    if topic.master_key is not None:
        add_to_policy_of(
            topic.master_key,
            scope,
            iam.PolicyStatement(
                principals=[alarms],
                actions=["kms:Decrypt", "kms:GenerateDataKey*"],
                resources=["*"],
            ),
        )
