"""A request that comes while a server starts waits, and gets the model's answer."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from sagemaker_serving.model_server.process import ModelServer
from tests.models import onnx_model

pytestmark = pytest.mark.slow

FLOAT = 1
ONNX = onnx_model([("Neg", ("x",), "y")], {"x": (FLOAT, (None, 1))}, {"y": (FLOAT, (None, 1))})
HANDLER = b"""
def model_fn(folder): return 3
def transform_fn(model, data, content_type, accept): return str(float(data) * model)
"""
V2 = {"inputs": [{"name": "x", "shape": [1, 1], "datatype": "FP32", "data": [2.0]}]}
FILES: Mapping[str, Mapping[str, bytes]] = {
    "pytorch": {"code/inference.py": HANDLER},
    "triton": {"net/1/model.onnx": ONNX},
    "stub": {"any": b""},
}


@pytest.mark.parametrize(
    ("program", "body", "answered"),
    [
        ("tensorflow", {"instances": [1.0]}, b"3.5"),
        ("pytorch", 2.0, b"6.0"),
        ("triton", V2, b"-2.0"),
        ("stub", [], b"stub"),
    ],
)
def test_the_first_request_waits_until_the_model_answers(
    saved_models: Path, tmp_path: Path, program: str, body: object, answered: bytes
) -> None:
    model = tmp_path / "model"
    for name, content in FILES.get(program, {}).items():
        (model / name).parent.mkdir(parents=True, exist_ok=True)
        (model / name).write_bytes(content)
    if program == "tensorflow":
        shutil.copytree(saved_models / "half_plus_three", model / "half_plus_three")
    server = ModelServer.start(
        model, environment={}, log_path=tmp_path / "log", port=0, program=program
    )
    try:
        asked = server.place.connection(120)
        headers = {"Content-Type": "application/json"}
        asked.request("POST", "/invocations", json.dumps(body), headers)
        answer = asked.getresponse()
        assert (answer.status, answered in answer.read()) == (200, True)
    finally:
        server.stop()
