"""SNS: topics and subscriptions, which the emulator keeps."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from moto.backends import get_backend

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.integration import Integration
from local_aws.permissions.deployed import key_arn
from local_aws.permissions.need import Need
from local_aws.permissions.service import Refusal, ServicePermissions, first
from local_aws.protocol.call import Call
from local_aws.service import Limit, Service

from .resources import Subscription, Topic, TopicPolicy


def _resources(call: Call) -> Iterator[str]:
    """A subscription's topic, as if it were the subscriber's own, who may do with it what it
    likes; a text message to a telephone is about none."""
    subscription = first(call.parameters, "SubscriptionArn")
    if subscription is not None:
        topic = Arn.parse(subscription.rpartition(":")[0])
        yield str(topic._replace(account=_subscriber(subscription, topic)))
    elif "PhoneNumber" in call.parameters:
        yield "*"


def _policy(arn: Arn) -> str | None:
    topic = get_backend("sns")[arn.account][arn.region].topics.get(str(arn))
    return None if topic is None else topic.policy


def _subscriber(subscription: str, topic: Arn) -> str:
    backend = get_backend("sns")[topic.account].get(topic.region)
    found = None if backend is None else backend.subscriptions.get(subscription)
    return topic.account if found is None else str(found.attributes["Owner"])


class SnsPermissions(ServicePermissions):
    """SNS's, where a subscription may be another account's than its topic, and who publishes needs
    the topic's key (SNS developer guide, "Managing Amazon SNS encryption keys and costs")."""

    def needs(self, call: Call) -> Sequence[Need]:
        """The key too; AWS's own lets everyone in who comes by way of SNS."""
        own = super().needs(call)
        arn = first(call.parameters, "TopicArn") or first(call.parameters, "TargetArn")
        if call.operation not in ("Publish", "PublishBatch") or arn is None:
            return own
        place = Arn.parse(arn)
        backend = get_backend("sns")[place.account].get(place.region)
        topic = None if backend is None else backend.topics.get(arn)
        named = "" if topic is None else str(topic.kms_master_key_id)
        key = key_arn(named, place.account, place.region) if named else None
        if key is None or named.endswith("alias/aws/sns"):
            return own
        context = {
            "kms:viaservice": f"sns.{place.region}.amazonaws.com",
            "kms:calleraccount": call.account,
        }
        actions = ("kms:GenerateDataKey", "kms:Decrypt")
        return [*own, *(Need(action, key, context, quoted=False) for action in actions)]

    def owner(self, call: Call) -> str:
        """The topic's, which keeps its subscriptions, too."""
        subscription = first(call.parameters, "SubscriptionArn")
        return super().owner(call) if subscription is None else Arn.parse(subscription).account


class Sns(Service):
    """SNS: topics and subscriptions, which the emulator keeps."""

    name = "sns"
    limits = (
        Limit(
            "a topic's key where a service publishes without a role",
            "SNS's own lets none in; policies of others are not asked",
        ),
    )
    permissions = SnsPermissions(
        prefix="sns",
        resources=_resources,
        actions={"PublishBatch": "Publish"},
        condition_keys={"sns:protocol": "Protocol", "sns:endpoint": "Endpoint"},
        document_of=_policy,
        denied=Refusal(code="AuthorizationError", status=403),
        throttled=Refusal(code="Throttling", message="Rate exceeded"),
    )
    types = (Subscription(), Topic(), TopicPolicy())
    tasks = (
        Integration(name="sns", prefix="SNS", service="AmazonSNS", actions=frozenset({"publish"})),
    )

    def __init__(self, context: LocalContext) -> None:
        self._context = context
        context.targets.add(context.account_id, "sns", self._publish)

    def prepare(self) -> None:
        """Change the emulator."""
        from . import moto  # loading it takes long, and few ask for it

        moto.apply(self._context)

    def _publish(
        self, arn: str, event: Any, *, service: str, source_arn: str, role_arn: str | None
    ) -> bool:
        """Publish in the name of the role that the sender has for it, else as the topic's policy
        lets the service (EventBridge user guide, "Using resource-based policies")."""
        context, region = self._context, Arn.parse(arn).region
        try:
            if role_arn is not None:
                session = context.sessions.assume(role_arn, service.partition(".")[0])
                client = context.client_as(session, "sns", region)
            elif self._lets_in(arn, service, source_arn):
                client = context.client("sns", region)
            else:
                _log.warning("an event of %s was not let in by %s", source_arn, arn)
                return False
            message = event if isinstance(event, str) else json.dumps(event)
            client.publish(TopicArn=arn, Message=message)
        except (BotoCoreError, ClientError, KeyError) as error:
            _log.warning("an event of %s was not sent to %s: %s", source_arn, arn, error)
            return False
        return True

    def _lets_in(self, arn: str, service: str, source_arn: str) -> bool:
        place = Arn.parse(arn)
        topic = get_backend("sns")[place.account][place.region].topics.get(arn)
        known = {"aws:SourceArn": source_arn, "aws:SourceAccount": Arn.parse(source_arn).account}
        if topic is None or str(topic.kms_master_key_id).endswith("alias/aws/sns"):
            return False
        return self._context.evaluator.lets_service(service, "sns:Publish", arn, known)


_log = logging.getLogger(__name__)
