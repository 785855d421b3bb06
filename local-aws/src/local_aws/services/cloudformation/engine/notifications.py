"""Events of stacks, sent to the topics that the stacks' NotificationARNs name."""

from __future__ import annotations

import logging
from queue import SimpleQueue
from threading import Lock, Thread

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.services.cloudformation.engine.stacks import Event, Stack

SUBJECT = "AWS CloudFormation Notification"
CLOSE_SECONDS = 5.0
"""How long `Notifications.close` waits for what is still to be sent."""

_log = logging.getLogger(__name__)


class Notifications:
    """Sends every event of a stack that has topics, in order and in the background.

    Its thread begins with the first such event. What a topic refuses is logged.
    """

    def __init__(self, context: LocalContext) -> None:
        self._context = context
        self._waiting: SimpleQueue[tuple[list[str], str] | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._starting = Lock()

    def tell(self, stack: Stack, event: Event) -> None:
        """Send an event to the topics that the stack has now."""
        topics = list(stack.version.notification_arns)
        if not topics:
            return
        self._waiting.put((topics, _message(stack, event, self._context.account_id)))
        with self._starting:
            if self._thread is None:
                self._thread = Thread(target=self._send, name="notifications", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """End the thread once it has sent what there is, or after a while."""
        self._waiting.put(None)
        if self._thread is not None:
            self._thread.join(CLOSE_SECONDS)

    def _send(self) -> None:
        while (waiting := self._waiting.get()) is not None:
            topics, message = waiting
            for topic in topics:
                try:
                    client = self._context.client("sns", Arn.parse(topic).region)
                    client.publish(TopicArn=topic, Subject=SUBJECT, Message=message)
                except (ClientError, BotoCoreError, ValueError) as error:
                    _log.warning("stack notification to %s: %s", topic, error)


def _message(stack: Stack, event: Event, account_id: str) -> str:
    """A line for each member, as in the CloudFormation user guide, "Monitor stack progress".

    PrincipalId and ResourceProperties are always null here.
    """
    members = {
        "StackId": stack.stack_id,
        "Timestamp": event.timestamp,
        "EventId": event.event_id,
        "LogicalResourceId": event.logical_id,
        "Namespace": account_id,
        "PhysicalResourceId": event.physical_id,
        "PrincipalId": "null",
        "ResourceProperties": "null",
        "ResourceStatus": event.status,
        "ResourceStatusReason": event.reason or "",
        "ResourceType": event.type,
        "StackName": stack.name,
        "ClientRequestToken": event.token or "null",
    }
    return "".join(f"{name}='{value}'\n" for name, value in members.items())
