"""What became of an asynchronous event: told to its destination, or put among the dead letters.

Sent in the name of the function's role, which needs leave to send, and no more.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.services.lambda_.invocations import Result
from local_aws.services.lambda_.limits import invalid
from local_aws.services.lambda_.names import session_name
from local_aws.services.lambda_.store import Configuration

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Fate:
    """What became of an event: ``condition`` is AWS's word, ``result`` its last attempt's."""

    request_id: str
    function_arn: str
    payload: str
    condition: str
    attempts: int
    result: Result | None

    def record(self) -> dict[str, Any]:
        """It as destinations are told ("Capturing records of Lambda asynchronous invocations")."""
        record: dict[str, Any] = {
            "version": "1.0",
            "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "requestContext": {
                "requestId": self.request_id,
                "functionArn": self.function_arn,
                "condition": self.condition,
                "approximateInvokeCount": self.attempts,
            },
            "requestPayload": json.loads(self.payload),
        }
        if self.result is not None:
            failed = {"functionError": "Unhandled"} if self.result.failed else {}
            record["responseContext"] = {
                "statusCode": 200,
                "executedVersion": self.result.version,
                **failed,
            }
            record["responsePayload"] = json.loads(self.result.body)
        return record


class Records:
    """Sends what became of events; what cannot be sent is said in the log."""

    def __init__(self, context: LocalContext) -> None:
        self._context = context

    def check_dead_letters(self, target: str, configuration: Configuration) -> None:
        """Raise `AwsError` when a function's role may not send to its dead-letter target."""
        if Arn.parse(target).service not in ("sns", "sqs"):
            raise invalid(f"a dead-letter target is an SQS queue or an SNS topic, not {target}")
        action = self._refused(target, configuration)
        if action:
            service = Arn.parse(target).service.upper()
            raise invalid(
                f"The provided execution role does not have permissions to call {action} on "
                f"{service}"
            )

    def check_destination(self, target: str, configuration: Configuration) -> None:
        """Raise `AwsError` when a function's role may not send to a destination."""
        action = self._refused(target, configuration)
        if action:
            raise invalid(
                f"The function's execution role does not have permissions to call {action} on "
                f"{target}"
            )

    def _refused(self, target: str, configuration: Configuration) -> str:
        """What the role needs leave for, to send there, and has not; else ""."""
        action = ACTIONS[Arn.parse(target).service]
        name = session_name(configuration["FunctionName"])
        session = self._context.sessions.assume(configuration["Role"], name)
        may = self._context.evaluator.allows(session, action, target)
        return "" if may else action.partition(":")[2]

    def tell(self, target: str, fate: Fate, configuration: Configuration) -> None:
        """Give a destination the record."""
        self._send(target, fate, json.dumps(fate.record()), configuration, {})

    def bury(self, target: str, fate: Fate, configuration: Configuration) -> None:
        """Put the event itself into a dead-letter queue or topic, with why in its attributes."""
        said = json.loads(fate.result.body) if fate.result is not None else {}
        attributes = {
            "RequestID": {"DataType": "String", "StringValue": fate.request_id},
            "ErrorCode": {"DataType": "Number", "StringValue": "200" if fate.result else "429"},
            "ErrorMessage": {
                "DataType": "String",
                "StringValue": str(said.get("errorMessage") or fate.condition)[:_MESSAGE],
            },
        }
        self._send(target, fate, fate.payload, configuration, {"MessageAttributes": attributes})

    def _send(
        self,
        target: str,
        fate: Fate,
        text: str,
        configuration: Configuration,
        more: Mapping[str, Any],
    ) -> None:
        arn = Arn.parse(target)
        name = configuration["FunctionName"]
        session = self._context.sessions.assume(configuration["Role"], session_name(name))
        client = self._context.client_as(session, arn.service, arn.region)
        try:
            method, arguments = _call(self._context.url, target, text, more)
            getattr(client, method)(**arguments)
        except (BotoCoreError, ClientError) as error:
            _log.warning("the record of an event of %s was lost: %s", name, error)


def _call(url: str, target: str, text: str, more: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The method of the target's client that takes ``text``, and its arguments."""
    arn = Arn.parse(target)
    match arn.service:
        case "sqs":
            # Made up, not asked for: AWS needs no leave for sqs:GetQueueUrl.
            queue = f"{url}/{arn.account}/{arn.resource}"
            return "send_message", {"QueueUrl": queue, "MessageBody": text, **more}
        case "sns":
            return "publish", {"TopicArn": target, "Message": text, **more}
        case _:  # Lambda
            sent = {"InvocationType": "Event", "Payload": text.encode()}
            return "invoke", {"FunctionName": target, **sent}


ACTIONS: Mapping[str, str] = {
    "lambda": "lambda:InvokeFunction",
    "sns": "sns:Publish",
    "sqs": "sqs:SendMessage",
}
"""Where records of events go here, and what the role needs leave for (AWS Lambda developer guide,
"Capturing records of Lambda asynchronous invocations")."""

NOT_TOLD = ("events", "s3")
"""Destinations of AWS's that are not carried out."""


def not_told(event: str, destination: str) -> str:
    """What is said of one of those."""
    return (
        f"{event} has the destination {destination}; the local AWS tells queues, topics and "
        "functions only"
    )


_MESSAGE = 1024
"""How much of an error's message a dead letter carries ("Adding a dead-letter queue")."""
