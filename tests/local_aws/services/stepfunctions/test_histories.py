"""What the history of an execution tells, and which event each refers to."""

from __future__ import annotations

from typing import Any

from tests.local_aws.aws import Aws
from tests.local_aws.services.stepfunctions.machines import events, of, result, start, task

FAIL: dict[str, Any] = {"Fail": {"Type": "Fail", "Error": "Own.Error"}}
CATCH = [{"ErrorEquals": ["States.ALL"], "Next": "Caught"}]
CAUGHT = {"Caught": {"Type": "Pass", "End": True}}


def told(aws: Aws, states: dict[str, Any], **execution: Any) -> list[tuple[str, int]]:
    """Each event's type, and which one it follows."""
    began = start(aws, states, **execution)
    result(aws, began)
    return [(event["type"], event["previousEventId"]) for event in events(aws, began)]


def test_what_follows_a_failed_iteration_refers_to_the_state_that_failed(aws: Aws) -> None:
    """Recorded by LocalStack's suite, 2023."""
    retry = [{"ErrorEquals": ["States.ALL"], "MaxAttempts": 1, "IntervalSeconds": 1}]
    each = {
        "Type": "Map",
        "ItemProcessor": of(FAIL),
        "Retry": retry,
        "Catch": CATCH,
        "Next": "Caught",
    }
    assert told(aws, {"Each": each, **CAUGHT}, input="[1]") == [
        ("ExecutionStarted", 0),
        ("MapStateEntered", 0),
        ("MapStateStarted", 2),
        ("MapIterationStarted", 3),
        ("FailStateEntered", 4),
        ("MapIterationFailed", 5),
        ("MapStateStarted", 5),
        ("MapIterationStarted", 7),
        ("FailStateEntered", 8),
        ("MapIterationFailed", 9),
        ("MapStateFailed", 9),
        ("MapStateExited", 11),
        ("PassStateEntered", 12),
        ("PassStateExited", 13),
        ("ExecutionSucceeded", 14),
    ]


def test_a_task_that_fails_its_branch_is_aborted_too(aws: Aws) -> None:
    """Recorded by LocalStack's suite, 2024."""
    branch = of({"Ask": task("aws-sdk:s3:headObject", {"Bucket": "absent", "Key": "k"})})
    both = {"Type": "Parallel", "Branches": [branch], "Catch": CATCH, "Next": "Caught"}
    assert told(aws, {"Both": both, **CAUGHT})[3:9] == [
        ("TaskStateEntered", 3),
        ("TaskScheduled", 4),
        ("TaskStarted", 5),
        ("TaskFailed", 6),
        ("TaskStateAborted", 7),
        ("ParallelStateFailed", 7),
    ]


def test_a_state_of_another_kind_that_fails_its_branch_is_not(aws: Aws) -> None:
    both = {"Type": "Parallel", "Branches": [of(FAIL)], "End": True}
    assert told(aws, {"Both": both})[3:] == [
        ("FailStateEntered", 3),
        ("ParallelStateFailed", 4),
        ("ExecutionFailed", 5),
    ]


def test_an_execution_that_a_state_ends_is_told_to_have_failed_once(aws: Aws) -> None:
    """Recorded by LocalStack's suite, 2024."""
    parameters = {"Bucket": "absent", "Key": "k"}
    ask = task("aws-sdk:s3:headObject", parameters, TimeoutSecondsPath="$.none")
    assert told(aws, {"Ask": ask}) == [
        ("ExecutionStarted", 0),
        ("TaskStateEntered", 0),
        ("ExecutionFailed", 2),
    ]
