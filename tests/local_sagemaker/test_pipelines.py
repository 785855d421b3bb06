"""Serial pipelines: what one container answers is what the next is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from tests.local_aws.aws import IMAGE, Aws, children, eventually, service_in

ROLE = "arn:aws:iam::123456789012:role/model"


def pipeline(aws: Aws, name: str, *containers: dict[str, Any]) -> None:
    made = [{"Image": IMAGE, "ModelDataUrl": "s3://models/model.tar.gz", **c} for c in containers]
    aws.sagemaker.create_model(ModelName=name, ExecutionRoleArn=ROLE, Containers=made)
    aws.config(name, {"v": name})


@pytest.fixture(scope="module", autouse=True)
def endpoint(aws: Aws) -> Iterator[None]:
    """Endpoint "p" of three containers, the second one named."""
    pipeline(
        aws,
        "p",
        {"Environment": {"APPEND": "-one"}},
        {"Environment": {"APPEND": "-two"}, "ContainerHostname": "middle"},
        {},
    )
    before = children()
    assert aws.endpoint("p", "p")["EndpointStatus"] == "InService"
    eventually(lambda: len(children() - before) == 3)
    yield
    aws.delete("p")
    eventually(lambda: children() <= before)


def test_each_answer_is_the_next_request(aws: Aws) -> None:
    assert aws.ask("p", b"x") == b"x-one-two"[::-1]


@pytest.mark.parametrize(
    ("names", "failing", "said"),
    [
        ({}, 0, "container-1"),
        ({1: "post"}, 1, "post"),
    ],
)
def test_an_error_names_its_container(
    aws: Aws, names: dict[int, str], failing: int, said: str
) -> None:
    name = f"fails-{said}"
    containers: list[dict[str, Any]] = [{"Environment": {"APPEND": "!"}} for _ in range(2)]
    containers[failing] = {"Environment": {"APPEND": ""}}
    for number, hostname in names.items():
        containers[number]["ContainerHostname"] = hostname
    if failing == 1:
        containers[0]["Environment"] = {"APPEND": " refuse"}
    pipeline(aws, name, *containers)
    aws.endpoint(name, name)
    with pytest.raises(ClientError) as refused:
        aws.ask(name, b"refuse" if failing == 0 else b"x")
    error = refused.value.response
    assert error["Error"]["Code"] == "ModelError"
    assert f"client error (400) from {said} with message" in error["Error"]["Message"]
    aws.delete(name)


def test_a_container_that_does_not_start_is_named(aws: Aws) -> None:
    before = children()
    pipeline(aws, "half", {}, {"Environment": {"EXIT_AT_START": "1"}})
    reason = aws.endpoint("half", "half")["FailureReason"]
    assert reason.startswith("The container-2 container for production variant v did not pass")
    eventually(lambda: children() <= before)
    aws.delete("half")


def test_logs_and_rows_are_by_container(aws: Aws) -> None:
    rows = aws.status()["endpoints"][0]["variants"]
    assert [row["name"] for row in rows] == ["v/container-1", "v/middle", "v/container-3"]
    service_in(aws.gateway, SageMaker).flush()
    streams = aws.client("logs").describe_log_streams(logGroupName="/aws/sagemaker/Endpoints/p")
    names = [stream["logStreamName"].split("/") for stream in streams["logStreams"]]
    assert {name[-1] for name in names} == {"container-1", "middle", "container-3"}
    assert {name[0] for name in names} == {"v"}


def test_a_pipelines_processes_are_measured_together(aws: Aws) -> None:
    instances = list(service_in(aws.gateway, SageMaker)._instances())
    (instance,) = [found for found in instances if found.dimensions["EndpointName"] == "p"]
    assert len({instance.pid, *instance.more_pids}) == 3
