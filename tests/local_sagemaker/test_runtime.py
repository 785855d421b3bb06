"""InvokeEndpoint: bytes and headers both ways, and each way it can fail."""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError

from local_aws.protocol import AwsError
from sagemaker_serving.catalog.request_sizes import REAL_TIME
from sagemaker_serving.client import Predictor
from sagemaker_serving.errors import ModelFailed
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.endpoints import runtime
from sagemaker_serving.local_sagemaker.endpoints.runtime import Runtime
from tests.local_aws.aws import Aws, client_of, eventually


@pytest.fixture(scope="module", autouse=True)
def endpoint(aws: Aws) -> Iterator[None]:
    """An endpoint "e" of two variants, "echo" with all the weight and "b" with none."""
    aws.model("echo")
    aws.model("b", {"VERSION": "b"})
    aws.config("e", {"echo": "echo", "b": "b"}, b=0)
    aws.endpoint("e", "e")
    yield
    aws.delete("e")


def refusal(aws: Aws, **parameters: Any) -> Any:
    with pytest.raises(ClientError) as refused:
        aws.runtime.invoke_endpoint(**{"EndpointName": "e", "Body": b"x", **parameters})
    return refused.value.response


def test_every_byte_comes_back(aws: Aws) -> None:
    body = bytes(range(256)) * 4096
    assert aws.ask("e", body) == body[::-1]
    assert aws.ask("e", b"") == b""


def test_bodies_may_be_larger_than_botocores_model_says(aws: Aws) -> None:
    body = os.urandom(7_000_000)
    assert aws.ask("e", body) == body[::-1]


def test_a_body_over_the_limit_is_refused(aws: Aws) -> None:
    most = REAL_TIME.most
    answer = refusal(aws, Body=bytes(most + 1))
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 413
    assert answer["Error"]["Message"] == "HTTP content length exceeded 26214400 bytes."
    assert len(aws.ask("e", bytes(most))) == most


def test_the_limit_of_a_body_can_be_an_older_one() -> None:
    settings = Settings.from_environment({"SAGEMAKER_SERVING_PAYLOAD_MB": "5"})
    unused: Any = None
    asked = Runtime(unused, unused, unused, payload_mb=settings.payload_mb)
    five = 5 * 1024 * 1024
    assert asked.read_body(BytesIO(bytes(five)), five) == bytes(five)
    with pytest.raises(AwsError, match="exceeded 5242880 bytes"):
        asked.read_body(BytesIO(bytes(five + 1)), None)


def test_the_models_headers_are_the_requests(aws: Aws) -> None:
    answer = aws.runtime.invoke_endpoint(
        EndpointName="e",
        Body=b"headers",
        ContentType="application/x-image",
        Accept="application/jsonlines",
        CustomAttributes="tfs-model-name=a,tfs-method=predict",
        InferenceId="id-7",
    )
    headers = json.loads(answer["Body"].read())
    assert headers["Content-Type"] == "application/x-image"
    assert headers["Accept"] == "application/jsonlines"
    assert headers["X-Amzn-SageMaker-Custom-Attributes"] == "tfs-model-name=a,tfs-method=predict"
    assert headers["X-Amzn-SageMaker-Inference-Id"] == "id-7"
    assert not [name for name in headers if name.lower() == "authorization"]


def test_the_answers_headers_are_the_models(aws: Aws) -> None:
    answer = aws.runtime.invoke_endpoint(
        EndpointName="e", Body=b"x", ContentType="application/x-own", CustomAttributes="k=v"
    )
    assert answer["ContentType"] == "application/x-own"
    assert answer["CustomAttributes"] == "k=v"
    assert answer["InvokedProductionVariant"] == "echo"


def test_a_target_variant_is_asked_whatever_its_weight(aws: Aws) -> None:
    answer = aws.runtime.invoke_endpoint(EndpointName="e", Body=b"x", TargetVariant="b")
    assert (answer["Body"].read(), answer["InvokedProductionVariant"]) == (b"b", "b")


def test_an_unknown_variant_is_refused(aws: Aws) -> None:
    answer = refusal(aws, TargetVariant="c")
    assert answer["Error"]["Code"] == "ValidationError"
    assert answer["Error"]["Message"] == "Variant c not found for endpoint e; it has echo, b."


def test_an_unknown_endpoint_is_refused(aws: Aws) -> None:
    answer = refusal(aws, EndpointName="absent")
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert answer["Error"] == {
        "Code": "ValidationError",
        "Message": "Endpoint absent of account 123456789012 not found.",
    }


@pytest.mark.parametrize(
    ("body", "status", "said", "text"),
    [
        (b"refuse", 400, "client error (400)", '{"error": "not a number"}'),
        (b"fail", 500, "server error (500)", "broken"),
    ],
)
def test_a_models_own_error_is_a_model_error(
    aws: Aws, body: bytes, status: int, said: str, text: str
) -> None:
    answer = refusal(aws, Body=body)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 424
    assert answer["Error"]["Code"] == "ModelError"
    assert answer["Error"]["Message"].startswith(
        f'Received {said} from primary with message "{text}". See https://eu-west-1.console'
    )
    assert answer["OriginalStatusCode"] == status
    assert answer["OriginalMessage"] == text
    assert answer["LogStreamArn"].endswith(":log-group:/aws/sagemaker/Endpoints/e")


def test_a_model_that_dies_over_a_request_is_a_model_error(aws: Aws) -> None:
    answer = refusal(aws, Body=b"die")
    assert (answer["Error"]["Code"], answer["OriginalStatusCode"]) == ("ModelError", 0)
    assert "could not get a response from the e endpoint" in answer["Error"]["Message"]
    eventually(lambda: recovers(aws))


def recovers(aws: Aws) -> bool:
    try:
        return aws.ask("e", b"ab") == b"ba"
    except ClientError:
        return False


def test_a_model_that_is_too_slow_is_a_model_error(
    aws: Aws, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "TIMEOUT_SECONDS", 0.3)
    aws.config("late", {"v": aws.model("late", {"SLEEP": "2"})})
    aws.endpoint("late", "late")
    answer = refusal(aws, EndpointName="late")
    assert (answer["Error"]["Code"], answer["OriginalStatusCode"]) == ("ModelError", 0)
    assert "Your invocation timed out" in answer["OriginalMessage"]
    aws.delete("late")


def test_an_unsigned_request_never_reaches_the_model(aws: Aws) -> None:
    connection = http.client.HTTPConnection(urlsplit(aws.url).netloc)
    connection.request("POST", "/endpoints/e/invocations", body=b"ab")
    answer = connection.getresponse()
    assert (answer.status, answer.headers["x-amzn-ErrorType"]) == (
        403,
        "MissingAuthenticationTokenException",
    )


def test_a_target_model_needs_a_multi_model_endpoint(aws: Aws) -> None:
    answer = refusal(aws, TargetModel="a.tar.gz")
    assert answer["Error"] == {
        "Code": "ValidationError",
        "Message": "Endpoint e is not a multi-model endpoint and does not support target model "
        "header.",
    }


def test_a_real_time_endpoint_has_no_queue(aws: Aws) -> None:
    with pytest.raises(ClientError, match="Endpoint e is not an asynchronous endpoint"):
        aws.runtime.invoke_endpoint_async(EndpointName="e", InputLocation="s3://models/x")


def test_a_session_is_opened_gone_on_with_and_closed(aws: Aws) -> None:
    with Predictor("e", client_of(aws.gateway)) as predictor:
        opened = predictor.invoke(b"", session_id="NEW_SESSION")
        session, _, end = opened.new_session_id.partition("; ")
        assert end == "Expires=2027-01-01T00:00:00Z"
        predictor.invoke(b"one", session_id=session)
        assert predictor.invoke(b"two", session_id=session).body == b"one"
        closed = predictor.invoke(b"close", session_id=session)
        assert (closed.body, closed.closed_session_id) == (b"one,two", session)
        with pytest.raises(ModelFailed, match="no such session"):
            predictor.invoke(b"three", session_id=session)


def test_what_is_not_followed_is_said(aws: Aws) -> None:
    answer = refusal(aws, TargetContainerHostname="first")
    assert (
        "does not offer X-Amzn-SageMaker-Target-Container-Hostname yet"
        in (answer["Error"]["Message"])
    )
