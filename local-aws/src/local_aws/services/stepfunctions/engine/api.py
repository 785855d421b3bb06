"""Step Functions' API, but for activities: machines, definitions, executions, Map Runs."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from moto.stepfunctions.parser.asl.eval.callback.callback import (
    CallbackNotifyConsumerError,
    CallbackOutcomeFailure,
    CallbackOutcomeSuccess,
)
from moto.stepfunctions.parser.asl.eval.event.logging import is_logging_enabled_for

from local_aws.arn import Arn
from local_aws.clock import epoch_milliseconds
from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.service import offered
from local_aws.services.stepfunctions.engine import answers
from local_aws.services.stepfunctions.engine.execution import Execution, Machine
from local_aws.services.stepfunctions.engine.log_delivery import log_groups
from local_aws.services.stepfunctions.engine.machines import STANDARD, Machines, problems
from local_aws.services.stepfunctions.engine.registry import Executions
from local_aws.services.stepfunctions.engine.requests import (
    Parameters,
    input_of,
    name_of,
    refuse_output,
    refuse_too_many,
)
from local_aws.states_language import Problem, warnings

_log = logging.getLogger(__name__)

_DIAGNOSTICS = 100
"""https://docs.aws.amazon.com/step-functions/latest/apireference/API_ValidateStateMachineDefinition.html."""

Action = Callable[[Parameters, str], dict[str, Any] | None]


class Api:
    """Answers Step Functions' calls; one for each local AWS."""

    def __init__(self, context: LocalContext) -> None:
        self._integrations = context.integrations
        self._machines = machines = Machines(context)
        self.executions = Executions(
            on_start=partial(_changed, context), on_end=partial(_ended, context)
        )
        self.actions: Mapping[str, Action] = {
            **offered("stepfunctions", machines, Tags(machines)),
            "DeleteStateMachine": self._delete_state_machine,
            "DescribeExecution": self._describe_execution,
            "DescribeMapRun": self._describe_map_run,
            "DescribeStateMachineForExecution": self._describe_machine_of,
            "GetExecutionHistory": self._get_execution_history,
            "ListExecutions": self._list_executions,
            "ListMapRuns": self._list_map_runs,
            "RedriveExecution": self._redrive_execution,
            "SendTaskFailure": self._send_task_failure,
            "SendTaskHeartbeat": self._send_task_heartbeat,
            "SendTaskSuccess": self._send_task_success,
            "StartExecution": self._start_execution,
            "StartSyncExecution": self._start_sync_execution,
            "StopExecution": self._stop_execution,
            "UpdateMapRun": self._update_map_run,
            "ValidateStateMachineDefinition": self._validate,
        }

    def status(self) -> list[dict[str, str]]:
        """Executions that run now, but for Map Runs' children: ``arn`` and ``status``."""
        running = self.executions.running()
        return [
            {"arn": each.arn, "status": each.status} for each in running if each.map_run_arn is None
        ]

    def close(self) -> None:
        """Abort what runs."""
        self.executions.stop_all("the local AWS stops")

    def _validate(self, asked: Parameters, region: str) -> dict[str, Any]:
        text = asked["definition"]
        found = [
            _diagnostic(each, "ERROR")
            for each in problems(text, asked.get("type", STANDARD), self._integrations)
        ]
        result = "FAIL" if found else "OK"
        if asked.get("severity") == "WARNING" and result == "OK":
            found = [_diagnostic(each, "WARNING") for each in warnings(json.loads(text))]
        most = asked.get("maxResults") or _DIAGNOSTICS  # AWS takes 0 for the default, too
        return {"result": result, "diagnostics": found[:most], "truncated": len(found) > most}

    def _delete_state_machine(self, asked: Parameters, region: str) -> dict[str, Any]:
        self._machines.forget(asked["stateMachineArn"], region)
        self.executions.forget_machine(asked["stateMachineArn"])
        return {}

    def _start_execution(self, asked: Parameters, region: str) -> dict[str, Any]:
        machine = self._machines.find(asked["stateMachineArn"], region)
        execution = self._started(machine, asked)
        return {"executionArn": execution.arn, "startDate": execution.start_date}

    def _start_sync_execution(self, asked: Parameters, region: str) -> dict[str, Any]:
        machine = self._machines.find(asked["stateMachineArn"], region)
        if machine.kind != "EXPRESS":
            raise _not_supported()
        execution = self._started(machine, asked)
        execution.ended.wait()
        return answers.describe_sync_execution(execution, asked)

    def _started(self, machine: Machine, asked: Parameters) -> Execution:
        name, given = name_of(asked), input_of(asked)
        return self.executions.start(machine, name, given, asked.get("traceHeader"))

    def _stop_execution(self, asked: Parameters, region: str) -> dict[str, Any]:
        execution = self.executions.find(asked["executionArn"])
        execution.stop(error=asked.get("error"), cause=asked.get("cause"))
        return {"stopDate": execution.stop_date}

    def _redrive_execution(self, asked: Parameters, region: str) -> dict[str, Any]:
        execution = self.executions.find(asked["executionArn"])
        raise AwsError(
            "ExecutionNotRedrivable",
            f"the local AWS redrives no executions; start '{execution.name}' anew under "
            "another name",
        )

    def _describe_execution(self, asked: Parameters, region: str) -> dict[str, Any]:
        return answers.describe_execution(self.executions.find(asked["executionArn"]), asked)

    def _describe_machine_of(self, asked: Parameters, region: str) -> dict[str, Any]:
        return answers.machine_of(self.executions.find(asked["executionArn"]), asked)

    def _list_executions(self, asked: Parameters, region: str) -> dict[str, Any]:
        if ("mapRunArn" in asked) == ("stateMachineArn" in asked):
            raise AwsError(
                "ValidationException", "Specify either a stateMachineArn or a mapRunArn, not both"
            )
        if "mapRunArn" in asked:
            self.executions.map_run(asked["mapRunArn"])
            found = self.executions.children_of(asked["mapRunArn"])
        elif asked.get("stateMachineArn") is None:
            what = "Must provide either the state machine ARN or the map run ARN"
            raise AwsError("ValidationException", what)
        else:
            machine = self._machines.find(asked["stateMachineArn"], region)
            if machine.kind == "EXPRESS":
                raise _not_supported()
            found = self.executions.executions_of(asked["stateMachineArn"])
        wanted = asked.get("statusFilter")
        if asked.get("redriveFilter") == "REDRIVEN":
            found = []  # none ever is
        listed = [answers.list_item(each) for each in found if wanted in (None, each.status)]
        return answers.page("executions", listed, asked)

    def _get_execution_history(self, asked: Parameters, region: str) -> dict[str, Any]:
        events = answers.history(
            self.executions.find(asked["executionArn"]), asked.get("includeExecutionData", True)
        )
        if asked.get("reverseOrder"):
            events.reverse()
        return answers.page("events", events, asked)

    def _describe_map_run(self, asked: Parameters, region: str) -> dict[str, Any]:
        return self.executions.map_run(asked["mapRunArn"]).describe()

    def _list_map_runs(self, asked: Parameters, region: str) -> dict[str, Any]:
        runs = self.executions.find(asked["executionArn"]).map_runs
        return answers.page("mapRuns", [run.list_item() for run in runs], asked)

    def _update_map_run(self, asked: Parameters, region: str) -> dict[str, Any]:
        self.executions.map_run(asked["mapRunArn"]).update(
            asked.get("maxConcurrency"),
            asked.get("toleratedFailureCount"),
            asked.get("toleratedFailurePercentage"),
        )
        return {}

    def _send_task_success(self, asked: Parameters, region: str) -> dict[str, Any]:
        token = asked["taskToken"]
        refuse_output(asked["output"])
        return self._tell("notify", token, CallbackOutcomeSuccess(token, asked["output"]))

    def _send_task_failure(self, asked: Parameters, region: str) -> dict[str, Any]:
        token = asked["taskToken"]
        outcome = CallbackOutcomeFailure(token, asked.get("error"), asked.get("cause"))
        return self._tell("notify", token, outcome)

    def _send_task_heartbeat(self, asked: Parameters, region: str) -> dict[str, Any]:
        return self._tell("heartbeat", asked["taskToken"])

    def _tell(self, method: str, token: str, *outcome: Any) -> dict[str, Any]:
        for execution in self.executions.running():
            try:
                if execution.tell(method, token, *outcome):
                    return {}
            except CallbackNotifyConsumerError:
                raise AwsError(
                    "TaskTimedOut", "Task Timed Out: 'Provided task does not exist anymore'"
                ) from None
        raise AwsError("InvalidToken", "Invalid Token: 'Invalid token'")


def _ended(context: LocalContext, execution: Execution) -> None:
    context.integrations.tell_of_an_end()
    _deliver(context, execution)
    _changed(context, execution)


def _changed(context: LocalContext, execution: Execution) -> None:
    """Put the event of its status to the default bus, for a STANDARD one; never raises.

    Whether AWS tells of a Distributed Map's children is unverified: here it does not.
    """
    if execution.machine.kind != STANDARD or execution.map_run_arn is not None:
        return
    event = {
        "Source": "aws.states",
        "DetailType": "Step Functions Execution Status Change",
        "Resources": [execution.arn],
        "Detail": json.dumps(answers.status_change(execution)),
    }
    try:
        context.client("events", Arn.parse(execution.arn).region).put_events(Entries=[event])
    except (BotoCoreError, ClientError) as error:
        _log.warning("no event of execution %s: %s", execution.name, error)


def _not_supported() -> AwsError:
    return AwsError(
        "StateMachineTypeNotSupported",
        "This operation is not supported by this type of state machine",
    )


def _diagnostic(problem: Problem, severity: str) -> dict[str, Any]:
    said = {"code": problem.code, "message": problem.message, "location": problem.location}
    return answers.present({"severity": severity, **said})


class Tags:
    """Writes, takes away and lists tags, which the emulator keeps."""

    def __init__(self, machines: Machines) -> None:
        self._machines = machines

    def tag_resource(self, asked: Parameters, region: str) -> dict[str, Any]:
        """Write tags; those of the same keys are replaced."""
        arn, tagger = asked["resourceArn"], self._tagger(asked, region)
        refuse_too_many(asked["tags"], arn, kept=tagger.get_tag_dict_for_resource(arn))
        tagger.tag_resource(arn, asked["tags"])
        return {}

    def untag_resource(self, asked: Parameters, region: str) -> dict[str, Any]:
        """Take the tags of these keys away, if there are any."""
        tagger = self._tagger(asked, region)
        tagger.untag_resource_using_names(asked["resourceArn"], asked["tagKeys"])
        return {}

    def list_tags_for_resource(self, asked: Parameters, region: str) -> dict[str, Any]:
        """All tags."""
        found: dict[str, Any] = self._tagger(asked, region).list_tags_for_resource(
            asked["resourceArn"]
        )
        return found

    def _tagger(self, asked: Parameters, region: str) -> Any:
        """Raises AwsError ResourceNotFound unless what is tagged is there."""
        arn, kept = asked["resourceArn"], self._machines.backend(region)
        if arn not in kept.activities and self._machines.machine_if_any(arn, region) is None:
            raise AwsError("ResourceNotFound", f"Resource not found: '{arn}'")
        return kept.tagger


_DATA = ("input", "inputDetails", "output", "outputDetails")
_AT_ONCE = 500
_VALIDATION = "log_stream_created_by_aws_to_validate_log_delivery_subscriptions"


def _deliver(context: LocalContext, execution: Execution) -> None:
    """Write an execution's events into its machine's log group, if it has one; never raises.

    They come when the execution has ended. The service delivers them, not the role
    (https://docs.aws.amazon.com/step-functions/latest/dg/cw-logs.html).
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
