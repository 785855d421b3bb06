"""An ONNX model, packed for AWS's image of Triton, deployed and asked by NVIDIA's own client."""

from __future__ import annotations

import base64
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from sagemaker_serving.client import Predictor
from tests.deploy.conftest import Project
from tests.models import onnx_model
from tests.today import TODAY
from tools.own_environments.environments import environment_of

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]

FLOAT, INT64 = 1, 7
MODEL = onnx_model(
    [("Add", ("a", "b"), "sum"), ("Neg", ("n",), "less")],
    {"a": (FLOAT, (None, 3)), "b": (FLOAT, (None, 3)), "n": (INT64, (None, 1))},
    {"sum": (FLOAT, (None, 3)), "less": (INT64, (None, 1))},
)
ENVIRONMENT = """\
name: trial
region: eu-west-1
models:
  pair:
    artifact: ../model_assets/pair.tar.gz
    framework: sagemaker-tritonserver
    framework_version: "26.05"
    variants:
      - {name: cpu, instance_type: ml.c5.large}
"""
CLIENT = """\
import base64, json, sys
import numpy, tritonclient.http as http
given = json.load(sys.stdin)
if "inputs" in given:
    inputs = []
    for name, (datatype, kind, data) in given["inputs"].items():
        array = numpy.array(data, kind)
        inputs.append(http.InferInput(name, array.shape, datatype))
        inputs[-1].set_data_from_numpy(array, binary_data=given["binary"])
    outputs = [http.InferRequestedOutput(n, binary_data=given["binary"]) for n in given["outputs"]]
    body, size = http.InferenceServerClient.generate_request_body(inputs, outputs=outputs)
    print(json.dumps([base64.b64encode(body).decode(), size]))
else:
    body, size = base64.b64decode(given["body"]), given["size"]
    found = http.InferenceServerClient.parse_response_body(body, header_length=size)
    print(json.dumps({name: found.as_numpy(name).tolist() for name in given["outputs"]}))
"""
BINARY = "application/vnd.sagemaker-triton.binary+json;json-header-size="


def nvidia(**given: Any) -> Any:
    """What NVIDIA's client makes of it, in an environment of its own."""
    python = environment_of("triton_client") / "bin" / "python"
    ended = subprocess.run(
        [str(python), "-c", CLIENT],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ended.stdout)


def test_a_packed_model_answers_nvidia_s_client_as_onnxruntime(tmp_path: Path) -> None:
    project = Project(tmp_path)
    (tmp_path / "pair.onnx").write_bytes(MODEL)
    project.environment_file.write_text(ENVIRONMENT)
    archive = "model_assets/pair.tar.gz"
    packed = project.run(
        "package", "pair.onnx", "--for", "triton", "--max-batch-size", "4", "-o", archive
    )
    assert packed.returncode == 0, packed.stderr
    checked = project.run("check", "environments/trial.yaml", "--today", str(TODAY))
    assert (checked.returncode, checked.stderr) == (0, ""), checked.stdout
    generator = np.random.default_rng(7)
    a, b = generator.standard_normal((2, 4, 3)).astype("float32")
    n = np.array([[0], [1], [-(1 << 62)], [7]])
    session = onnxruntime.InferenceSession(MODEL, providers=["CPUExecutionProvider"])
    own = dict(zip(("sum", "less"), session.run(None, {"a": a, "b": b, "n": n}), strict=True))
    inputs = {
        "a": ("FP32", "float32", a.tolist()),
        "b": ("FP32", "float32", b.tolist()),
        "n": ("INT64", "int64", n.tolist()),
    }
    with project.deployed():
        predictor = Predictor("trial-pair", project.aws)
        client = project.aws.client("sagemaker-runtime")
        for binary in (False, True):
            body, size = nvidia(inputs=inputs, outputs=[*own], binary=binary)
            answer = client.invoke_endpoint(
                EndpointName="trial-pair",
                ContentType=f"{BINARY}{size}" if binary else "application/json",
                Body=base64.b64decode(body),
            )
            kind = answer["ContentType"]
            assert kind.startswith(BINARY if binary else "application/json")
            found = nvidia(
                body=base64.b64encode(answer["Body"].read()).decode(),
                size=int(kind.removeprefix(BINARY)) if binary else None,
                outputs=[*own],
            )
            for name, expected in own.items():
                assert np.array_equal(np.array(found[name], expected.dtype), expected), name
        document = {
            "inputs": [
                {"name": name, "shape": [4, len(data[0])], "datatype": datatype, "data": data}
                for name, (datatype, _, data) in inputs.items()
            ]
        }
        outputs = predictor.predict(document)["outputs"]
        assert {each["name"]: each["data"] for each in outputs} == {
            name: expected.reshape(-1).tolist() for name, expected in own.items()
        }
