"""Executions' events in CloudWatch Logs, as a machine's LoggingConfiguration wants them.

https://docs.aws.amazon.com/step-functions/latest/dg/cw-logs.html, read 2026-11-21.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from moto.stepfunctions.parser.asl.eval.event.logging import is_logging_enabled_for

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.services.stepfunctions.engine.execution import Execution
from local_aws.services.stepfunctions.engine.log_destination import log_groups
from local_aws.services.stepfunctions.engine.times import epoch_milliseconds

_log = logging.getLogger(__name__)
_DATA = ("input", "inputDetails", "output", "outputDetails")
_AT_ONCE = 500


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
    stream = f"states/{execution.machine.name}/{execution.start_date:%Y-%m-%d-%H-%M}/"
    stream += execution.arn.rpartition(":")[2][-8:]
    try:
        client = context.client("logs", region)
        if events:
            client.create_log_stream(logGroupName=group, logStreamName=stream)
        for start in range(0, len(events), _AT_ONCE):
            client.put_log_events(
                logGroupName=group,
                logStreamName=stream,
                logEvents=events[start : start + _AT_ONCE],
            )
    except (BotoCoreError, ClientError) as error:
        _log.warning("no logs of execution %s in %s: %s", execution.name, group, error)


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
