"""What CloudFormation calls begins one execution per request, however often it is called."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from sagemaker_serving.functions.custom_resource import start
from tests.functions.neo_compilation.driving import Listener, event, properties
from tests.local_aws.aws import Aws
from tests.local_aws.services.stepfunctions.machines import create, of


@pytest.fixture
def machine(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A machine whose executions wait."""
    wait = {"Type": "Wait", "Seconds": 600, "End": True}
    arn = create(aws, of({"Wait": wait}))
    monkeypatch.setenv("STATE_MACHINE_ARN", arn)
    yield arn
    for execution in executions(aws, arn):
        aws.client("stepfunctions").stop_execution(executionArn=execution["executionArn"])


def executions(aws: Aws, machine: str, status: str = "RUNNING") -> list[Any]:
    listed = aws.client("stepfunctions").list_executions(
        stateMachineArn=machine, statusFilter=status
    )
    return list(listed["executions"])


def given(aws: Aws, execution: Any) -> Any:
    described = aws.client("stepfunctions").describe_execution(
        executionArn=execution["executionArn"]
    )
    return json.loads(described["input"])


def test_a_request_that_comes_twice_is_begun_once(
    aws: Aws, listener: Listener, machine: str
) -> None:
    asked = event(listener, properties("keras.tar.gz"))
    start.handler(asked, None)
    start.handler(asked, None)
    (execution,) = executions(aws, machine)
    assert given(aws, execution) == {"request": asked, "interrupted": False}
    assert execution["name"].endswith(asked["RequestId"])


def test_a_request_that_was_worked_on_is_not_begun_again(
    aws: Aws, listener: Listener, machine: str
) -> None:
    asked = event(listener, properties("keras.tar.gz"))
    start.handler(asked, None)
    (execution,) = executions(aws, machine)
    aws.client("stepfunctions").stop_execution(executionArn=execution["executionArn"])
    start.handler(asked, None)
    assert executions(aws, machine) == []


@pytest.mark.parametrize("kind", ["Update", "Delete"])
def test_what_still_runs_for_the_resource_is_ended_first(
    aws: Aws, listener: Listener, machine: str, kind: str
) -> None:
    mine = event(listener, properties("keras.tar.gz"))
    other = event(listener, properties("keras.tar.gz"), LogicalResourceId="Other")
    start.handler(mine, None)
    start.handler(other, None)
    asked = event(listener, properties("keras.tar.gz"), kind)
    start.handler(asked, None)
    start.handler(asked, None)
    (ended,) = executions(aws, machine, "ABORTED")
    assert ended["name"].endswith(mine["RequestId"])
    running = {execution["name"]: given(aws, execution) for execution in executions(aws, machine)}
    assert len(running) == 2
    assert [it["interrupted"] for it in running.values() if it["request"] == asked] == [True]
