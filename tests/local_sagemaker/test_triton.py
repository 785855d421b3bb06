"""AWS's image of Triton on the local AWS: onnxruntime answers, in the v2 protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from botocore.exceptions import ClientError

from sagemaker_serving.client import Predictor
from tests.local_aws.aws import Aws, archive, client_of, running
from tests.models import onnx_model

pytestmark = pytest.mark.slow

IMAGE = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/sagemaker-tritonserver:26.05-py3-cpu"
JSON = "application/json"
FLOAT = 1
NEGATIVE = onnx_model([("Neg", ("x",), "y")], {"x": (FLOAT, (None, 2))}, {"y": (FLOAT, (None, 2))})
CONFIG = """
input { name: "x" data_type: TYPE_FP32 dims: [ -1, 2 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ -1, 2 ] }
"""
REQUEST = {"inputs": [{"name": "x", "shape": [1, 2], "datatype": "FP32", "data": [1, 2]}]}
MODELS = {
    "negative": {"negative/1/model.onnx": NEGATIVE, "negative/config.pbtxt": CONFIG.encode()},
    "bare": {"1/model.onnx": NEGATIVE, "config.pbtxt": CONFIG.encode()},
    "python": {"scripted/1/model.py": b"", "scripted/config.pbtxt": b'backend: "python"'},
}


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    """A gateway with the project's own model servers, and the models in its S3."""
    with running(tmp_path_factory.mktemp("triton")) as gateway:
        aws = Aws(gateway)
        for name, files in MODELS.items():
            aws.s3.put_object(Bucket="models", Key=f"{name}.tar.gz", Body=archive(files))
        yield aws


@pytest.fixture(scope="module")
def negative(aws: Aws) -> Iterator[str]:
    """An endpoint of one model."""
    model = aws.model("negative", Image=IMAGE, ModelDataUrl="s3://models/negative.tar.gz")
    yield aws.endpoint("negative", aws.config("negative", {"v": model}))["EndpointName"]
    aws.delete("negative")


def test_a_predictor_sends_the_protocol_s_json_as_it_is_given(aws: Aws, negative: str) -> None:
    answer = Predictor(negative, aws=client_of(aws.gateway)).predict(REQUEST)
    assert answer["outputs"] == [
        {"name": "y", "datatype": "FP32", "shape": [1, 2], "data": [-1.0, -2.0]}
    ]


def test_a_refusal_is_a_model_error_with_triton_s_words(aws: Aws, negative: str) -> None:
    with pytest.raises(ClientError) as refused:
        aws.ask(negative, b'{"inputs": []}', ContentType=JSON)
    error = refused.value.response
    assert error["OriginalStatusCode"] == 400
    assert "expected 1 inputs but got 0 inputs for model 'negative'" in error["OriginalMessage"]


def test_a_multi_model_endpoint_loads_a_model_by_its_target(aws: Aws) -> None:
    aws.model("many", Image=IMAGE, ModelDataUrl="s3://models/", Mode="MultiModel")
    assert aws.endpoint("many", aws.config("many", {"v": "many"}))["EndpointStatus"] == "InService"
    body = json.dumps(REQUEST).encode()
    for target in ("negative.tar.gz", "bare.tar.gz"):
        answer = json.loads(aws.ask("many", body, ContentType=JSON, TargetModel=target))
        assert answer["model_name"] == target
        assert answer["outputs"][0]["data"] == [-1.0, -2.0]
    with pytest.raises(ClientError, match="needs Triton's backend 'python'"):
        aws.ask("many", body, ContentType=JSON, TargetModel="python.tar.gz")
    aws.delete("many")


def test_a_model_of_another_backend_fails_its_endpoint_by_name(aws: Aws) -> None:
    aws.model("python", Image=IMAGE, ModelDataUrl="s3://models/python.tar.gz")
    described = aws.endpoint("python", aws.config("python", {"v": "python"}))
    assert described["EndpointStatus"] == "Failed"
    assert "failed to load 'scripted': it needs Triton's" in described["FailureReason"]
    aws.delete("python")
