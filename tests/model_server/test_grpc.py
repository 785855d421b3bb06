"""TensorFlow Serving's gRPC port, called by the messages of tensorflow-serving-api."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import requests

from sagemaker_serving.model_server.process import ModelServer
from tests.model_server.servers import log_of, processes_of, running
from tests.model_server.serving_api import bring

pytestmark = pytest.mark.slow

HANDLER = """
import json

import grpc
import requests
from tensorflow.core.framework.tensor_pb2 import TensorProto
from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc




def handler(data, context):
    x = json.loads(data.read())
    uri = context.rest_uri.replace("kinds", "half_plus_three")
    (rest,) = requests.post(uri, json={"instances": [x]}).json()["predictions"]
    channel = context.channel or grpc.insecure_channel(f"localhost:{context.grpc_port}")
    request = predict_pb2.PredictRequest()
    request.model_spec.name = context.model_name or "kinds"
    request.inputs["x"].CopyFrom(TensorProto(dtype=1, float_val=[rest]))
    request.inputs["x"].tensor_shape.dim.add(size=1)
    stub = prediction_service_pb2_grpc.PredictionServiceStub(channel)
    (value,) = stub.Predict(request, timeout=120).outputs["y"].float_val
    return json.dumps({"rest": rest, "grpc": value, "port": context.grpc_port}), "application/json"
"""


@pytest.fixture(scope="module")
def model(saved_models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both models, and a handler that calls one by REST and the other by gRPC."""
    folder = tmp_path_factory.mktemp("model")
    (folder / "code").mkdir()
    (folder / "code" / "inference.py").write_text(HANDLER)
    bring(folder / "code" / "lib")
    for name in ("half_plus_three", "kinds"):
        (folder / name).symlink_to(saved_models / name)
    return folder


@pytest.fixture(scope="module")
def served(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    environment = {"SAGEMAKER_TFS_DEFAULT_MODEL_NAME": "kinds"}
    with running(model, tmp_path_factory.mktemp("server"), environment) as server:
        yield server


def grpc_port(server: ModelServer) -> int:
    answer = requests.post(f"{server.place.url}/invocations", data=b"1.0", timeout=60)
    assert answer.status_code == 200, answer.text
    return int(answer.json()["port"])


@pytest.fixture(scope="module")
def answers(served: ModelServer, model: Path) -> dict[str, Any]:
    """What `serving_calls` was answered."""
    said = subprocess.run(
        [sys.executable, Path(__file__).with_name("serving_calls.py"), str(grpc_port(served))],
        env={**os.environ, "PYTHONPATH": str(model / "code" / "lib")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stderr
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def test_a_handler_calls_two_models_one_by_each_door(served: ModelServer) -> None:
    answer = requests.post(f"{served.place.url}/invocations", data=b"4.0", timeout=60)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["rest"], answer.json()["grpc"]) == (5.0, 5.0)


HALF = ["half_plus_three", "serving_default", 123]

PREDICTIONS: dict[str, Any] = {
    "the highest version": (HALF, {"y": [1, [2], {"float_val": [3.5, 4.0]}]}),
    "a version": ([*HALF[:2], 122], {"y": [1, [2], {"float_val": [2.5, 3.0]}]}),
    "content": (HALF, {"y": [1, [2], {"float_val": [3.0, 3.0]}]}),
    "fewer values": (HALF, {"y": [1, [3], {"float_val": [5.0, 5.0, 5.0]}]}),
    "two inputs": (
        ["kinds", "two_inputs", 1],
        {"sum": [1, [1], {"float_val": [7.0]}], "product": [1, [1], {"float_val": [10.0]}]},
    ),
    "one output": (["kinds", "two_inputs", 1], {"sum": [1, [1], {"float_val": [7.0]}]}),
    "text": (["kinds", "text", 1], {"s": [7, [2], {"string_val": ["b'\\xff'", "b'b'"]}]}),
    "text as content": (["kinds", "text", 1], {"s": [7, [1], {"string_val": ["b'seventy'"]}]}),
    "no values": (HALF, {"y": [1, [0], {}]}),
    "whole": (["kinds", "whole", 1], {"y": [9, [1], {"int64_val": [7]}]}),
    "wide": (["kinds", "wide", 1], {"y": [2, [1], {"double_val": [0.1]}]}),
    "truth": (["kinds", "truth", 1], {"y": [10, [2], {"bool_val": [False, True]}]}),
    "half": (["kinds", "half", 1], {"y": [19, [1], {"half_val": [15360]}]}),
    "scalar": (["kinds", "scalar", 1], {"y": [1, [], {"float_val": [3.0]}]}),
    "large": (
        ["kinds", "serving_default", 1],
        {"y": [1, [2 * 1024 * 1024], {"float_val": [0.0] * 4}]},
    ),
}


@pytest.mark.parametrize("name", PREDICTIONS)
def test_predict_answers_in_the_list_of_the_type(answers: dict[str, Any], name: str) -> None:
    spec, outputs = PREDICTIONS[name]
    assert answers[name] == {"spec": spec, "outputs": outputs}


REFUSED = {
    # servables/tensorflow/predict_util.cc
    "no spec": ["INVALID_ARGUMENT", "Missing ModelSpec"],
    "no such signature": ["FAILED_PRECONDITION", 'Serving signature key "nope" not found.'],
    "a strange output": [
        "INVALID_ARGUMENT",
        "output tensor alias not found in signature: nope Outputs expected to be in the set "
        "{product,sum}.",
    ],
    "an output twice": ["INVALID_ARGUMENT", "duplicate output tensor alias: sum"],
    "one input of two": [
        "INVALID_ARGUMENT",
        "input size does not match signature: 1!=2 len({a}) != len({a,b}). Sent extra: {}. "
        "Missing but required: {b}.",
    ],
    # tensorflow/tensorflow, cc/saved_model/util.cc
    "a strange input": [
        "INVALID_ARGUMENT",
        "Signature input alias: x(feed name: x:0) not found in request and no default value "
        "provided. Inputs expected to be in the request {nope}, or default input alias set: ",
    ],
    "content too short": ["INVALID_ARGUMENT", "tensor parsing error: x"],
    "no type": ["INVALID_ARGUMENT", "tensor parsing error: x"],
    # core/framework/function.cc
    "another type": ["INVALID_ARGUMENT", "Expects arg[0] to be float but double is provided"],
    # model_servers/server_core.cc, core/manager.cc
    "no name": ["INVALID_ARGUMENT", "ModelSpec has no name specified."],
    "a label": ["INVALID_ARGUMENT", "Unrecognized servable version label: stable"],
    "no such model": ["NOT_FOUND", "Servable not found for request: Latest(nope)"],
    "no such version": [
        "NOT_FOUND",
        "Servable not found for request: Specific(half_plus_three, 9)",
    ],
    # this server's own
    "65 dimensions": [
        "UNIMPLEMENTED",
        "tensor x has 65 dimensions; AWS takes up to 254, this server up to 64",
    ],
    # servables/tensorflow/util.cc, classifier.cc, regressor.cc, multi_inference.cc
    "no examples": ["INVALID_ARGUMENT", "Input is empty."],
    "no such signature to regress": [
        "INVALID_ARGUMENT",
        "No signature was found with the name: nope",
    ],
    "one signature twice": [
        "INVALID_ARGUMENT",
        "Duplicate evaluation of signature: classify_x_to_y",
    ],
    # servables/tensorflow/get_model_metadata_impl.cc
    "no field": [
        "INVALID_ARGUMENT",
        "GetModelMetadataRequest must specify at least one metadata_field",
    ],
    "a strange field": ["INVALID_ARGUMENT", "Metadata field x is not supported"],
    # model_servers/get_model_status_impl.cc
    "status of no version": ["NOT_FOUND", "Could not find version 9 of model half_plus_three"],
    "status of nothing": ["NOT_FOUND", "Could not find any versions of model nope"],
}


@pytest.mark.parametrize("name", REFUSED)
def test_errors_are_tensorflow_serving_s(answers: dict[str, Any], name: str) -> None:
    assert answers[name] == REFUSED[name]


def test_the_graph_judges_shapes(answers: dict[str, Any]) -> None:
    code, said = answers["a shape that the graph refuses"]
    assert code == "INVALID_ARGUMENT"
    assert "MatMul" in said


def test_a_long_error_is_cut(answers: dict[str, Any]) -> None:
    # model_servers/grpc_status_util.cc, ToGRPCStatus
    whole = f"No signature was found with the name: {'n' * 2000}"
    assert answers["a long name"] == ["INVALID_ARGUMENT", f"{whole[:1024]}...TRUNCATED"]


def test_a_signature_that_takes_no_examples_is_shown(answers: dict[str, Any]) -> None:
    code, said = answers["not for examples"]
    assert code == "INVALID_ARGUMENT"
    assert said.startswith("No classification inputs found in SignatureDef: inputs {")


def test_classify_and_regress(answers: dict[str, Any]) -> None:
    assert answers["classes"] == [[["half", 3.5]], [["half", 4.0]]]
    assert answers["values"] == [3.5, 4.0]
    assert answers["a context"] == [5.0]
    assert answers["both at once"] == 2


def test_metadata_and_status(answers: dict[str, Any]) -> None:
    assert answers["metadata"] == [
        "half_plus_three",
        "",
        123,
        ["classify_with_labels", "classify_x_to_y", "regress_x_to_y", "serving_default"],
        1,
    ]
    assert answers["status"] == [[123, "AVAILABLE"], [122, "AVAILABLE"]]


def test_a_web_page_gets_nothing_from_the_grpc_port(served: ModelServer) -> None:
    port = grpc_port(served)
    for method in ("GET", "POST", "PRI"):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        connection.request(method, "/tensorflow.serving.PredictionService/Predict", body=b"x")
        with pytest.raises((http.client.HTTPException, ConnectionError)):
            connection.getresponse()
    with socket.create_connection(("127.0.0.1", port), timeout=120) as half:
        half.sendall(b"PRI * HTTP/2.0\r\n")
        half.shutdown(socket.SHUT_WR)
        assert half.recv(1) == b""


def test_without_code_nobody_listens_for_grpc(without_code: ModelServer) -> None:
    _, engine = processes_of(without_code)
    listening = [
        connection
        for connection in engine.net_connections()
        if connection.status == psutil.CONN_LISTEN
    ]
    assert len(listening) == 1


def test_grpc_is_started_for_its_first_caller(model: Path, tmp_path: Path) -> None:
    with running(model, tmp_path, {"SAGEMAKER_TFS_DEFAULT_MODEL_NAME": "kinds"}) as server:
        assert "first caller" not in log_of(server)
        grpc_port(server)
        assert "first caller" in log_of(server)


def test_batching_joins_calls_of_grpc_too(model: Path, tmp_path: Path) -> None:
    environment = {
        "SAGEMAKER_TFS_DEFAULT_MODEL_NAME": "kinds",
        "SAGEMAKER_TFS_ENABLE_BATCHING": "true",
        "SAGEMAKER_TFS_INSTANCE_COUNT": "2",
        "SAGEMAKER_GUNICORN_WORKERS": "2",
    }
    with running(model, tmp_path, environment, port=None) as server:
        connections = [server.place.connection(60) for _ in range(6)]
        for connection in connections:
            connection.request("POST", "/invocations", body=b"4.0")
        for connection in connections:
            assert json.loads(connection.getresponse().read())["grpc"] == 5.0
            connection.close()


def test_in_multi_model_mode_each_model_has_a_port_of_its_own(
    model: Path, saved_models: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "models"
    for name in ("one", "two"):
        (folder / name / "model").mkdir(parents=True)
        (folder / name / "model" / "1").symlink_to(saved_models / "kinds" / "1")
        (folder / name / "model" / "code").symlink_to(model / "code")
    with running(folder, tmp_path, {"SAGEMAKER_MULTI_MODEL": "true"}) as server:
        ports = set()
        for name in ("one", "two"):
            loaded = requests.post(
                f"{server.place.url}/models",
                json={"model_name": name, "url": f"/opt/ml/models/{name}/model"},
                timeout=60,
            )
            assert loaded.status_code == 200, loaded.text
            answer = requests.post(
                f"{server.place.url}/models/{name}/invoke", data=b"4.0", timeout=60
            )
            assert answer.status_code == 200, answer.text
            assert answer.json()["grpc"] == 4.0
            ports.add(answer.json()["port"])
        assert len(ports) == 2
