"""Executions as the API describes them; times are datetimes.

The variables that states refer to, as DescribeStateMachine tells them:
https://docs.aws.amazon.com/step-functions/latest/apireference/API_DescribeStateMachine.html
(``variableReferences``). That a template's text counts under a name with ``.$``
only, and the order of names, are from what LocalStack's suite recorded of AWS in 2024.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from local_aws.clock import epoch_milliseconds
from local_aws.protocol import AwsError
from local_aws.services.stepfunctions.engine.execution import Execution, Machine
from local_aws.states_language import is_expression

_EVENT_BYTES = 248 * 1024
_PAGE = 100
_DATA = ("input", "output")
_SYNC = (
    *("executionArn", "stateMachineArn", "name", "startDate", "stopDate", "error", "cause"),
    *("input", "inputDetails", "output", "traceHeader"),
)


def describe_execution(execution: Execution, asked: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeExecution's answer."""
    secret = _is_secret(asked)
    return present(
        {
            **_told_of(execution),
            "input": None if secret else execution.input,
            "inputDetails": {"included": not secret},
            "output": None if secret else execution.output,
            "outputDetails": None if execution.output is None else {"included": not secret},
            "traceHeader": execution.trace_header,
            "error": execution.error,
            "cause": execution.cause,
            **execution.redrive(),
        }
    )


def status_change(execution: Execution) -> dict[str, Any]:
    """The detail of the event that a STANDARD execution's start and end put to the default bus.

    It has what DescribeExecution has, times in milliseconds, and null for what there is not yet. A
    text by which it would exceed 248 KB is left out (Step Functions developer guide, "Automating
    event delivery with EventBridge").
    """
    output = execution.output
    length = 0 if output is None else len(json.dumps(output).encode())
    has_input = length + len(json.dumps(execution.input).encode()) <= _EVENT_BYTES
    has_output = length <= _EVENT_BYTES
    ended = execution.stop_date
    return {
        "executionArn": execution.arn,
        "stateMachineArn": execution.machine_arn,
        "name": execution.name,
        "status": execution.status,
        "startDate": epoch_milliseconds(execution.start_date),
        "stopDate": None if ended is None else epoch_milliseconds(ended),
        "input": execution.input if has_input else None,
        "inputDetails": {"included": has_input},
        "output": output if has_output else None,
        "outputDetails": None if output is None else {"included": has_output},
        "error": execution.error,
        "cause": execution.cause,
    }


def describe_sync_execution(execution: Execution, asked: Mapping[str, Any]) -> dict[str, Any]:
    """StartSyncExecution's answer; what is billed is the time rounded up to 100 ms, in 64 MB."""
    described = describe_execution(execution, asked)
    took = (execution.stop_date or execution.start_date) - execution.start_date
    billed = -(-took.total_seconds() * 1000 // 100) * 100
    status = "FAILED" if execution.status == "ABORTED" else execution.status
    return {
        **{name: described[name] for name in _SYNC if name in described},
        "outputDetails": {"included": not _is_secret(asked)},  # without an output, too
        "status": status,
        "billingDetails": {
            "billedMemoryUsedInMB": 64,
            "billedDurationInMilliseconds": int(billed),
        },
    }


def list_item(execution: Execution) -> dict[str, Any]:
    """An execution among others, as ListExecutions has it."""
    return present({**_told_of(execution), "itemCount": execution.item_count})


def _told_of(execution: Execution) -> dict[str, Any]:
    """What every answer about an execution says of it."""
    return {
        "executionArn": execution.arn,
        "stateMachineArn": execution.machine.arn,
        "name": execution.name,
        "status": execution.status,
        "startDate": execution.start_date,
        "stopDate": execution.stop_date,
        "mapRunArn": execution.map_run_arn,
        "redriveCount": 0,
    }


def describe_machine(machine: Machine, asked: Mapping[str, Any]) -> dict[str, Any]:
    """What DescribeStateMachine and DescribeStateMachineForExecution both answer."""
    return present(
        {
            "stateMachineArn": machine.arn,
            "name": machine.name,
            "definition": "{}" if _is_secret(asked) else machine.definition,
            "roleArn": machine.role_arn,
            "loggingConfiguration": machine.logging,
            "tracingConfiguration": machine.tracing,
            "encryptionConfiguration": machine.encryption,
            "revisionId": machine.revision_id,
            "variableReferences": variable_references(machine.definition) or None,
        }
    )


def machine_of(execution: Execution, asked: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeStateMachineForExecution's answer."""
    machine = execution.machine
    return describe_machine(machine, asked) | present(
        {
            "updateDate": datetime.fromisoformat(machine.update_date),
            "mapRunArn": execution.map_run_arn,
            "label": machine.arn.partition("/")[2] or None,
        }
    )


def history(execution: Execution, with_data: bool) -> list[dict[str, Any]]:
    """GetExecutionHistory's events, the oldest first."""
    return [
        {
            name: _details(value, with_data) if name.endswith("EventDetails") else value
            for name, value in event.items()
            if value is not None
        }
        | {"timestamp": datetime.fromisoformat(event["timestamp"])}
        for event in execution.history.events()
    ]


def present(members: dict[str, Any]) -> dict[str, Any]:
    """The members that there are."""
    return {name: value for name, value in members.items() if value is not None}


def page(name: str, items: list[dict[str, Any]], asked: Mapping[str, Any]) -> dict[str, Any]:
    """One page of a list; ``nextToken`` when there are more.

    Raises AwsError InvalidToken for a token that no earlier page gave.
    """
    size = asked.get("maxResults") or _PAGE  # AWS takes 0 for the default, too
    start = _start(asked.get("nextToken"))
    end = start + size
    more = {"nextToken": _token(end)} if end < len(items) else {}
    return {name: items[start:end], **more}


def _is_secret(asked: Mapping[str, Any]) -> bool:
    """Whether the caller wants no data, which a key of the caller's own may encrypt."""
    return asked.get("includedData") == "METADATA_ONLY"


def _details(details: Mapping[str, Any], with_data: bool) -> dict[str, Any]:
    return {
        key: value
        for key, value in details.items()
        if value is not None and (with_data or key not in _DATA)
    }


def _token(start: int) -> str:
    return base64.urlsafe_b64encode(f"from {start}".encode()).decode()


def _start(token: str | None) -> int:
    if token is None:
        return 0
    try:
        return int(base64.urlsafe_b64decode(token).decode().removeprefix("from "))
    except ValueError:
        raise AwsError("InvalidToken", "Invalid Token: 'Invalid token'") from None


_NESTED = frozenset({"Branches", "Iterator", "ItemProcessor"})
_TEMPLATES = frozenset(
    {"Assign", "BatchInput", "ItemSelector", "Parameters", "Result", "ResultSelector"}
)
_PATH = re.compile(r"\w*Path|Variable")
_TEXT_OR_VARIABLE = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\$(?P<name>[^\W\d]\w*)""")


@lru_cache(maxsize=128)
def variable_references(definition: str) -> Mapping[str, list[str]]:
    """The variables, by the name of the state, of a definition that was found to be good.

    A variable is what an Assign of the definition gives a value to, so that neither
    ``$states`` and functions of JSONata nor what an expression binds itself are taken for one.
    """
    document = json.loads(definition)
    states = list(_states(document, document.get("QueryLanguage", "JSONPath")))
    assigned = {
        name.removesuffix(".$")
        for _, state, _ in states
        for given in [state, *state.get("Choices", []), *state.get("Catch", [])]
        for name in given.get("Assign", {})
    }
    found = {
        name: sorted({each for text in _texts(state, language) for each in _names(text)} & assigned)
        for name, state, language in states
    }
    return {name: variables for name, variables in found.items() if variables}


def _states(scope: Mapping[str, Any], language: str) -> Iterator[tuple[str, Any, str]]:
    """Every state, at whatever depth, with its name and its query language."""
    for name, state in scope.get("States", {}).items():
        own = state.get("QueryLanguage", language)
        yield name, {key: value for key, value in state.items() if key not in _NESTED}, own
        nested = [state.get("Iterator", {}), state.get("ItemProcessor", {})]
        for each in [*nested, *state.get("Branches", [])]:
            yield from _states(each, own)


def _texts(value: Any, language: str, key: str = "", *, in_template: bool = False) -> Iterator[str]:
    """The texts in which a variable would be looked up."""
    if isinstance(value, Mapping):
        for name, member in value.items():
            inside = in_template or name in _TEMPLATES
            yield from _texts(member, language, name, in_template=inside)
    elif isinstance(value, list):
        for member in value:
            yield from _texts(member, language, in_template=in_template)
    elif isinstance(value, str):
        looked_up = key.endswith(".$") or (not in_template and _PATH.fullmatch(key) is not None)
        if is_expression(value) if language == "JSONata" else looked_up:
            yield value


def _names(text: str) -> Iterator[str]:
    return (found["name"] for found in _TEXT_OR_VARIABLE.finditer(text) if found["name"])
