"""Events of the emulator's SNS, EventBridge and S3, brought to functions and state machines.

SNS, the heavy one, is loaded when it is first asked for, not before.
"""

from __future__ import annotations

import json
import logging
import sys
from copy import copy
from functools import wraps
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from moto.core.utils import iso_8601_datetime_with_milliseconds
from moto.events.models import EventTemplateParser, Rule
from moto.s3 import notifications

from sagemaker_serving.local.context import LocalContext
from sagemaker_serving.local.lambda_functions.deliveries import Deliveries

_log = logging.getLogger(__name__)


SERVICES = frozenset({"events", "s3", "sns"})
"""The services that `apply` patches."""


def apply(service: str, context: LocalContext, deliveries: Deliveries) -> None:
    """Apply what a request to one of `SERVICES` may need: S3 can send to the other two.

    A second time only leads the emulator to other functions.
    """
    notify_functions_of_objects(deliveries)
    send_events_to_targets(context, deliveries)
    if service == "sns" or "moto.sns.models" in sys.modules:
        publish_to_functions(deliveries)


def publish_to_functions(deliveries: Deliveries) -> None:
    """The emulator gives a topic's message to its own Lambda, in an event of made-up values."""
    from moto.sns.models import Subscription

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
        deliveries.deliver(
            self.endpoint,
            _notification(self, message, message_id, options),
            service="sns.amazonaws.com",
            source_arn=self.topic.arn,
        )

    Subscription.publish = publish


def notify_functions_of_objects(deliveries: Deliveries) -> None:
    """A bucket's events go to the emulator's own Lambda, which has no functions."""

    def invoke_function(account_id: str, event_body: Any, fn_arn: str, region_name: str) -> None:
        bucket = event_body["Records"][0]["s3"]["bucket"]["arn"]
        deliveries.deliver(fn_arn, event_body, service="s3.amazonaws.com", source_arn=bucket)

    notifications._invoke_awslambda = invoke_function


def send_events_to_targets(context: LocalContext, deliveries: Deliveries) -> None:
    """Functions and state machines are targets that the emulator does not know."""
    original = getattr(Rule.send_to_targets, "__wrapped__", Rule.send_to_targets)

    @wraps(original)
    def send_to_targets(self: Any, original_event: Any, *rest: Any, **options: Any) -> None:
        others = copy(self)
        others.targets = [each for each in self.targets if _service(each) not in _OURS]
        original(others, original_event, *rest, **options)
        if not self.event_pattern.matches_event(original_event):
            return
        for target in self.targets:
            if _service(target) == "lambda":
                deliveries.deliver(
                    target["Arn"],
                    _input(target, original_event),
                    service="events.amazonaws.com",
                    source_arn=self.arn,
                )
            elif _service(target) == "states":
                _start(context, target, _input(target, original_event))

    Rule.send_to_targets = send_to_targets


_OURS = frozenset({"lambda", "states"})


def _service(target: dict[str, Any]) -> str:
    return str(target["Arn"].split(":")[2])


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


def _input(target: dict[str, Any], event: Any) -> Any:
    """What the target is given of the event: Input, InputPath and InputTransformer choose it."""
    if "Input" in target:
        return json.loads(target["Input"])
    if "InputTransformer" in target:
        transformer = target["InputTransformer"]
        return EventTemplateParser.parse(
            input_template=transformer.get("InputTemplate"),
            input_paths_map=transformer.get("InputPathsMap", {}),
            event=event,
        )
    chosen = event
    for step in target.get("InputPath", "$").removeprefix("$").split("."):
        chosen = chosen[step] if step else chosen
    return chosen


def _start(context: LocalContext, target: dict[str, Any], event: Any) -> None:
    """Start an execution in the name of the target's role, as EventBridge does."""
    arn = target["Arn"]
    try:
        session = context.sessions.assume(target["RoleArn"], "events")
        states = context.client_as(session, "stepfunctions", arn.split(":")[3])
        states.start_execution(stateMachineArn=arn, input=json.dumps(event))
    except (BotoCoreError, ClientError, KeyError) as error:
        _log.warning("an event was not sent to %s: %s", arn, error)
