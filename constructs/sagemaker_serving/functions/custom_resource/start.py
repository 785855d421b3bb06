"""What CloudFormation calls: begins the execution that does the work, once per request."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from .clients import client


def handler(event: Mapping[str, Any], context: object) -> None:
    """Begins the execution for a request, which carries the request's name.

    Lambda and CloudFormation may both send a request again: a second execution of that name
    cannot begin. Before an Update or a Delete, whatever still runs for the resource is ended,
    as after a cancelled Create. Raises what AWS answers; Lambda tries again then.
    """
    machine = os.environ["STATE_MACHINE_ARN"]
    states = client("stepfunctions")
    name = f"{_execution_prefix(event)}{event['RequestId']}"
    interrupted = event["RequestType"] != "Create" and _end_others(states, machine, name, event)
    try:
        states.start_execution(
            stateMachineArn=machine,
            name=name,
            input=json.dumps({"request": event, "interrupted": interrupted}, sort_keys=True),
        )
    except states.exceptions.ExecutionAlreadyExists:
        print(f"{name} runs or has run already")


def _end_others(states: Any, machine: str, name: str, event: Mapping[str, Any]) -> bool:
    """Whether any other execution of the resource was under way."""
    prefix = _execution_prefix(event)
    others = [
        execution["executionArn"]
        for page in states.get_paginator("list_executions").paginate(
            stateMachineArn=machine, statusFilter="RUNNING"
        )
        for execution in page["executions"]
        if execution["name"].startswith(prefix) and execution["name"] != name
    ]
    for arn in others:
        states.stop_execution(executionArn=arn, cause=f"{event['RequestType']} came after it")
    return bool(others)


def _execution_prefix(event: Mapping[str, Any]) -> str:
    """What the names of all executions for one resource begin with."""
    resource = f"{event['StackId']} {event['LogicalResourceId']}"
    return f"{hashlib.sha256(resource.encode()).hexdigest()[:16]}-"
