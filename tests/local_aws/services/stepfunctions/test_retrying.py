"""Retry and Catch: how long a state waits between attempts, and which errors it catches."""

from __future__ import annotations

from typing import Any

import pytest

from local_aws.services.stepfunctions.moto import flow
from tests.local_aws.aws import Aws, eventually
from tests.local_aws.services.stepfunctions.machines import (
    events,
    result,
    run,
    start,
    stop,
    task,
)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that states wait between attempts, which they do not."""
    waited: list[float] = []
    monkeypatch.setattr(flow, "pause", lambda _env, seconds: waited.append(seconds))
    return waited


def failing(**retry: Any) -> dict[str, Any]:
    rule = {"ErrorEquals": ["S3.NoSuchKeyException"], "IntervalSeconds": 2, **retry}
    absent = {"Bucket": "models", "Key": "absent"}
    return {"Get": task("aws-sdk:s3:getObject", absent, Retry=[rule])}


def test_attempts_wait_longer_and_longer_up_to_max_delay(aws: Aws, pauses: list[float]) -> None:
    states = failing(BackoffRate=3, MaxAttempts=4, MaxDelaySeconds=20)
    assert run(aws, states)["error"] == "S3.NoSuchKeyException"
    assert pauses == [2, 6, 18, 20]


def test_full_jitter_draws_from_the_whole_delay(aws: Aws, pauses: list[float]) -> None:
    flow.chance.seed(7)
    states = failing(BackoffRate=2, MaxAttempts=6, MaxDelaySeconds=10, JitterStrategy="FULL")
    run(aws, states)
    bounds = [2, 4, 8, 10, 10, 10]
    assert all(0 <= waited <= bound for waited, bound in zip(pauses, bounds, strict=True))
    assert len(set(pauses)) == 6


def test_each_error_has_its_own_retry_and_the_attempts_are_counted(
    aws: Aws, pauses: list[float]
) -> None:
    states = failing(MaxAttempts=2)
    states["Get"]["Retry"].insert(0, {"ErrorEquals": ["S3.NoSuchBucketException"]})
    execution = start(aws, states)
    result(aws, execution)
    assert pauses == [2, 4]
    assert [event["type"] for event in events(aws, execution)].count("TaskFailed") == 3


def test_stopping_ends_a_pause_between_attempts(aws: Aws) -> None:
    states = failing(IntervalSeconds=600)
    execution = start(aws, states)
    eventually(lambda: "TaskFailed" in [event["type"] for event in events(aws, execution)])
    assert stop(aws, execution)["status"] == "ABORTED"


@pytest.mark.parametrize(
    ("wanted", "caught"),
    [
        ("States.ALL", True),
        ("States.TaskFailed", True),
        ("S3.NoSuchKeyException", True),
        ("S3.S3Exception", False),
        ("States.Timeout", False),
    ],
)
def test_errors_are_caught_by_name(aws: Aws, wanted: str, caught: bool) -> None:
    states = failing(MaxAttempts=0)
    states["Get"]["Catch"] = [{"ErrorEquals": [wanted], "Next": "Caught"}]
    states["Caught"] = {"Type": "Pass", "Result": "caught", "End": True}
    assert (run(aws, states)["status"] == "SUCCEEDED") is caught


def test_a_path_that_finds_nothing_cannot_be_caught(aws: Aws) -> None:
    states = {
        "Get": task(
            "aws-sdk:s3:getObject",
            {"Bucket": "models", "Key.$": "$.absent"},
            Catch=[{"ErrorEquals": ["States.ALL"], "Next": "Caught"}],
        ),
        "Caught": {"Type": "Pass", "End": True},
    }
    assert run(aws, states)["error"] == "States.Runtime"
