"""InvokeEndpointWithResponseStream: parts as a container writes them, and how they break off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.eventstream import EventStreamBuffer
from botocore.exceptions import ClientError, EventStreamError

from local_aws.faults import Fault, Kind
from sagemaker_serving.client import AioPredictor, Predictor
from sagemaker_serving.local_sagemaker.containers.model_client import NoAnswer
from sagemaker_serving.local_sagemaker.endpoints import runtime
from sagemaker_serving.local_sagemaker.endpoints.response_stream import events_of
from tests.local_aws.aws import IMAGE, REGION, Aws, client_of, eventually, keys_of
from tests.local_aws.permissions.callers import Caller, allow
from tests.local_aws.permissions.callers import refusal as denial
from tests.local_sagemaker.numbers import figures


@pytest.fixture(scope="module")
def hold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """While this file is there, a model waits where it is told to."""
    return tmp_path_factory.mktemp("hold") / "hold"


@pytest.fixture(scope="module", autouse=True)
def endpoint(aws: Aws, hold: Path) -> Iterator[None]:
    """An endpoint "e" of two variants, "words" with all the weight and "b" with none."""
    aws.model("words", {"HELD_AT": str(hold)})
    aws.model("b", {"HELD_AT": str(hold)})
    aws.config("e", {"words": "words", "b": "b"}, b=0)
    aws.endpoint("e", "e")
    yield
    aws.delete("e")


@pytest.fixture(scope="module")
def over_http(aws: Aws) -> Any:
    return boto3.client(
        "sagemaker-runtime", region_name=REGION, endpoint_url=aws.url, **keys_of(aws.gateway)
    )


@pytest.fixture(params=["inside", "over HTTP"])
def client(request: pytest.FixtureRequest, aws: Aws, over_http: Any) -> Any:
    return aws.runtime if request.param == "inside" else over_http


def ask(client: Any, body: bytes, **more: Any) -> Any:
    call = client.invoke_endpoint_with_response_stream
    return call(**{"EndpointName": "e", "Body": body, **more})


def parts(stream: Any) -> Iterator[bytes]:
    return (event["PayloadPart"]["Bytes"] for event in stream["Body"])


def refusal(aws: Aws, **parameters: Any) -> Any:
    with pytest.raises(ClientError) as refused:
        aws.runtime.invoke_endpoint_with_response_stream(
            **{"EndpointName": "e", "Body": b"x", **parameters}
        )
    return refused.value.response


def in_flight(aws: Aws) -> int:
    (found,) = [each for each in aws.status()["endpoints"] if each["name"] == "e"]
    return sum(variant["in_flight"] for variant in found["variants"])


def test_a_part_is_here_before_the_model_writes_the_next(client: Any, hold: Path) -> None:
    hold.touch()
    stream = parts(ask(client, b"stream one HELD two"))
    assert next(stream) == b"one"
    hold.unlink()
    assert list(stream) == [b"two"]


def test_an_answer_that_is_no_stream_is_one_part(client: Any) -> None:
    assert list(parts(ask(client, b"abc"))) == [b"cba"]


def test_an_empty_stream_has_no_parts(client: Any) -> None:
    answer = ask(client, b"stream ")
    assert (answer["ContentType"], list(parts(answer))) == ("text/words", [])


def test_what_the_model_is_given_and_gives_stands_in_the_headers(client: Any) -> None:
    attributes = {"CustomAttributes": "k=v", "InferenceId": "id-7", "TargetVariant": "b"}
    answer = ask(client, b"headers", ContentType="text/own", Accept="text/wanted", **attributes)
    given = json.loads(b"".join(parts(answer)))
    assert (given["Content-Type"], given["Accept"]) == ("text/own", "text/wanted")
    assert given["X-Amzn-SageMaker-Custom-Attributes"] == "k=v"
    assert given["X-Amzn-SageMaker-Inference-Id"] == "id-7"
    assert answer["ContentType"] == "application/json"
    assert (answer["CustomAttributes"], answer["InvokedProductionVariant"]) == ("k=v", "b")
    assert answer["ResponseMetadata"]["RequestId"]


def test_a_model_that_breaks_off_is_told_after_its_parts(over_http: Any) -> None:
    stream = parts(ask(over_http, b"stream one two BROKEN"))
    assert [next(stream), next(stream)] == [b"one", b"two"]
    with pytest.raises(EventStreamError, match=r"ModelStreamError.* primary was closed"):
        next(stream)


def test_a_model_that_takes_too_long_is_ended(
    over_http: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "STREAM_SECONDS", 2.0)
    stream = parts(ask(over_http, b"stream ENDLESS"))
    assert next(stream) == b"on"
    with pytest.raises(EventStreamError, match="primary did not complete sending"):
        list(stream)


def test_a_model_that_falls_silent_is_ended(
    over_http: Any, hold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "TIMEOUT_SECONDS", 2.0)
    hold.touch()
    stream = parts(ask(over_http, b"stream one HELD two"))
    assert next(stream) == b"one"
    with pytest.raises(EventStreamError, match="primary did not complete sending"):
        next(stream)
    hold.unlink()


@pytest.mark.parametrize(
    ("body", "status"), [(b"refuse", 400), (b"fail", 500), (b"stream BROKEN", 0)]
)
def test_what_fails_before_the_first_part_is_a_model_error(
    aws: Aws, body: bytes, status: int
) -> None:
    answer = refusal(aws, Body=body)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 424
    assert (answer["Error"]["Code"], answer["OriginalStatusCode"]) == ("ModelError", status)


@pytest.mark.parametrize(
    ("raised", "name", "code"),
    [
        (NoAnswer("late", timed_out=True), "ModelStreamError", "ModelInvocationTimeExceeded"),
        (NoAnswer("gone", timed_out=False), "ModelStreamError", "StreamBroken"),
        (ZeroDivisionError(), "InternalStreamFailure", None),
    ],
)
def test_an_error_in_the_middle_has_the_code_that_boto3_does_not_show(
    raised: Exception, name: str, code: str | None
) -> None:
    def broken_off() -> Iterator[bytes]:
        yield b"one"
        raise raised

    buffer = EventStreamBuffer()
    buffer.add_data(b"".join(events_of(broken_off())))
    part, error = list(buffer)
    assert part.payload == b"one"
    assert error.headers[":exception-type"] == name
    assert json.loads(error.payload).get("ErrorCode") == code


def test_a_client_that_leaves_ends_the_request(aws: Aws, client: Any) -> None:
    log = Path(aws.status()["endpoints"][0]["variants"][0]["log"])
    before = log.read_text().count("has left")
    answer = ask(client, b"stream ENDLESS")
    assert next(parts(answer)) == b"on"
    eventually(lambda: in_flight(aws) == 1)
    answer["Body"].close()
    eventually(lambda: in_flight(aws) == 0)
    eventually(lambda: log.read_text().count("has left") > before)


def test_leaving_an_asynchronous_stream_ends_the_request(aws: Aws) -> None:
    async def leave() -> bytes:
        async with AioPredictor(Predictor("e", client_of(aws.gateway))) as predictor:
            stream = predictor.stream("stream ENDLESS", content_type="text/plain")
            first = await anext(stream)
            eventually(lambda: in_flight(aws) == 1)
            await stream.aclose()
            return first

    assert asyncio.run(leave()) == b"on"
    eventually(lambda: in_flight(aws) == 0)


def test_a_shadow_variant_is_asked_for_the_same(aws: Aws) -> None:
    variants = [
        {
            "VariantName": name,
            "ModelName": aws.model(f"{name}-streams"),
            "InstanceType": "ml.m5.large",
            "InitialInstanceCount": 1,
        }
        for name in ("live", "dark")
    ]
    aws.sagemaker.create_endpoint_config(
        EndpointConfigName="shadowed",
        ProductionVariants=variants[:1],
        ShadowProductionVariants=variants[1:],
    )
    aws.endpoint("shadowed", "shadowed")
    assert list(parts(ask(aws.runtime, b"stream a b", EndpointName="shadowed"))) == [b"a", b"b"]
    eventually(lambda: figures(aws, "Invocations", "shadowed", "dark") is not None)
    assert figures(aws, "InvocationModelErrors", "shadowed", "dark")["Sum"] == 0
    aws.delete("shadowed")


def test_a_stream_counts_at_its_end_and_a_broken_one_as_failed(aws: Aws, over_http: Any) -> None:
    aws.config("counted", {"v": aws.model("counted")})
    aws.endpoint("counted", "counted")
    for body in (b"stream one", b"stream one BROKEN"):
        with suppress(EventStreamError):
            list(parts(ask(over_http, body, EndpointName="counted")))
    # The last part of an answer is here before the request is counted.
    eventually(lambda: (figures(aws, "Invocations", "counted") or {}).get("Sum") == 2)
    sums = {
        name: figures(aws, name, "counted")["Sum"]
        for name in ("Invocations", "InvocationModelErrors", "Invocation4XXErrors")
    }
    assert sums == {"Invocations": 2, "InvocationModelErrors": 1, "Invocation4XXErrors": 0}
    assert figures(aws, "ModelLatency", "counted")["SampleCount"] == 2
    aws.delete("counted")


def test_a_fault_breaks_a_stream_off_after_its_first_part(aws: Aws, over_http: Any) -> None:
    faults = aws.gateway.context.faults
    faults.put(Fault(id="broken", kind=Kind.CORRUPT, operation="*ResponseStream"))
    stream = parts(ask(over_http, b"stream one two"))
    assert next(stream) == b"one"
    with pytest.raises(EventStreamError, match="a fault that was set with local faults"):
        next(stream)
    faults.clear()


@pytest.mark.parametrize("missing", ["InvokeEndpoint", "InvokeEndpointWithResponseStream"])
def test_a_stream_needs_both_of_the_actions_that_aws_names(aws: Aws, missing: str) -> None:
    actions = {"sagemaker:InvokeEndpoint", "sagemaker:InvokeEndpointWithResponseStream"}
    whole = Caller(aws, allow([*actions])).client("sagemaker-runtime")
    assert list(parts(ask(whole, b"abc"))) == [b"cba"]
    short = Caller(aws, allow([*(actions - {f"sagemaker:{missing}"})]))
    call = short.client("sagemaker-runtime").invoke_endpoint_with_response_stream
    status, code, message = denial(call, EndpointName="e", Body=b"x")
    assert (status, code) == (403, "AccessDeniedException")
    assert f"perform: sagemaker:{missing} on" in message


def test_kinds_that_do_not_stream_are_refused_by_name(aws: Aws) -> None:
    serverless = {"MemorySizeInMB": 1024, "MaxConcurrency": 1}
    aws.model("calm")
    aws.sagemaker.create_endpoint_config(
        EndpointConfigName="calm",
        ProductionVariants=[
            {"VariantName": "v", "ModelName": "calm", "ServerlessConfig": serverless}
        ],
    )
    aws.endpoint("calm", "calm")
    said = refusal(aws, EndpointName="calm")["Error"]
    assert (said["Code"], said["Message"]) == (
        "ValidationError",
        "Endpoint calm is a serverless endpoint, which does not answer in streams; use "
        "InvokeEndpoint.",
    )
    aws.delete("calm")


def test_what_is_not_followed_is_said(aws: Aws) -> None:
    said = refusal(aws, TargetContainerHostname="first")["Error"]["Message"]
    assert "does not offer X-Amzn-SageMaker-Target-Container-Hostname yet" in said


def test_the_last_container_of_a_pipeline_streams(aws: Aws) -> None:
    container = {"Image": IMAGE, "ModelDataUrl": "s3://models/model.tar.gz"}
    aws.sagemaker.create_model(
        ModelName="row",
        ExecutionRoleArn="arn:aws:iam::123456789012:role/model",
        Containers=[{**container, "Environment": {"VERSION": "stream a b"}}, container],
    )
    aws.config("row", {"v": "row"})
    aws.endpoint("row", "row")
    assert list(parts(ask(aws.runtime, b"x", EndpointName="row"))) == [b"a", b"b"]
    aws.delete("row")
