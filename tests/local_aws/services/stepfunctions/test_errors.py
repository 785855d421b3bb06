"""Names of errors, as a Catch written for AWS has them, and how long a Retry waits for another."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, ParamValidationError
from hypothesis import given
from hypothesis import strategies as st

from local_aws.services.stepfunctions.engine import errors
from local_aws.services.stepfunctions.moto import flow
from tests.local_aws.aws import Aws, eventually
from tests.local_aws.known import integrations
from tests.local_aws.services.stepfunctions.machines import (
    events,
    result,
    run,
    start,
    stop,
    task,
)


class ResourceLimitExceeded(ClientError):  # type: ignore[misc]
    """As botocore makes one of an error that the API declares."""


def refused(kind: type[ClientError], code: str, status: int = 400) -> ClientError:
    answer = {
        "Error": {"Code": code, "Message": "No."},
        "ResponseMetadata": {"HTTPStatusCode": status, "RequestId": "r-1"},
    }
    return kind(answer, "Operation")


@pytest.mark.parametrize(
    ("integration", "code", "error"),
    [
        ("sagemaker", "ThrottlingException", "SageMaker.AmazonSageMakerException"),
        ("lambda", "AccessDeniedException", "Lambda.AWSLambdaException"),
        ("sns", "AccessDenied", "SNS.AmazonSNSException"),
        ("sqs", "AccessDenied", "SQS.AmazonSQSException"),
        ("states", "AccessDeniedException", "StepFunctions.AWSStepFunctionsException"),
        ("dynamodb", "AccessDeniedException", "DynamoDB.AmazonDynamoDBException"),
        ("events", "AccessDeniedException", "EventBridge.AmazonEventBridgeException"),
    ],
)
def test_what_an_optimised_services_api_does_not_declare_has_the_services_name(
    integration: str, code: str, error: str
) -> None:
    found = errors.optimised_error(integrations().get(integration), refused(ClientError, code, 403))
    assert found is not None
    assert found.error == error


def test_what_an_optimised_services_api_declares_has_its_own_name_and_a_full_cause() -> None:
    failure = refused(ResourceLimitExceeded, "ResourceLimitExceeded")
    assert errors.optimised_error(integrations().get("sagemaker"), failure) == errors.TaskError(
        error="SageMaker.ResourceLimitExceededException",
        cause=(
            "No. (Service: AmazonSageMaker; Status Code: 400; Error Code: ResourceLimitExceeded; "
            "Request ID: r-1; Proxy: null)"
        ),
    )


def test_an_sdk_call_is_named_by_the_second_generation_of_the_sdk() -> None:
    assert errors.sdk_error("S3", refused(ClientError, "AccessDenied", 403)) == errors.TaskError(
        error="S3.S3Exception", cause="No. (Service: S3, Status Code: 403, Request ID: r-1)"
    )


@pytest.mark.parametrize(
    ("service_id", "name"),
    [
        ("SNS", "Sns"),
        ("S3", "S3"),
        ("DynamoDB", "DynamoDb"),
        ("SFN", "Sfn"),
        ("CloudWatch Logs", "CloudWatchLogs"),
        ("SageMaker Runtime", "SageMakerRuntime"),
        ("EC2", "Ec2"),
        ("EventBridge", "EventBridge"),
        ("Application Auto Scaling", "ApplicationAutoScaling"),
    ],
)
def test_services_are_spelt_as_in_the_sdk_for_java(service_id: str, name: str) -> None:
    assert errors.java_name(service_id) == name


@given(st.text(alphabet="ABCXYZabcxyz0123 ", max_size=20))
def test_a_services_name_loses_nothing_but_spaces(service_id: str) -> None:
    assert errors.java_name(service_id).lower() == service_id.replace(" ", "").lower()


def test_a_call_that_never_left_is_the_clients_own_failure() -> None:
    unreachable = EndpointConnectionError(endpoint_url="http://localhost:1")
    named = errors.optimised_error(integrations().get("lambda"), unreachable)
    assert named is not None
    assert named.error == "Lambda.SdkClientException"
    unreadable = errors.sdk_error("S3", ParamValidationError(report="Bucket is missing"))
    assert unreadable is not None
    assert unreadable.error == "States.Runtime"


def test_any_other_failure_is_left_to_the_interpreter() -> None:
    assert errors.sdk_error("S3", KeyError("x")) is None
    assert errors.optimised_error(integrations().get("sagemaker"), KeyError("x")) is None


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        ('{"errorType": "ValueError", "errorMessage": "no"}', "ValueError"),
        ('{"errorMessage": "Task timed out after 3.00 seconds"}', "Lambda.Unknown"),
        ('"text"', "Lambda.Unknown"),
    ],
)
def test_a_functions_error_is_named_by_its_type(payload: str, error: str) -> None:
    found = errors.lambda_error(payload)
    assert found.error == error
    assert payload in found.cause


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
