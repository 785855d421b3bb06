"""A refusal that passes is outlasted by every function's clients, and one that stays is told."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.faults import Fault, Kind
from sagemaker_serving.functions.custom_resource import clients, refusals
from tests.local_aws.aws import Aws


@pytest.fixture
def sagemaker(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(clients, "_AGAIN_SECONDS", 0.0)
    clients.client.cache_clear()
    yield clients.client("sagemaker")
    clients.client.cache_clear()
    aws.gateway.context.faults.clear()


def struck(aws: Aws) -> int:
    (fault,) = aws.gateway.context.faults.listed()
    return int(fault["struck"])


def test_a_policy_that_is_not_known_yet_is_waited_for(
    aws: Aws, sagemaker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refusals, "PATIENCE_SECONDS", 600.0)
    refused = Fault(id="new", kind=Kind.ACCESS_DENIED, operation="ListModels", first=3)
    aws.gateway.context.faults.put(refused)
    sagemaker.list_models()
    assert struck(aws) == 3


ROLE = "arn:aws:iam::123456789012:role/not-there-yet"
JOB: dict[str, Any] = {
    "CompilationJobName": "job",
    "RoleArn": ROLE,
    "InputConfig": {"S3Uri": "s3://b/k.tar.gz", "Framework": "KERAS", "DataInputConfig": "{}"},
    "OutputConfig": {"S3OutputLocation": "s3://b/out/", "TargetDevice": "ml_c5"},
    "StoppingCondition": {"MaxRuntimeInSeconds": 900},
}


def test_a_role_that_sagemaker_cannot_assume_yet_is_waited_for_and_then_told(
    aws: Aws, sagemaker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    minutes = iter([0.0, 30.0, 61.0])
    monkeypatch.setattr(refusals, "PATIENCE_SECONDS", 60.0)
    monkeypatch.setattr(clients, "time", SimpleNamespace(monotonic=lambda: next(minutes)))
    with pytest.raises(ClientError, match=f"Could not assume role {ROLE}. Please ensure that"):
        sagemaker.create_compilation_job(**JOB)
    assert list(minutes) == []


@pytest.mark.parametrize(
    ("code", "message", "passes"),
    [
        ("AccessDenied", "", True),
        ("AccessDeniedException", "", True),
        ("403", "Forbidden", True),
        ("ValidationException", "Could not access model data at s3://b/k. Please ensure", True),
        (
            "ValidationException",
            'The execution role ARN "r" is invalid. Please ensure that the '
            'role exists and that its trust relationship policy allows the action "sts:AssumeRole"',
            True,
        ),
        (
            "ValidationException",
            "Please ensure that there is an object located at the URL and that the role passed to "
            "CreateModel has permissions to download the object.",
            True,
        ),
        (
            "ValidationException",
            "Please make sure all images included in the model exist, and that the execution role "
            "used to create the model has permissions to access them.",
            True,
        ),
        ("ValidationException", "Could not find model data at s3://b/k.", False),
        ("ValidationException", "1 validation error detected", False),
        ("ThrottlingException", "Rate exceeded", False),
        ("404", "Not Found", False),
    ],
)
def test_what_may_pass_is_known_by_code_and_words(code: str, message: str, passes: bool) -> None:
    assert refusals.may_pass(code, message) is passes


def test_what_is_refused_for_good_is_told_and_not_waited_for_twice(
    aws: Aws, sagemaker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    minutes = iter([0.0, 59.0, 61.0, 62.0])
    monkeypatch.setattr(refusals, "PATIENCE_SECONDS", 60.0)
    monkeypatch.setattr(clients, "time", SimpleNamespace(monotonic=lambda: next(minutes)))
    aws.gateway.context.faults.put(Fault(id="no", kind=Kind.ACCESS_DENIED, operation="ListModels"))
    for tries in (3, 4):
        with pytest.raises(ClientError, match="AccessDeniedException"):
            sagemaker.list_models()
        assert struck(aws) == tries


def test_the_next_deploy_has_a_minute_of_its_own(
    aws: Aws, sagemaker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lambda gives it the process of the deploy that was refused for good."""
    seconds = iter([0.0, 59.0, 61.0, 300.0])
    monkeypatch.setattr(refusals, "PATIENCE_SECONDS", 60.0)
    monkeypatch.setattr(clients, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    refused = Fault(id="no", kind=Kind.ACCESS_DENIED, operation="ListModels", first=4)
    aws.gateway.context.faults.put(refused)
    with pytest.raises(ClientError, match="AccessDeniedException"):
        sagemaker.list_models()
    sagemaker.list_models()
    assert struck(aws) == 4
