"""Executions' events in CloudWatch Logs, as a machine's LoggingConfiguration wants them.

https://docs.aws.amazon.com/step-functions/latest/dg/cw-logs.html.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from moto.stepfunctions.parser.asl.eval.event.logging import is_logging_enabled_for

from local_aws.arn import Arn
from local_aws.clock import epoch_milliseconds
from local_aws.context import LocalContext
from local_aws.services.stepfunctions.engine.execution import Execution
from local_aws.services.stepfunctions.engine.log_destination import log_groups

_log = logging.getLogger(__name__)
_DATA = ("input", "inputDetails", "output", "outputDetails")
_AT_ONCE = 500
_VALIDATION = "log_stream_created_by_aws_to_validate_log_delivery_subscriptions"


def deliver(context: LocalContext, execution: Execution) -> None:
    """Write an execution's events into its machine's log group, if it has one; never raises.

    They come when the execution has ended. The service delivers them, not the role.
    """
    wanted = execution.machine.logging
    group = next((name for _, name in log_groups(wanted)), None)
    if group is None or wanted["level"] == "OFF":
        return
    region = Arn.parse(execution.arn).region
    events = [
        _entry(execution, event, with_data=bool(wanted.get("includeExecutionData")))
        for event in execution.history.events()
        if is_logging_enabled_for(wanted["level"], event["type"])
    ]
    try:
        client = context.client("logs", region)
        for start in range(0, len(events), _AT_ONCE):
            _put(client, group, _stream(execution), events[start : start + _AT_ONCE])
    except (BotoCoreError, ClientError) as error:
        _log.warning("no logs of execution %s in %s: %s", execution.name, group, error)


def _put(client: Any, group: str, stream: str, events: list[dict[str, Any]]) -> None:
    """Write events; make the stream, and beside it the one that AWS leaves, if need be."""
    write = partial(client.put_log_events, logGroupName=group, logEvents=events)
    try:
        write(logStreamName=stream)
    except client.exceptions.ResourceNotFoundException:
        for name in (_VALIDATION, stream):
            with suppress(client.exceptions.ResourceAlreadyExistsException):
                client.create_log_stream(logGroupName=group, logStreamName=name)
        write(logStreamName=stream)


def _stream(execution: Execution) -> str:
    """A machine's, for all of its executions of a day."""
    machine = execution.machine
    own = hashlib.sha256(machine.arn.encode()).hexdigest()[:8]
    return f"states/{machine.name}/{execution.start_date:%Y-%m-%d}-00-00/{own}"


def _entry(execution: Execution, event: Mapping[str, Any], *, with_data: bool) -> dict[str, Any]:
    at = epoch_milliseconds(datetime.fromisoformat(event["timestamp"]))
    details = next((event[key] for key in event if key.endswith("EventDetails")), None) or {}
    kept = {key: value for key, value in details.items() if with_data or key not in _DATA}
    message = {
        "id": str(event["id"]),
        "type": event["type"],
        "details": kept,
        "redrive_count": "0",
        "previous_event_id": str(event["previousEventId"]),
        "event_timestamp": str(at),
        "execution_arn": execution.arn,
    }
    return {"timestamp": at, "message": json.dumps(message)}
