"""Answers of functions in parts: InvokeWithResponseStream, and URLs that stream."""

from __future__ import annotations

import base64
import http.client
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.exceptions import ClientError

from local_aws.gateway import Gateway
from tests.local_aws.aws import REGION, eventually, keys_of
from tests.local_aws.functions import Functions, zipped
from tests.local_aws.web import STREAMS, asked

ANSWERS = """
def handler(event, context):
    if event.get("fails"):
        raise ValueError("never began")
    return {"statusCode": 201, "body": "ü"}
"""


@pytest.fixture(scope="module", autouse=True)
def made(functions: Functions) -> None:
    code = {"ZipFile": zipped({"index.js": STREAMS})}
    given = {"Runtime": "nodejs24.x", "Handler": "index.handler", "Code": code}
    functions.create("streams", "", **given)
    functions.create("hangs", "", **given, Timeout=3)
    functions.create("answers", ANSWERS)


@pytest.fixture(scope="module")
def over_http(gateway: Gateway) -> Any:
    keys = keys_of(gateway)
    return boto3.client("lambda", region_name=REGION, endpoint_url=gateway.url, **keys)


def events(client: Any, event: Any, name: str = "streams", **more: Any) -> Iterator[Any]:
    payload = json.dumps(event).encode()
    call = client.invoke_with_response_stream
    told = call(FunctionName=name, Payload=payload, **more)
    assert told["ExecutedVersion"] == "$LATEST"
    return iter(told["EventStream"])


def part(content: str) -> dict[str, Any]:
    return {"PayloadChunk": {"Payload": content.encode()}}


def test_a_part_is_here_before_the_function_writes_the_next(over_http: Any, tmp_path: Path) -> None:
    hold = tmp_path / "hold"
    hold.touch()
    told = events(over_http, {"parts": ["one", "two"], "held": str(hold)})
    assert next(told) == part("one")
    hold.unlink()
    assert list(told) == [part("two"), {"InvokeComplete": {}}]


def test_what_does_not_stream_is_one_part(over_http: Any) -> None:
    told = list(events(over_http, {}, "answers"))
    assert told == [part('{"statusCode": 201, "body": "\\u00fc"}'), {"InvokeComplete": {}}]


@pytest.mark.parametrize(
    ("event", "name", "parts", "error"),
    [
        ({"parts": ["one"], "fails": True}, "streams", ["one"], ("TypeError", "it went away")),
        ({"fails": True}, "answers", [], ("ValueError", "never began")),
        ({"parts": ["one"], "hangs": True}, "hangs", ["one"], ("Sandbox.Timedout", "Task timed")),
    ],
)
def test_a_function_that_fails_is_told_at_the_end(
    over_http: Any, event: Any, name: str, parts: list[str], error: tuple[str, str]
) -> None:
    *came, last = events(over_http, event, name, LogType="Tail")
    assert came == [part(each) for each in parts]
    assert last["InvokeComplete"]["ErrorCode"] == "Unhandled"
    said = json.loads(last["InvokeComplete"]["ErrorDetails"])
    assert (said["errorType"], error[1] in said["errorMessage"]) == (error[0], True)
    log = base64.b64decode(last["InvokeComplete"]["LogResult"]).decode()
    assert "END RequestId" in log


def test_a_function_runs_to_its_end_though_its_client_has_left(
    functions: Functions, over_http: Any, tmp_path: Path
) -> None:
    hold, done = tmp_path / "hold", tmp_path / "done"
    hold.touch()
    source = STREAMS.replace("stream.end();", "fs.writeFileSync(given.done, ''); stream.end();")
    code = {"ZipFile": zipped({"index.js": source})}
    functions.create("leaves", "", Runtime="nodejs24.x", Handler="index.handler", Code=code)
    given = {"parts": ["one"], "held": str(hold), "done": str(done)}
    told = over_http.invoke_with_response_stream(
        FunctionName="leaves", Payload=json.dumps(given).encode()
    )["EventStream"]
    assert next(iter(told)) == part("one")
    told.close()
    hold.unlink()
    eventually(done.exists)


@pytest.fixture(scope="module")
def urls(functions: Functions, made: None) -> dict[str, str]:
    """The URL of each function, which streams, and lets everyone in."""
    return {name: _url(functions, name) for name in ("streams", "answers")}


def _url(functions: Functions, name: str) -> str:
    made = functions.api.create_function_url_config(
        FunctionName=name, AuthType="NONE", InvokeMode="RESPONSE_STREAM"
    )
    for action, more in (
        ("InvokeFunctionUrl", {"FunctionUrlAuthType": "NONE"}),
        ("InvokeFunction", {"InvokedViaFunctionUrl": True}),
    ):
        functions.api.add_permission(
            FunctionName=name,
            StatementId=action,
            Action=f"lambda:{action}",
            Principal="*",
            **more,
        )
    id = made["FunctionUrl"].removeprefix("https://").partition(".")[0]
    return f"{functions.url}/_aws/lambda-url/{id}/"


def test_a_url_sends_a_part_before_the_next_is_written(
    urls: dict[str, str], tmp_path: Path
) -> None:
    hold = tmp_path / "hold"
    hold.touch()
    given = {"parts": ["one", "two"], "held": str(hold), "type": "text/plain"}
    with asked(urls["streams"], given) as answer:
        assert (answer.status, answer.headers["Content-Type"]) == (200, "text/plain")
        assert answer.read1() == b"one"
        hold.unlink()
        assert answer.read() == b"two"


def test_a_url_has_the_status_and_headers_that_the_function_wrote_first(
    urls: dict[str, str],
) -> None:
    head = {"statusCode": 203, "headers": {"X-Own": "1"}, "cookies": ["a=b"]}
    with asked(urls["streams"], {"parts": ["one", "two"], "head": head}) as answer:
        assert (answer.status, answer.headers["X-Own"]) == (203, "1")
        assert answer.headers["Set-Cookie"] == "a=b"
        assert answer.headers["Content-Length"] is None
        assert answer.read() == b"onetwo"


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("POST", 204)])
def test_an_answer_that_may_not_have_a_body_has_none(
    urls: dict[str, str], method: str, status: int
) -> None:
    parts = urlsplit(urls["streams"])
    with closing(http.client.HTTPConnection("localhost", parts.port, timeout=60)) as connection:
        body = json.dumps({"parts": ["one"], "head": {"statusCode": status}})
        for _ in range(2):  # what is left of one answer would be the next one's beginning
            json_type = {"Content-Type": "application/json"}
            connection.request(method, parts.path, body, json_type)
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == (status, b"")
            assert answer.headers["Transfer-Encoding"] is None


def test_a_url_that_streams_sends_any_other_answer_as_it_is(urls: dict[str, str]) -> None:
    with asked(urls["answers"], {}) as answer:
        assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
        assert json.loads(answer.read()) == {"statusCode": 201, "body": "ü"}


def test_a_url_ends_with_502_before_the_first_part_and_with_its_connection_later(
    urls: dict[str, str],
) -> None:
    with asked(urls["streams"], {"parts": [], "fails": True}) as answer:
        assert (answer.status, answer.read()) == (502, b"Internal Server Error")
    with asked(urls["streams"], {"parts": ["one"], "fails": True}) as answer:
        assert answer.status == 200
        with pytest.raises(http.client.IncompleteRead) as broken:
            answer.read()
    assert broken.value.partial == b"one"


def test_what_invoke_refuses_is_refused_before_the_stream(over_http: Any) -> None:
    with pytest.raises(ClientError, match="Function not found"):
        events(over_http, {}, "absent")
    dry = over_http.invoke_with_response_stream(
        FunctionName="answers", Payload=b"{}", InvocationType="DryRun"
    )
    assert dry["StatusCode"] == 204
