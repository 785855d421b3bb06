"""Functions behind a REST API whose answers come in parts."""

from __future__ import annotations

import http.client
import json
import time
from pathlib import Path
from typing import Any

import pytest

from local_aws.gateway import Gateway
from tests.local_aws.aws import REGION, eventually
from tests.local_aws.functions import ACCOUNT, Functions, Stacks, zipped
from tests.local_aws.services.apigateway.rest import Rest
from tests.local_aws.web import STREAMS, asked

URI = f"arn:aws:apigateway:{REGION}:lambda:path/2021-11-15/functions"


@pytest.fixture(scope="module")
def stacks(gateway: Gateway) -> Stacks:
    return Stacks(gateway)


@pytest.fixture(scope="module")
def functions(stacks: Stacks) -> Functions:
    return stacks.functions


@pytest.fixture(scope="module")
def streams(functions: Functions) -> Rest:
    """An API whose function writes the parts that it is sent."""
    functions.create(
        "writes",
        "",
        Runtime="nodejs24.x",
        Handler="index.handler",
        Code={"ZipFile": zipped({"index.js": STREAMS})},
    )
    rest = Rest(functions)
    arn = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:writes"
    integration = {
        "type": "AWS_PROXY",
        "integrationHttpMethod": "POST",
        "uri": f"{URI}/{arn}/response-streaming-invocations",
        "responseTransferMode": "STREAM",
    }
    rest.method("/", "ANY", integration)
    rest.method("/late", "ANY", {**integration, "timeoutInMillis": 3000})
    rest.let_in("writes")
    rest.deploy()
    return rest


def test_a_part_is_sent_before_the_next_is_written(streams: Rest, tmp_path: Path) -> None:
    hold = tmp_path / "hold"
    hold.touch()
    head = {
        "statusCode": 203,
        "headers": {"Content-Type": "text/event-stream"},
        "multiValueHeaders": {"X-Own": ["1", "2"]},
        "cookies": ["a=b"],
    }
    event = {"head": head, "parts": ["one", "two"], "held": str(hold)}
    with asked(streams.url, event) as answer:
        assert (answer.status, answer.headers["Content-Type"]) == (203, "text/event-stream")
        assert answer.headers.get_all("X-Own") == ["1", "2"]
        assert answer.headers["Set-Cookie"] == "a=b"
        assert answer.read1() == b"one"
        hold.unlink()
        assert answer.read() == b"two"


@pytest.mark.parametrize(
    "event", [{"parts": ["no head"]}, {"parts": []}, {"head": {"x": 1}, "parts": ["a"]}]
)
def test_an_answer_without_a_head_is_an_error(streams: Rest, event: Any) -> None:
    with asked(streams.url, event) as answer:
        assert (answer.status, json.loads(answer.read())["message"]) == (
            500,
            "Internal server error",
        )


def test_what_breaks_off_ends_without_its_last_chunk(streams: Rest) -> None:
    event = {"head": {}, "parts": ["one"], "fails": True}
    with (
        asked(streams.url, event) as answer,
        pytest.raises(http.client.IncompleteRead) as broken,
    ):
        answer.read()
    assert (answer.status, broken.value.partial) == (200, b"one")


def test_a_stream_has_the_integrations_time(streams: Rest, tmp_path: Path) -> None:
    hold = tmp_path / "hold"
    hold.touch()
    event = {"head": {}, "parts": ["one", "two"], "held": str(hold)}
    with asked(f"{streams.url}/late", event) as answer:
        assert (answer.status, answer.read1()) == (200, b"one")
        began = time.monotonic()
        eventually(lambda: time.monotonic() - began > 3)
        hold.unlink()
        with pytest.raises(http.client.IncompleteRead):
            answer.read()


@pytest.mark.long
def test_a_stack_of_the_cdk_streams(stacks: Stacks) -> None:
    import aws_cdk as cdk
    from aws_cdk import aws_apigateway as apigateway
    from aws_cdk import aws_lambda as lambda_

    app = cdk.App()
    synthesizer = cdk.DefaultStackSynthesizer(generate_bootstrap_version_rule=False)
    stack = cdk.Stack(app, "streams", synthesizer=synthesizer)
    function = lambda_.Function(
        stack,
        "Function",
        runtime=lambda_.Runtime.NODEJS_24_X,
        handler="index.handler",
        code=lambda_.Code.from_inline(STREAMS),
    )
    stream = apigateway.ResponseTransferMode.STREAM
    integration = apigateway.LambdaIntegration(function, response_transfer_mode=stream)
    apigateway.RestApi(stack, "Api").root.add_method("POST", integration)
    template = app.synth().get_stack_by_name("streams").template
    assert stacks.create("streams", template)["StackStatus"] == "CREATE_COMPLETE"
    apis = stacks.functions.client("apigateway").get_rest_apis()["items"]
    (id,) = [each["id"] for each in apis if each["name"] == "Api"]
    url = f"{stacks.functions.url}/_aws/execute-api/{id}/prod"
    with asked(url, {"head": {"statusCode": 201}, "parts": ["one", "two"]}) as answer:
        assert (answer.status, answer.read()) == (201, b"onetwo")
    stacks.delete("streams")
