"""EventBridge around a batch pipeline: what starts it, and what tells of it where it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from constructs import Construct

from sagemaker_serving.infra.batch.definition import EVENT_SOURCE, NOT_TOLD, OTHER_ENDS
from sagemaker_serving.infra.storage.keys import keys_of_topics
from sagemaker_serving.infra.synth.acknowledge import (
    NO_DEAD_EVENTS,
    acknowledge,
    acknowledge_own_policy,
)
from sagemaker_serving.infra.synth.granting import grant
from sagemaker_serving.infra.synth.tokens import stack_of

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_sns as sns

_OTHER_END = (
    '"Batch transform: <status>: <execution> could not tell of its end itself. '
    "aws stepfunctions describe-execution --execution-arn <execution> says how it ended. "
    'Started again on the same output, it does what is missing."'
)


def start_on(
    scope: Construct,
    construct_id: str,
    machine_arn: str,
    execution: Mapping[str, str],
    *,
    key: str | None = None,
    **when: Any,
) -> events.CfnRule:
    """A rule that starts an execution, in the name of a role that may do that only.

    ``<key>`` in what the ``execution`` is given is what the event has at the path ``key``.
    """
    role = iam.Role(
        scope,
        f"{construct_id}Role",
        assumed_by=iam.ServicePrincipal("events.amazonaws.com"),
        description="Starts executions of the batch pipeline",
    )
    acknowledge_own_policy(role)
    grant(role, ["states:StartExecution"], machine_arn)
    text = stack_of(scope).to_json_string(dict(execution))
    given = {"input": text} if key is None else {"input_transformer": _told({"key": key}, text)}
    return events.CfnRule(
        scope,
        construct_id,
        targets=[
            events.CfnRule.TargetProperty(
                id="StateMachine", arn=machine_arn, role_arn=role.role_arn, **given
            )
        ],
        **when,
    )


def tell_of_other_ends(
    scope: Construct,
    machine_arn: str,
    topic: sns.ITopic,
    key: kms.IKey | None,
    role: iam.IRole | None,
) -> events.CfnRule:
    """A message where the machine sent none: stopped, out of time, failed uncaught, or refused.

    EventBridge publishes as a role. It needs nothing of the topic's policy then, nor of the
    key's, and SNS's own key, which lets no service in, takes a role of the account (EventBridge
    user guide, "Using resource-based policies"; aws/aws-cdk#34259, after AWS's announcement of
    March 2025 that every target takes a role). Older copies of that page, China's among them,
    advise against a role for topics: unverified there. Events are best effort (EventBridge
    events reference, "AWS Step Functions events").
    """
    if role is None:
        role = iam.Role(
            scope,
            "NotificationRole",
            assumed_by=iam.ServicePrincipal("events.amazonaws.com"),
            description="Tells of batches that were stopped or ran out of time",
        )
    let_publish(role, topic, key)
    said = {"status": "$.detail.status", "execution": "$.detail.executionArn"}
    rule = events.CfnRule(
        scope,
        "OtherEnds",
        description="Batches that were stopped, ran out of time, or could not tell",
        event_pattern={
            "source": ["aws.states", EVENT_SOURCE],
            "detail-type": ["Step Functions Execution Status Change", NOT_TOLD],
            "detail": {"stateMachineArn": [machine_arn], "$or": OTHER_ENDS},
        },
        targets=[
            events.CfnRule.TargetProperty(
                id="Topic",
                arn=topic.topic_arn,
                role_arn=role.role_arn,
                input_transformer=_told(said, _OTHER_END),
            )
        ],
    )
    reason = "EventBridge tries again for a day, and nobody reads what would be left then"
    acknowledge(rule, NO_DEAD_EVENTS, reason)
    return rule


def let_publish(role: iam.IRole, topic: sns.ITopic, key: kms.IKey | None) -> None:
    """Lets ``role`` tell a topic, by its own key or ``key``."""
    grant(role, ["sns:Publish"], topic.topic_arn)
    for key_arn in keys_of_topics([topic], key):
        grant(role, ["kms:Decrypt", "kms:GenerateDataKey"], key_arn)


def _told(paths: Mapping[str, str], text: str) -> events.CfnRule.InputTransformerProperty:
    return events.CfnRule.InputTransformerProperty(input_paths_map=paths, input_template=text)
