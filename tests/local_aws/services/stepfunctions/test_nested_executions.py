"""Executions that start others: what is waited for, stopped, and told of a failure."""

from __future__ import annotations

import json
from typing import Any

import pytest

from local_aws.services.stepfunctions.engine import waiting
from tests.local_aws.aws import Aws, eventually
from tests.local_aws.services.stepfunctions.machines import (
    PASS,
    create,
    of,
    output,
    result,
    run,
    start,
    stop,
    task,
)

CHILD = of(
    {
        "Choose": {
            "Type": "Choice",
            "Choices": [
                {"Variable": "$.do", "StringEquals": "fail", "Next": "Fail"},
                {"Variable": "$.do", "StringEquals": "wait", "Next": "Wait"},
            ],
            "Default": "Done",
        },
        "Fail": {"Type": "Fail", "Error": "Own.Error", "Cause": "why"},
        "Wait": {"Type": "Wait", "Seconds": 600, "Next": "Done"},
        "Done": {"Type": "Pass", "Result": {"done": True}, "End": True},
    }
)


@pytest.fixture(scope="module")
def child(aws: Aws) -> str:
    return create(aws, CHILD, name="child")


def nested(child: str, pattern: str = "", **more: Any) -> dict[str, Any]:
    parameters = {"StateMachineArn": child, "Input": {"do.$": "$.do"}}
    return {"Start": task(f"states:startExecution{pattern}", parameters, **more)}


def test_an_execution_starts_another_and_goes_on(aws: Aws, child: str) -> None:
    answer = output(aws, nested(child), {"do": "wait"})
    assert answer.keys() == {"ExecutionArn", "StartDate"}
    described = aws.client("stepfunctions").describe_execution(executionArn=answer["ExecutionArn"])
    assert (described["status"], described["input"]) == ("RUNNING", '{"do":"wait"}')
    stop(aws, answer["ExecutionArn"])


@pytest.mark.parametrize(
    ("pattern", "put_out"), [(".sync", '{"done":true}'), (".sync:2", {"done": True})]
)
def test_an_execution_waits_for_another(aws: Aws, child: str, pattern: str, put_out: Any) -> None:
    answer = output(aws, nested(child, pattern), {"do": "nothing"})
    assert (answer["Status"], answer["Output"]) == ("SUCCEEDED", put_out)
    assert answer["StateMachineArn"] == child
    assert isinstance(answer["StopDate"], int)


def test_an_end_is_noticed_without_looking(
    aws: Aws, child: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "LOOK_SECONDS", 600.0)
    moment = of({"Wait": {"Type": "Wait", "Seconds": 1, "End": True}})
    states = nested(create(aws, moment, name="moment"), ".sync", TimeoutSeconds=60)
    assert output(aws, states, {"do": "nothing"})["Status"] == "SUCCEEDED"


def test_an_execution_that_is_given_null_gets_nothing(aws: Aws) -> None:
    """Recorded by LocalStack's suite, 2023."""
    parameters = {"StateMachineArn": create(aws, PASS), "Input.$": "$.none"}
    states = {"Start": task("states:startExecution.sync", parameters)}
    assert output(aws, states, {"none": None})["Input"] == "{}"


def test_a_nested_failure_is_the_cause_of_the_tasks(aws: Aws, child: str) -> None:
    ended = run(aws, nested(child, ".sync:2"), input='{"do": "fail"}')
    assert ended["error"] == "States.TaskFailed"
    cause = json.loads(ended["cause"])
    assert (cause["Status"], cause["Error"], cause["Cause"]) == ("FAILED", "Own.Error", "why")


@pytest.mark.parametrize("limit", [{}, {"TimeoutSeconds": 5}])
def test_stopping_reaches_the_execution_that_is_waited_for(
    aws: Aws, child: str, limit: dict[str, int]
) -> None:
    states = nested(child, ".sync", **limit)
    states["Start"]["Parameters"]["Name"] = name = f"waited-for-{len(limit)}"
    execution = start(aws, states, input='{"do": "wait"}')
    inner = f"{child.replace(':stateMachine:', ':execution:')}:{name}"

    def status() -> Any:
        described = aws.client("stepfunctions").list_executions(stateMachineArn=child)
        found = {each["executionArn"]: each["status"] for each in described["executions"]}
        return found.get(inner)

    eventually(status)
    if limit:
        assert result(aws, execution)["error"] == "States.Timeout"
    else:
        stop(aws, execution)
    eventually(lambda: status() == "ABORTED")


def test_a_failing_branch_stops_what_the_other_waits_for(aws: Aws, child: str) -> None:
    waiting = nested(child, ".sync")
    waiting["Start"]["Parameters"] = {
        **waiting["Start"]["Parameters"],
        "Name": "of-a-branch",
        "Input": {"do": "wait"},
    }
    inner = f"{child.replace(':stateMachine:', ':execution:')}:of-a-branch"
    look = task("aws-sdk:sfn:describeExecution", {"ExecutionArn": inner}, Next="Fail")
    often = {"IntervalSeconds": 1, "BackoffRate": 1, "MaxAttempts": 60}
    look["Retry"] = [{"ErrorEquals": ["States.ALL"], **often}]
    failing_branch = of({"Look": look, "Fail": {"Type": "Fail", "Error": "Own.Branch"}})
    states = {"Both": {"Type": "Parallel", "Branches": [of(waiting), failing_branch], "End": True}}
    assert run(aws, states)["error"] == "Own.Branch"
    assert result(aws, inner)["status"] == "ABORTED"


def test_an_unknown_machine_is_named_as_aws_does(aws: Aws, child: str) -> None:
    ended = run(aws, nested(child + "x"), input='{"do": ""}')
    assert ended["error"] == "StepFunctions.StateMachineDoesNotExistException"
