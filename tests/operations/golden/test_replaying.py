"""Golden requests are sent as they are, and what comes is compared or recorded."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner

from sagemaker_serving.cli.golden import golden
from sagemaker_serving.client import Prediction, Predictor
from sagemaker_serving.errors import Failure, ModelFailed, ProblemsFound
from sagemaker_serving.operations.golden import (
    Answer,
    Exchange,
    Request,
    read_golden,
    record,
    replay,
    to_endpoint,
    to_server,
)


def exchange(body: bytes, expected: bytes | None) -> Exchange:
    answer = None if expected is None else Answer(status=200, body=expected)
    return Exchange(request=Request(body=body), expected=answer)


def upper(request: Request) -> Answer:
    return Answer(status=200, body=request.body.upper())


def test_each_request_is_sent_and_its_answer_compared() -> None:
    exchanges = [exchange(b"a", b"A"), exchange(b"b", b"b")]
    one, other = replay(exchanges, upper)
    assert (one.exchange, one.answer.body, one.differences) == (exchanges[0], b"A", ())
    assert other.differences == ('body: expected "b", got "B"',)


def test_nothing_is_sent_when_there_is_nothing_to_compare_with() -> None:
    sent: list[Request] = []

    def send(request: Request) -> Answer:
        sent.append(request)
        return upper(request)

    with pytest.raises(ProblemsFound, match="it has no expected_status and no expected body"):
        replay([exchange(b"a", b"A"), exchange(b"b", None)], send)
    assert sent == []


def test_recording_keeps_the_requests_and_takes_the_answers() -> None:
    exchanges = [exchange(b"a", None), exchange(b"b", b"old")]
    assert list(record(exchanges, upper)) == [exchange(b"a", b"A"), exchange(b"b", b"B")]


class Endpoint:
    """Answers as a `Predictor` does: a model's refusal is an exception."""

    def __init__(self, *arguments: Any) -> None:
        self.sent: list[Any] = []

    def __enter__(self) -> Endpoint:
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def invoke(self, body: bytes, **options: Any) -> Prediction:
        self.sent.append((body, options))
        if body == b"bad":
            raise ModelFailed("it refused", status=400, body='{"error": "no"}')
        return Prediction(body=b"[1.0]", content_type="x/y", variant="cpu", seconds=0.1)


def test_an_endpoint_is_sent_everything_and_a_model_s_refusal_is_an_answer() -> None:
    endpoint = Endpoint()
    send = to_endpoint(cast(Predictor, endpoint))
    request = Request(
        body=b"good",
        content_type="text/csv",
        accept="a/b",
        custom_attributes="k=v",
        target_model="m",
        target_variant="gpu",
        inference_component="c",
        inference_id="i",
    )
    assert send(request) == Answer(status=200, body=b"[1.0]")
    assert send(Request(body=b"bad")) == Answer(status=400, body=b'{"error": "no"}')
    assert endpoint.sent[0] == (
        b"good",
        {
            "content_type": "text/csv",
            "accept": "a/b",
            "custom_attributes": "k=v",
            "target_model": "m",
            "target_variant": "gpu",
            "component_name": "c",
            "inference_id": "i",
        },
    )


class Echo(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        names = ("Content-Type", "Accept", "X-Amzn-SageMaker-Custom-Attributes")
        told = [str(self.headers[name]) for name in names]
        self.send_response(409)
        self.end_headers()
        self.wfile.write(" ".join([self.path, *told, body.decode()]).encode())

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (Request(body=b"1"), "/invocations application/json None None 1"),
        (Request(body=b"1", content_type=""), "/invocations None None None 1"),
        (
            Request(body=b"1", content_type="a/b", accept="c/d", custom_attributes="k=v"),
            "/invocations a/b c/d k=v 1",
        ),
        (
            Request(body=b"1", target_model="m", target_variant="gpu"),
            "/models/m/invoke application/json None None 1",
        ),
    ],
)
def test_a_server_is_sent_the_headers_that_are_given_and_no_others(
    port: int, request_: Request, said: str
) -> None:
    assert to_server(at(port))(request_) == Answer(status=409, body=said.encode())


def at(port: int) -> Callable[[float], HTTPConnection]:
    return lambda seconds: HTTPConnection("127.0.0.1", port, timeout=seconds)


def test_a_server_that_is_not_there_is_a_failure() -> None:
    with pytest.raises(Failure, match="the model server does not answer: "):
        to_server(at(1))(Request(body=b""))


def command(file: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> Any:
    monkeypatch.setattr("sagemaker_serving.client.Predictor", Endpoint)
    return CliRunner().invoke(golden, ["prod-digits", str(file), *options])


def test_the_command_prints_what_is_different_and_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "g.jsonl"
    file.write_text(
        '{"body": "good", "expected_body": "[1.0]"}\n'
        '{"body": "bad", "name": "a refusal", "expected_body_json": [1.0]}\n'
    )
    ended = command(file, monkeypatch)
    assert ended.output == (
        f"{file}:2 a refusal: the answer is another\n"
        "  status: expected 200, got 400\n"
        '  body: expected [1.0], got {"error": "no"}\n'
    )
    assert str(ended.exception) == "1 of 2 answers are not as recorded"
    assert isinstance(ended.exception, Failure)


def test_the_command_records_into_its_file_and_then_all_is_as_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "g.jsonl"
    file.write_text('{"body": "good"}\n{"body": "bad"}\n')
    assert command(file, monkeypatch, "--record").output == (f"2 answers are recorded in {file}\n")
    expected = [exchange.expected for exchange in read_golden(file)]
    assert expected == [
        Answer(status=200, body=b"[1.0]"),
        Answer(status=400, body=b'{"error": "no"}'),
    ]
    ended = command(file, monkeypatch)
    assert (ended.exit_code, ended.output) == (0, "2 of 2 answers are as recorded\n")
    file.write_text('{"body": "good"}\n')
    assert command(file, monkeypatch, "--record").output == f"1 answer is recorded in {file}\n"
