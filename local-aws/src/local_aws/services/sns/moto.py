"""Changes to the emulator's SNS; loading it takes long."""

from __future__ import annotations

import base64
import logging
from copy import copy
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from moto.core.responses import ActionResult
from moto.core.utils import camelcase_to_underscores, iso_8601_datetime_with_milliseconds
from moto.sns.exceptions import SNSInvalidParameter
from moto.sns.models import SNSBackend, Subscription
from moto.sns.responses import SNSResponse

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.emulator.replacing import Original, replaces
from local_aws.permissions.identities import account_of
from local_aws.protocol.call import JUDGED

_log = logging.getLogger(__name__)

_SIGNED = ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type")


def apply(context: LocalContext) -> None:
    """Apply every patch; a second time only leads the emulator to other targets."""
    publish_to_functions_and_other_accounts(context)
    know_the_subscriber()
    refuse_what_is_no_arn()
    refuse_what_cannot_be_published()
    number_messages_of_fifo_topics()
    sign_as_the_topic_says()
    tell_every_attribute()
    tell_no_empty_attribute()


def publish_to_functions_and_other_accounts(context: LocalContext) -> None:
    """The emulator gives a topic's message to its own Lambda, in an event of made-up values, and to
    the queue of that name in the topic's account, whichever account's queue is subscribed."""

    @replaces(Subscription, "publish")
    def publish(
        original: Original, self: Any, message: str, message_id: str, **options: Any
    ) -> None:
        if self.protocol != "lambda":
            if self.protocol != "sqs" or Arn.parse(self.endpoint).account == self.account_id:
                original(self, message, message_id, **options)
            elif _lets_in(context, self.endpoint, self.topic.arn):
                there = copy(self)
                there.account_id = Arn.parse(self.endpoint).account
                original(there, message, message_id, **options)
            return
        matcher = self._filter_policy_matcher
        if matcher is not None and not matcher.matches(options.get("message_attributes"), message):
            return
        if options.get("message_structure") == "json":
            message = self._parse_message_structure(message, self.protocol)
        context.targets.deliver(
            self.endpoint,
            _notification(self, message, message_id, options),
            service="sns.amazonaws.com",
            source_arn=self.topic.arn,
        )


def know_the_subscriber() -> None:
    """The emulator takes the topic's account for the subscriber's."""

    @replaces(SNSResponse, "subscribe")
    def subscribe(original: Original, self: Any) -> ActionResult:
        answer = original(self)
        caller = self.normalized_request.environ[JUDGED].caller
        made = self.backend.subscriptions[answer.result["SubscriptionArn"]]
        made.attributes["Owner"] = account_of(caller)
        return answer


def tell_every_attribute() -> None:
    """The emulator keeps whatever a topic is given, and tells a few of it only."""

    @replaces(SNSResponse, "get_topic_attributes")
    def get_topic_attributes(original: Original, self: Any) -> ActionResult:
        told = original(self).result["Attributes"]
        topic = self.backend.get_topic(self._get_param("TopicArn"))
        kept = {name: getattr(topic, camelcase_to_underscores(name), "") for name in _ATTRIBUTES}
        given = {name: value for name, value in kept.items() if value != ""}
        return ActionResult({"Attributes": {**told, **given}})


def tell_no_empty_attribute() -> None:
    """The emulator shows a policy of a subscription that was taken away as an empty one."""

    @replaces(SNSBackend, "get_subscription_attributes")
    def get_subscription_attributes(original: Original, self: Any, arn: str) -> dict[str, Any]:
        told = {name: value for name, value in original(self, arn).items() if value != ""}
        if "FilterPolicy" not in told:
            told.pop("FilterPolicyScope", None)
        return told


_ATTRIBUTES = ("ArchivePolicy", "FifoThroughputScope", "SignatureVersion", "TracingConfig")
"""Those that the emulator does not tell."""


def refuse_what_is_no_arn() -> None:
    """The emulator breaks on a topic's ARN of too few elements. By LocalStack's suite, 2024."""

    @replaces(SNSBackend, "get_topic")
    def get_topic(original: Original, self: Any, arn: str) -> Any:
        elements = arn.count(":") + 1
        if elements < 6:
            raise SNSInvalidParameter(
                "Invalid parameter: TopicArn Reason: An ARN must have at least 6 elements, "
                f"not {elements}"
            )
        return original(self, arn)


def refuse_what_cannot_be_published() -> None:
    """The emulator takes a topic that is gone for a telephone, and has another word for a message
    without a group. Recorded by LocalStack's suite, 2025."""

    @replaces(SNSBackend, "publish")
    def publish(
        original: Original, self: Any, message: str, arn: str | None, **options: Any
    ) -> Any:
        if arn is not None and ":endpoint/" not in arn:
            topic = self.get_topic(arn)
            if topic.fifo_topic and not options.get("group_id"):
                raise SNSInvalidParameter(
                    "Invalid parameter: The MessageGroupId parameter is required for FIFO topics"
                )
        return original(self, message, arn, **options)


def number_messages_of_fifo_topics() -> None:
    """Answers about a FIFO topic have a SequenceNumber of 20 digits: SNS's API reference,
    "Publish"."""

    @replaces(SNSResponse, "publish")
    def publish(original: Original, self: Any) -> Any:
        answer = original(self)
        _number(self.backend.topics.get(self._get_param("TopicArn")), [answer.result])
        return answer

    @replaces(SNSResponse, "publish_batch")
    def publish_batch(original: Original, self: Any) -> Any:
        answer = original(self)
        topic = self.backend.topics.get(self._get_param("TopicArn"))
        _number(topic, answer.result["Successful"])
        return answer


def sign_as_the_topic_says() -> None:
    """The emulator signs all with SHA256, and leaves out the subject; a topic's SignatureVersion
    is 1, SHA1, unless it says 2: SNS's developer guide, "Verifying the signatures of Amazon SNS
    messages"."""

    @replaces(Subscription, "get_post_data")
    def get_post_data(
        original: Original, self: Any, *arguments: Any, **options: Any
    ) -> dict[str, Any]:
        data: dict[str, Any] = original(self, *arguments, **options)
        version = getattr(self.topic, "signature_version", "1")
        signed = "".join(f"{name}\n{data[name]}\n" for name in _SIGNED if name in data)
        digest = hashes.SHA256() if version == "2" else hashes.SHA1()
        signature = self.private_key().sign(signed.encode(), padding.PKCS1v15(), digest)
        encoded = base64.b64encode(signature).decode()
        return data | {"SignatureVersion": version, "Signature": encoded}


def _lets_in(context: LocalContext, queue: str, topic: str) -> bool:
    """Whether a queue of another account takes what a topic sends; that it does not is logged."""
    given = {"aws:SourceArn": topic, "aws:SourceAccount": Arn.parse(topic).account}
    lets = context.evaluator.lets_service("sns.amazonaws.com", "sqs:SendMessage", queue, given)
    if not lets:
        _log.warning("%s did not let in a message of %s: its policy does not", queue, topic)
    return lets


def _number(topic: Any, published: list[dict[str, Any]]) -> None:
    if topic is None or not topic.fifo_topic:
        return
    for answer in published:
        topic.sequence = getattr(topic, "sequence", 10**19) + 1
        answer["SequenceNumber"] = str(topic.sequence)


def _notification(subscription: Any, message: str, message_id: str, options: Any) -> Any:
    """What a function that is subscribed to a topic is given (AWS Lambda developer guide, "Invoking
    Lambda functions with Amazon SNS notifications"), but for a signature."""
    attributes = {
        name: {"Type": each["Type"], "Value": each["Value"]}
        for name, each in (options.get("message_attributes") or {}).items()
    }
    return {
        "Records": [
            {
                "EventSource": "aws:sns",
                "EventVersion": "1.0",
                "EventSubscriptionArn": subscription.arn,
                "Sns": {
                    "Type": "Notification",
                    "MessageId": message_id,
                    "TopicArn": subscription.topic.arn,
                    "Subject": options.get("subject"),
                    "Message": message,
                    "Timestamp": iso_8601_datetime_with_milliseconds(),
                    "MessageAttributes": attributes,
                },
            }
        ]
    }
