"""SNS: topics and subscriptions, which the emulator keeps."""

from __future__ import annotations

from collections.abc import Iterable

from moto.backends import get_backend

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.integration import Integration
from local_aws.permissions.service import Refusal, ServicePermissions
from local_aws.resources.base import Provider
from local_aws.service import Service

from .resources import Subscription, Topic, TopicInlinePolicy, TopicPolicy


def _policy(arn: Arn) -> str | None:
    topic = get_backend("sns")[arn.account][arn.region].topics.get(str(arn))
    return None if topic is None else topic.policy


class Sns(Service):
    """SNS: topics and subscriptions, which the emulator keeps."""

    name = "sns"
    permissions = ServicePermissions(
        prefix="sns",
        resources={"TopicArn": "{}", "TargetArn": "{}", "ResourceArn": "{}", "Name": "{}"},
        actions={"PublishBatch": "Publish"},
        condition_keys={"sns:protocol": "Protocol", "sns:endpoint": "Endpoint"},
        document_of=_policy,
        denied=Refusal(code="AuthorizationError", status=403),
        throttled=Refusal(code="Throttling", message="Rate exceeded"),
    )

    def __init__(self, context: LocalContext) -> None:
        self._context = context

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return (Subscription(), Topic(), TopicInlinePolicy(), TopicPolicy())

    def prepare(self) -> None:
        """Change the emulator."""
        from . import moto  # loading it takes long, and few ask for it

        moto.apply(self._context.targets)

    def integrations(self) -> Iterable[Integration]:
        """What a Task state can do with it."""
        return (
            Integration(
                name="sns", prefix="SNS", service="AmazonSNS", actions=frozenset({"publish"})
            ),
        )
