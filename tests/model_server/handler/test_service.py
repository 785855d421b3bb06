"""The worker's application in this process, before a real engine."""

from __future__ import annotations

import json

import psutil
import pytest
from werkzeug.test import Client

from sagemaker_serving.model_server.contract import CONTRACTS
from sagemaker_serving.model_server.generations import Generation
from sagemaker_serving.model_server.handler.service import Upstream, application
from sagemaker_serving.model_server.process import ModelServer
from tests.model_server.servers import processes_of

pytestmark = pytest.mark.slow


@pytest.fixture
def without_handlers(without_code: ModelServer) -> Client:
    """The worker of a model that has a requirements.txt or a lib, but no inference.py."""
    _, engine = processes_of(without_code)
    (port,) = (
        connection.laddr.port
        for connection in engine.net_connections()
        if connection.status == psutil.CONN_LISTEN
    )
    upstream = Upstream(
        rest_ports=[port], grpc_ports=[9000], default_model="half_plus_three", timeout_seconds=20
    )
    return Client(application(upstream, None, CONTRACTS[Generation.C].handler))


def test_without_handlers_a_body_goes_to_the_engine_as_it_is(
    without_handlers: Client,
) -> None:
    answer = without_handlers.post(
        "/invocations", data='{"instances": [1.0]}', headers={"Accept": "x/mine"}
    )
    assert answer.status_code == 200
    assert json.loads(answer.text) == {"predictions": [3.5]}
    assert answer.content_type == "x/mine"


@pytest.mark.parametrize(
    ("body", "said"),
    [("[1.0]", "Is not object"), ("1.0\n2.0", "must not be followed by other values")],
)
def test_without_handlers_nothing_is_converted(
    without_handlers: Client, body: str, said: str
) -> None:
    answer = without_handlers.post("/invocations", data=body, content_type="text/csv")
    assert answer.status_code == 400
    assert answer.get_json()["title"] == "400 Bad Request"
    assert said in answer.get_json()["description"]


def test_without_handlers_other_content_types_are_a_415(
    without_handlers: Client,
) -> None:
    answer = without_handlers.post("/invocations", data=b"x", content_type="Image/PNG; q=1")
    assert (answer.status_code, answer.get_json()) == (
        415,
        {"error": "Unsupported Media Type: image/png"},
    )


def test_a_status_of_the_engine_is_the_answer_s(
    without_handlers: Client,
) -> None:
    answer = without_handlers.post(
        "/invocations",
        data='{"instances": [1.0]}',
        headers={"X-Amzn-SageMaker-Custom-Attributes": "tfs-model-name=nope"},
    )
    assert answer.status_code == 404
    assert "Servable not found for request: Latest(nope)" in answer.get_json()["description"]
