"""Changes to the emulator's SNS; loading it takes long."""

from __future__ import annotations

from functools import wraps
from typing import Any

from moto.core.responses import ActionResult
from moto.core.utils import camelcase_to_underscores, iso_8601_datetime_with_milliseconds
from moto.sns.models import Subscription
from moto.sns.responses import SNSResponse

from local_aws.events import Targets


def publish_to_functions(targets: Targets) -> None:
    """The emulator gives a topic's message to its own Lambda, in an event of made-up values."""
    original = getattr(Subscription.publish, "__wrapped__", Subscription.publish)

    @wraps(original)
    def publish(self: Any, message: str, message_id: str, **options: Any) -> None:
        if self.protocol != "lambda":
            original(self, message, message_id, **options)
            return
        matcher = self._filter_policy_matcher
        if matcher is not None and not matcher.matches(options.get("message_attributes"), message):
            return
        if options.get("message_structure") == "json":
            message = self._parse_message_structure(message, self.protocol)
        targets.deliver(
            self.endpoint,
            _notification(self, message, message_id, options),
            service="sns.amazonaws.com",
            source_arn=self.topic.arn,
        )

    Subscription.publish = publish


def tell_every_attribute() -> None:
    """The emulator keeps whatever a topic is given, and tells a few of it only."""
    original = getattr(
        SNSResponse.get_topic_attributes, "__wrapped__", SNSResponse.get_topic_attributes
    )

    @wraps(original)
    def get_topic_attributes(self: Any) -> ActionResult:
        told = original(self).result["Attributes"]
        topic = self.backend.get_topic(self._get_param("TopicArn"))
        kept = {name: getattr(topic, camelcase_to_underscores(name), "") for name in _ATTRIBUTES}
        given = {name: value for name, value in kept.items() if value != ""}
        return ActionResult({"Attributes": {**told, **given}})

    SNSResponse.get_topic_attributes = get_topic_attributes


_ATTRIBUTES = ("ArchivePolicy", "FifoThroughputScope", "SignatureVersion", "TracingConfig")
"""Those that the emulator does not tell."""


def _notification(subscription: Any, message: str, message_id: str, options: Any) -> Any:
    """What a function that is subscribed to a topic is given (AWS Lambda developer guide, "Invoking
    Lambda functions with Amazon SNS notifications", read 2026-11-21), but for a signature."""
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
