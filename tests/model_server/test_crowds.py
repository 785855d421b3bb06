"""Hundreds of clients at once are all answered: nobody is refused, cut off or sent away."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from sagemaker_serving.model_server.places import Place
from sagemaker_serving.model_server.process import ModelServer
from tests.crowd import crowd, few_files, post
from tests.model_server.servers import HEALTHY_WITHIN_SECONDS, processes_of

pytestmark = pytest.mark.slow

REQUEST = post("/invocations", b'{"instances": [1.0, 2.0]}', {"Content-Type": "application/json"})
CODE = """
import requests

def handler(data, context):
    body = data.read()
    answer = requests.post(context.rest_uri, data=body)
    return answer.content, "application/json"
"""
"""Each request becomes one to TensorFlow Serving's port."""


@pytest.fixture(params=[pytest.param("a port", marks=pytest.mark.long), "a Unix socket"])
def start(
    request: pytest.FixtureRequest, saved_models: Path, tmp_path: Path
) -> Iterator[Callable[..., ModelServer]]:
    started = []

    def start(code: str | None = None) -> ModelServer:
        model = tmp_path / "model"
        shutil.copytree(saved_models / "half_plus_three", model / "half_plus_three")
        if code is not None:
            (model / "code").mkdir()
            (model / "code" / "inference.py").write_text(code)
        port, log = (0 if request.param == "a port" else None), tmp_path / "container.log"
        with few_files():
            server = ModelServer.start(model, environment={}, log_path=log, port=port)
        started.append(server)
        server.wait_until_healthy(HEALTHY_WITHIN_SECONDS)
        return server

    yield start
    for server in started:
        server.stop()


def to(place: Place) -> socket.socket:
    """A connection as the local AWS has them."""
    connection = place.connection(120.0)
    connection.connect()
    assert isinstance(connection.sock, socket.socket)
    return connection.sock


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(None, id="without code", marks=pytest.mark.long),
        pytest.param(CODE, id="with code"),
    ],
)
def test_a_model_server_answers_hundreds_at_once(
    start: Callable[..., ModelServer], code: str | None
) -> None:
    server = start(code)
    answer = the_only(crowd(partial(to, server.place), REQUEST, waiting_for=server.pid))
    assert answer.startswith("200 ")
    assert json.loads(answer[4:]) == {"predictions": [3.5, 4.0]}


@pytest.mark.long
@pytest.mark.parametrize("start", ["a Unix socket"], indirect=True)
def test_tensorflow_servings_port_answers_hundreds_at_once(
    start: Callable[..., ModelServer],
) -> None:
    ((engine, port),) = [
        (process.pid, connection.laddr.port)
        for process in processes_of(start())
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    ]
    request = post("/v1/models/half_plus_three:predict", b'{"instances": [1.0]}')
    answer = the_only(crowd(partial(to, Place(port=port)), request, waiting_for=engine))
    assert answer.startswith("200 ")
    assert json.loads(answer[4:]) == {"predictions": [3.5]}


def the_only(answers: set[str]) -> str:
    assert len(answers) == 1, answers
    return answers.pop()
