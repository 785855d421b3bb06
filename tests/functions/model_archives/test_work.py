"""The function that puts archives below a multi-model prefix, against a local AWS's S3."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import boto3
import pytest

from local_aws.faults import Fault, Kind
from sagemaker_serving.functions.custom_resource import clients, refusals
from sagemaker_serving.functions.model_archives.work import handler
from tests.functions.neo_compilation.driving import Listener
from tests.local_aws.aws import REGION, Aws, gateway_of, shell_of
from tests.local_aws.stand_in import StandIn


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    gateway = gateway_of(tmp_path_factory.mktemp("aws"), launch=StandIn.start)
    gateway.start()
    with pytest.MonkeyPatch.context() as patches:
        for name, value in {**shell_of(gateway), "AWS_DEFAULT_REGION": REGION}.items():
            patches.setenv(name, value)
        patches.setattr(boto3, "DEFAULT_SESSION", None)  # it would know another test's keys
        try:
            yield Aws(gateway)
        finally:
            gateway.stop()


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    listener = Listener()
    yield listener
    listener.close()


def ask(
    listener: Listener,
    request_id: str,
    kind: str = "Create",
    *,
    content: str = "1",
    seconds: tuple[int, ...] = (900,),
    minutes_ago: int = 0,
    interrupted: bool = False,
    **archives: str,
) -> Any:
    """What CloudFormation is answered to a request for these archives; each call that copies has
    one of these ``seconds``."""
    request = {
        "RequestType": kind,
        "RequestId": request_id,
        "StackId": "stack",
        "LogicalResourceId": "Archives",
        "ResponseURL": listener.url(request_id),
        "ResourceProperties": {
            "Bucket": "models",
            "Prefix": "many/",
            "Archives": {f"{name}.tar.gz": url for name, url in archives.items()},
            "Contents": {f"{name}.tar.gz": content for name in archives},
        },
    }
    started = (datetime.now(UTC) - timedelta(minutes=minutes_ago)).isoformat()
    state: Any = {"request": request, "interrupted": interrupted, "started": started}
    times = iter(seconds)

    def step(name: str, left: int = 900) -> Any:
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: left * 1000)
        return handler({"step": name, "state": state}, context)

    state = step("begin")
    while "outcome" not in state:
        state = step("copy", next(times)) if "ready" in state else step("look")
    step("answer")
    return listener.answer(request_id)


def keys(aws: Aws) -> list[str]:
    listed = aws.s3.list_objects_v2(Bucket="models", Prefix="many/").get("Contents", [])
    return [entry["Key"] for entry in listed]


def test_a_prefix_exists_even_without_an_archive(aws: Aws, listener: Listener) -> None:
    assert ask(listener, "none")["Status"] == "SUCCESS"
    assert keys(aws) == ["many/"]


def test_archives_lie_under_the_names_that_requests_give(aws: Aws, listener: Listener) -> None:
    answer = ask(listener, "one", red="s3://models/model.tar.gz")
    assert (answer["Status"], answer["PhysicalResourceId"]) == ("SUCCESS", "Archives-archives")
    placed = aws.s3.get_object(Bucket="models", Key="many/red.tar.gz")["Body"].read()
    assert placed == aws.s3.get_object(Bucket="models", Key="model.tar.gz")["Body"].read()


def test_what_is_there_is_not_copied_again_unless_its_content_is_another(
    aws: Aws, listener: Listener
) -> None:
    def put(request_id: str, content: str = "1") -> None:
        answer = ask(listener, request_id, content=content, green="s3://models/model.tar.gz")
        assert answer["Status"] == "SUCCESS"

    version = aws.s3.put_bucket_versioning
    version(Bucket="models", VersioningConfiguration={"Status": "Enabled"})

    def versions() -> int:
        return len(aws.s3.list_object_versions(Bucket="models", Prefix="many/green")["Versions"])

    put("first")
    put("again")
    assert versions() == 1
    put("other", "2")
    assert versions() == 2
    aws.s3.put_object(Bucket="models", Key="many/green.tar.gz", Body=b"somebody's")
    put("somebody's", "2")
    assert versions() == 4
    version(Bucket="models", VersioningConfiguration={"Status": "Suspended"})


def test_a_policy_that_the_deploy_has_just_written_is_waited_for(
    aws: Aws, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each deploy changes which archives may be read, and copies at once."""
    monkeypatch.setattr(clients, "_AGAIN_SECONDS", 0.0)
    monkeypatch.setattr(refusals, "PATIENCE_SECONDS", 600.0)
    faults = aws.gateway.context.faults
    for operation in ("PutObject", "HeadObject", "CopyObject"):
        faults.put(
            Fault(
                id=operation,
                kind=Kind.ACCESS_DENIED,
                service="s3",
                operation=operation,
                first=3,
            )
        )
    try:
        answer = ask(listener, "denied", denied="s3://models/model.tar.gz")
        assert answer["Status"] == "SUCCESS"
        assert [each["struck"] for each in faults.listed()] == [3, 3, 3]
    finally:
        faults.clear()
    assert "many/denied.tar.gz" in keys(aws)


def test_a_tagged_archive_is_copied_without_its_tags(aws: Aws, listener: Listener) -> None:
    """Which would take permissions on tags of both."""
    source = {"Bucket": "models", "Key": "tagged.tar.gz"}
    aws.s3.put_object(**source, Body=b"content", Tagging="team=search")
    assert ask(listener, "tagged", tagged="s3://models/tagged.tar.gz")["Status"] == "SUCCESS"
    assert aws.s3.get_object_tagging(Bucket="models", Key="many/tagged.tar.gz")["TagSet"] == []


def test_what_one_call_has_no_time_for_the_next_ones_copy(aws: Aws, listener: Listener) -> None:
    times = (30, 59, 900)
    archive = "s3://models/model.tar.gz"
    answer = ask(listener, "on", seconds=times, interrupted=True, on=archive)
    assert answer["Status"] == "SUCCESS"
    assert "many/on.tar.gz" in keys(aws)


def test_after_an_hour_the_deploy_fails_with_what_is_left(aws: Aws, listener: Listener) -> None:
    answer = ask(listener, "late", minutes_ago=58, late="s3://models/model.tar.gz")
    assert answer["Status"] == "FAILED"
    assert "late.tar.gz the first" in answer["Reason"]


def test_what_was_put_there_stays_when_the_stack_goes(aws: Aws, listener: Listener) -> None:
    ask(listener, "blue", blue="s3://models/model.tar.gz")
    assert ask(listener, "gone", "Delete")["Status"] == "SUCCESS"
    assert "many/blue.tar.gz" in keys(aws)


def test_an_archive_that_is_not_there_fails_the_deploy_with_its_reason(
    aws: Aws, listener: Listener
) -> None:
    answer = ask(listener, "lost", lost="s3://models/lost.tar.gz")
    assert answer["Status"] == "FAILED"
    assert "404" in answer["Reason"]
    assert "many/lost.tar.gz" not in keys(aws)
