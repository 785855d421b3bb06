"""Changes to the emulator's SNS; loading it takes long."""

from __future__ import annotations

from functools import wraps
from typing import Any

from moto.core.utils import iso_8601_datetime_with_milliseconds
from moto.sns.models import Subscription

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
