"""What tests of state machines share: making one, running it, and the states they are made of."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

from tests.local_aws.aws import Aws, eventually

ROLE = "arn:aws:iam::123456789012:role/states"
PASS = {"StartAt": "Pass", "States": {"Pass": {"Type": "Pass", "End": True}}}
_numbers = count(1)


def create(aws: Aws, definition: dict[str, Any], **options: Any) -> str:
    """A state machine of a definition; its ARN."""
    made = aws.client("stepfunctions").create_state_machine(
        **{"name": f"machine-{next(_numbers)}", "roleArn": ROLE, **options},
        definition=json.dumps(definition),
    )
    arn: str = made["stateMachineArn"]
    return arn


def of(states: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A definition that starts with the first of its states."""
    return {"StartAt": next(iter(states)), "States": states, **fields}


def begin(aws: Aws, machine: str, **execution: Any) -> str:
    """Start an execution; its ARN."""
    started = aws.client("stepfunctions").start_execution(stateMachineArn=machine, **execution)
    arn: str = started["executionArn"]
    return arn


def start(aws: Aws, states: dict[str, Any], **execution: Any) -> str:
    """Start an execution of a machine made of these states; its ARN."""
    return begin(aws, create(aws, of(states)), **execution)


def result(aws: Aws, execution: str) -> Any:
    """The description of an execution once it has ended."""

    def look() -> Any:
        described = aws.client("stepfunctions").describe_execution(executionArn=execution)
        return described if described["status"] != "RUNNING" else None

    return eventually(look)


def stop(aws: Aws, execution: str, **why: str) -> Any:
    """Stop an execution; its description then."""
    aws.client("stepfunctions").stop_execution(executionArn=execution, **why)
    return result(aws, execution)


def run(aws: Aws, states: dict[str, Any], **execution: Any) -> Any:
    """Run a machine made of these states to its end."""
    return result(aws, start(aws, states, **execution))


def output(aws: Aws, states: dict[str, Any], value: Any = None, **execution: Any) -> Any:
    """What a machine made of these states puts out for an input."""
    given = {} if value is None else value
    ended = run(aws, states, input=json.dumps(given), **execution)
    assert ended["status"] == "SUCCEEDED", (ended.get("error"), ended.get("cause"))
    return json.loads(ended["output"])


def task(resource: str, parameters: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A Task state, the last one unless ``Next`` is given."""
    return {
        "Type": "Task",
        "Resource": f"arn:aws:states:::{resource}",
        "Parameters": parameters,
        **({} if "Next" in more else {"End": True}),
        **more,
    }


def distributed(child: dict[str, Any], kind: str = "STANDARD", **fields: Any) -> dict[str, Any]:
    """A Distributed Map state whose children have this definition."""
    config = {"Mode": "DISTRIBUTED", "ExecutionType": kind}
    return {
        "Type": "Map",
        "ItemProcessor": {"ProcessorConfig": config, **child},
        **({} if "Next" in fields else {"End": True}),
        **fields,
    }


def events(aws: Aws, execution: str) -> list[Any]:
    """Every event of an execution, the oldest first."""
    pages = aws.client("stepfunctions").get_paginator("get_execution_history")
    return [
        event
        for page in pages.paginate(executionArn=execution, PaginationConfig={"PageSize": 7})
        for event in page["events"]
    ]
