"""Faults where they strike: calls of users and roles, endpoints, jobs."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local_aws.faults import Fault, Kind
from tests.local_aws.aws import IMAGE, REGION, Aws, eventually, keys_of
from tests.local_sagemaker.transforming import ended, job, outputs
from tests.local_sagemaker.transforming import put as files


@pytest.fixture(autouse=True)
def nothing_is_left(aws: Aws) -> Iterator[None]:
    yield
    aws.gateway.context.faults.clear()


@pytest.fixture(scope="module", autouse=True)
def endpoint(aws: Aws) -> None:
    aws.config("e", {"v": aws.model("echo")})
    aws.endpoint("e", "e")


def user(aws: Aws, service: str) -> Any:
    """A client such as users make, that tries once."""
    return boto3.client(
        service,
        region_name=REGION,
        endpoint_url=aws.url,
        **keys_of(aws.gateway),
        config=Config(retries={"total_max_attempts": 1}),
    )


def refusal(call: Any, **parameters: Any) -> tuple[str, str, int]:
    with pytest.raises(ClientError) as refused:
        call(**parameters)
    answer = refused.value.response
    error = answer["Error"]
    return error["Code"], error["Message"], answer["ResponseMetadata"]["HTTPStatusCode"]


def put(aws: Aws, kind: Kind, **fields: Any) -> None:
    aws.gateway.context.faults.put(Fault(id=kind, kind=kind, **fields))


THROTTLED = [
    ("sagemaker", "list_models", {}, ("ThrottlingException", "Rate exceeded", 400)),
    ("cloudwatch", "list_metrics", {}, ("ThrottlingException", "Rate exceeded", 400)),
    ("sts", "get_caller_identity", {}, ("Throttling", "Rate exceeded", 400)),
    ("cloudformation", "list_stacks", {}, ("Throttling", "Rate exceeded", 400)),
    ("s3", "list_buckets", {}, ("SlowDown", "Please reduce your request rate.", 503)),
    ("lambda", "list_functions", {}, ("TooManyRequestsException", "Rate exceeded", 429)),
    ("ssm", "describe_parameters", {}, ("ThrottlingException", "Rate exceeded", 400)),
    (
        "sagemaker-runtime",
        "invoke_endpoint",
        {"EndpointName": "e", "Body": b"x"},
        ("ThrottlingException", "Rate exceeded", 400),
    ),
]


@pytest.mark.parametrize(
    ("service", "operation", "parameters", "expected"), THROTTLED, ids=lambda value: str(value)[:20]
)
def test_each_service_throttles_in_its_own_words(
    aws: Aws,
    service: str,
    operation: str,
    parameters: dict[str, Any],
    expected: tuple[str, str, int],
) -> None:
    put(aws, Kind.THROTTLING, service=service, first=1)
    call = getattr(user(aws, service), operation)
    assert refusal(call, **parameters) == expected
    assert call(**parameters)["ResponseMetadata"]["HTTPStatusCode"] == 200


def test_a_client_that_tries_again_gets_through(aws: Aws) -> None:
    put(aws, Kind.THROTTLING, service="sagemaker", operation="ListModels", first=2)
    patient = boto3.client(
        "sagemaker",
        region_name=REGION,
        endpoint_url=aws.url,
        **keys_of(aws.gateway),
        config=Config(retries={"total_max_attempts": 3}),
    )
    assert "Models" in patient.list_models()


def test_denial_names_the_caller_and_the_action(aws: Aws) -> None:
    put(aws, Kind.ACCESS_DENIED, service="s3", name="models/secret/*")
    s3 = user(aws, "s3")
    s3.put_object(Bucket="models", Key="open", Body=b"x")
    code, message, status = refusal(s3.put_object, Bucket="models", Key="secret/x", Body=b"x")
    assert (code, status) == ("AccessDenied", 403)
    assert message == (
        "User: arn:aws:iam::123456789012:root is not authorized to perform: s3:PutObject "
        "with an explicit deny in an identity-based policy"
    )


def test_a_role_that_is_not_known_yet_cannot_be_assumed(aws: Aws) -> None:
    put(aws, Kind.UNKNOWN_ROLE, operation="CreateModel", first=1)
    create = user(aws, "sagemaker").create_model
    model = {"ModelName": "late", "PrimaryContainer": {"Image": IMAGE}}
    role = aws.role("late", "sagemaker")
    code, message, status = refusal(create, **model, ExecutionRoleArn=role)
    assert (code, status) == ("ValidationException", 400)
    assert message.startswith(f"Could not assume role {role}. Please ensure that the role exists")
    create(**model, ExecutionRoleArn=role)
    aws.sagemaker.delete_model(ModelName="late")


def test_a_roles_calls_are_struck(aws: Aws) -> None:
    put(aws, Kind.ACCESS_DENIED, service="s3", operation="GetObject")
    failed = aws.endpoint("denied", "e")
    assert failed["EndpointStatus"] == "Failed"
    assert "assumed-role/model/SageMaker is not authorized" in failed["FailureReason"]
    aws.delete("denied")


def test_bookkeeping_is_spared(aws: Aws) -> None:
    put(aws, Kind.THROTTLING)
    put(aws, Kind.ACCESS_DENIED)
    assert aws.sagemaker.list_models()["Models"]  # the local AWS's own client
    assert refusal(user(aws, "sagemaker").list_models)[0] == "ThrottlingException"


def test_a_request_keeps_its_body_when_it_is_looked_into(aws: Aws) -> None:
    put(aws, Kind.THROTTLING, name="somebody-else's")
    runtime = user(aws, "sagemaker-runtime")
    body = bytes(range(256)) * 400
    assert runtime.invoke_endpoint(EndpointName="e", Body=body)["Body"].read() == body[::-1]
    s3 = user(aws, "s3")
    s3.put_object(Bucket="models", Key="whole", Body=body)
    assert s3.get_object(Bucket="models", Key="whole")["Body"].read() == body
    user(aws, "sns").create_topic(Name="kept")


def test_without_capacity_an_endpoint_fails_and_an_update_goes_back(aws: Aws) -> None:
    put(aws, Kind.NO_CAPACITY, name="ml.m5.large")
    failed = aws.endpoint("no-room", "e")
    assert failed["EndpointStatus"] == "Failed"
    assert failed["FailureReason"].startswith(
        "Unable to provision requested ML compute capacity due to InsufficientInstanceCapacity"
    )
    aws.delete("no-room")
    aws.config("e2", {"v": "echo"})
    aws.sagemaker.update_endpoint(EndpointName="e", EndpointConfigName="e2")
    described = aws.settled("e")
    assert (described["EndpointStatus"], described["EndpointConfigName"]) == ("InService", "e")
    assert "InsufficientInstanceCapacity" in described["FailureReason"]
    assert aws.ask("e", b"ab") == b"ba"


def test_an_update_goes_back_without_a_word(aws: Aws) -> None:
    put(aws, Kind.SILENT_ROLLBACK, name="e4")
    aws.config("e4", {"v": "echo"})
    aws.sagemaker.update_endpoint(EndpointName="e", EndpointConfigName="e4")
    described = aws.settled("e")
    assert (described["EndpointStatus"], described["EndpointConfigName"]) == ("InService", "e")
    assert "FailureReason" not in described
    assert aws.ask("e", b"ab") == b"ba"


def transform(aws: Aws, folder: str, objects: int) -> tuple[Any, int]:
    """A job over so many objects once it has ended, and how many outputs it has written."""
    files(aws, {f"{folder}/{number}": b"ab" for number in range(objects)})
    name = job(aws, f"{folder}/", ModelClientConfig={"InvocationsMaxRetries": 0})
    return ended(aws, name), len(outputs(aws, name))


def test_without_capacity_a_job_fails(aws: Aws) -> None:
    put(aws, Kind.NO_CAPACITY, operation="CreateTransformJob")
    failed, _ = transform(aws, "no-room", 1)
    assert failed["FailureReason"] == (
        "CapacityError: Unable to provision requested ML compute capacity. "
        "Please retry using a different ML instance type."
    )


@pytest.mark.parametrize(("objects", "written"), [(3, 1), (1, 0)])
def test_a_job_is_killed_in_the_middle(aws: Aws, objects: int, written: int) -> None:
    put(aws, Kind.KILL, operation="CreateTransformJob", first=1)
    failed, written_by_it = transform(aws, f"killed-{objects}", objects)
    assert failed["TransformJobStatus"] == "Failed"
    reason = "InternalServerError: We encountered an internal error."
    assert failed["FailureReason"].startswith(reason)
    assert written_by_it == written
    assert not aws.status()["transform_jobs"][-1].get("pid")


def test_a_jobs_model_fails_where_it_is_told_to(aws: Aws) -> None:
    put(aws, Kind.MODEL_ERROR, operation="CreateTransformJob", status=503, first=1)
    failed, written_by_it = transform(aws, "503", 2)
    assert failed["FailureReason"] == "AlgorithmError: See job logs for more information"
    assert written_by_it == 1


def test_a_corrupt_answer_looks_sound(aws: Aws) -> None:
    put(aws, Kind.CORRUPT, name="e", first=1)
    assert aws.ask("e", b"abcdef") == b"fed"
    assert aws.ask("e", b"abcdef") == b"fedcba"


def test_a_model_error_has_the_status_it_was_given(aws: Aws) -> None:
    put(aws, Kind.MODEL_ERROR, status=422, first=1)
    with pytest.raises(ClientError) as refused:
        aws.ask("e", b"x")
    answer: Any = refused.value.response
    assert (answer["Error"]["Code"], answer["OriginalStatusCode"]) == ("ModelError", 422)


def test_a_slow_answer_comes(aws: Aws) -> None:
    put(aws, Kind.SLOW, latency_ms=1, first=1)
    assert aws.ask("e", b"ab") == b"ba"
    assert aws.gateway.context.faults.listed()[0]["struck"] == 1


def test_a_server_is_killed_under_a_request_and_comes_back(aws: Aws) -> None:
    before = aws.ask("e", b"pid")
    put(aws, Kind.KILL, operation="InvokeEndpoint", first=1)
    with pytest.raises(ClientError, match="could not get a response from the e endpoint"):
        aws.ask("e", b"x")

    def again() -> bytes | None:
        try:
            return aws.ask("e", b"pid")
        except ClientError:
            return None

    assert eventually(again) != before


def ask(aws: Aws, method: str, path: str = "", body: object = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    try:
        with aws.page(f"/_local/faults{path}", method, data) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)


def test_faults_are_set_listed_and_cleared_over_http(aws: Aws) -> None:
    fault = {"kind": "kill", "first": 1}
    assert ask(aws, "PUT", "/mine", fault)[0] == 200
    status, listed = ask(aws, "GET")
    assert status == 200
    (found,) = listed["faults"]
    assert (found["id"], found["kind"], found["matched"], found["struck"]) == ("mine", "kill", 0, 0)
    assert ask(aws, "PUT", "", {"faults": [{"kind": "slow"}]})[0] == 200
    assert [found["id"] for found in ask(aws, "GET")[1]["faults"]] == ["slow"]
    assert ask(aws, "DELETE", "/mine") == (404, {"message": "there is no fault 'mine'"})
    assert ask(aws, "DELETE") == (200, {"faults": []})


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("PUT", "/x", {"kind": "y"}, 400),
        ("PUT", "", {"faults": [{}]}, 400),
        ("PUT", "/x", [], 400),
        ("POST", "", {}, 405),
        ("GET", "/x", None, 405),
    ],
)
def test_what_is_wrong_sets_nothing(
    aws: Aws, method: str, path: str, body: object, expected: int
) -> None:
    status, said = ask(aws, method, path, body)
    assert status == expected
    assert said["message"]
    assert not aws.gateway.context.faults
