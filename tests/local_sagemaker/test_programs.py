"""Which program serves an image, and endpoints that are served by another one than TensorFlow's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sagemaker_serving.local_sagemaker.models.programs import NoEngine, serving_program
from tests.local_aws.aws import REGION, Aws, archive, gateway_of

ECR = "763104351884.dkr.ecr.eu-west-1.amazonaws.com"
PYTORCH = f"{ECR}/pytorch-inference:2.6.0-cpu-py312"
NEO_PYTORCH = f"{ECR}/sagemaker-inference-pytorch:2.0-cpu-py3"
NEO_MXNET = f"{ECR}/sagemaker-inference-mxnet:1.8-cpu-py3"

SCRIPT = b"""
import json
import os

def model_fn(model_dir):
    with open(os.path.join(model_dir, "factor")) as file:
        return float(file.read())

def input_fn(data, content_type):
    if content_type != "text/csv":
        raise ValueError("this model takes text/csv")
    return [float(text) for text in data.split(",")]

def predict_fn(data, model):
    return [value * model for value in data]
"""


@pytest.mark.parametrize(
    ("image", "program"),
    [
        (f"{ECR}/tensorflow-inference:2.19-cpu", "tensorflow"),
        (f"{ECR}/sagemaker-tensorflow-serving-eia:1.12-cpu", "tensorflow"),
        (f"{ECR}/sagemaker-inference-tensorflow:2.9.2-cpu-py3", "tensorflow"),
        (f"{ECR}/sagemaker-neo-tensorflow:1.15.0-inf-py3", "tensorflow"),
        (PYTORCH, "pytorch"),
        (f"{ECR}/pytorch-inference-graviton:2.3.1-cpu", "pytorch"),
        (f"{ECR}/sagemaker-pytorch:1.1.0-cpu-py3", "pytorch"),
        (NEO_PYTORCH, "neo-pytorch"),
        (f"{ECR}/sagemaker-neo-pytorch:1.9-inf-py3", "neo-pytorch"),
        ("mirror.example:5000/copies/pytorch-inference@sha256:0123", "pytorch"),
        (f"{ECR}/sagemaker-neo-onnx:1.5.0-cpu-py3", "neo-onnx"),
        (f"{ECR}/xgboost-neo:latest", "neo-xgboost"),
        (f"{ECR}/mine:1", "tensorflow"),
        ("mine", "tensorflow"),
    ],
)
def test_the_image_s_repository_picks_the_program(image: str, program: str) -> None:
    assert serving_program(image) == program


@pytest.mark.parametrize(
    ("repository", "framework"),
    [
        ("sagemaker-inference-mxnet", "MXNet"),
        ("sagemaker-neo-mxnet", "MXNet"),
        ("mxnet-inference", "MXNet"),
        ("sagemaker-neo-keras", "Neo's compiled Keras models"),
        ("image-classification-neo", "Neo's compiled image classification"),
    ],
)
def test_an_image_that_nothing_here_runs_is_told(repository: str, framework: str) -> None:
    with pytest.raises(NoEngine) as refused:
        serving_program(f"{ECR}/{repository}:1.8-cpu-py3")
    assert f"no engine for {framework}, which {repository} serves" in str(refused.value)


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    """A gateway with the project's own model servers."""
    gateway = gateway_of(tmp_path_factory.mktemp("programs"))
    gateway.start()
    try:
        aws = Aws(gateway)
        aws.s3.put_object(
            Bucket="models",
            Key="doubling.tar.gz",
            Body=archive({"factor": b"2", "code/inference.py": SCRIPT}),
        )
        yield aws
    finally:
        gateway.stop()


def a_model(aws: Aws, name: str, image: str, **environment: str) -> str:
    url = "s3://models/doubling.tar.gz"
    return aws.model(name, environment, Image=image, ModelDataUrl=url)


def test_a_plain_and_a_compiled_pytorch_variant_answer_through_their_functions(aws: Aws) -> None:
    environment = {
        "SAGEMAKER_PROGRAM": "inference.py",
        "SAGEMAKER_SUBMIT_DIRECTORY": "/opt/ml/model/code",
        "SAGEMAKER_CONTAINER_LOG_LEVEL": "20",
        "SAGEMAKER_REGION": REGION,
        "MMS_DEFAULT_RESPONSE_TIMEOUT": "500",
    }
    variants = {
        "plain": a_model(aws, "plain", PYTORCH),
        "compiled": a_model(aws, "compiled", NEO_PYTORCH, **environment),
    }
    aws.endpoint("torch", aws.config("torch", variants))
    for variant in variants:
        answer: Any = aws.runtime.invoke_endpoint(
            EndpointName="torch", Body=b"1,2.5", ContentType="text/csv", TargetVariant=variant
        )
        assert json.loads(answer["Body"].read()) == [2.0, 5.0]
        assert (answer["ContentType"], answer["InvokedProductionVariant"]) == (
            "application/json",
            variant,
        )
    with pytest.raises(ClientError) as refused:
        aws.ask("torch", b"[1]", ContentType="application/json")
    told: Any = refused.value.response
    assert (told["Error"]["Code"], told["OriginalStatusCode"]) == ("ModelError", 500)
    assert told["OriginalMessage"].startswith("this model takes text/csv\nTraceback")
    aws.delete("torch")


def test_an_endpoint_without_an_engine_fails_with_the_reason(aws: Aws) -> None:
    aws.config("mxnet", {"v": a_model(aws, "mxnet", NEO_MXNET)})
    aws.sagemaker.create_endpoint(EndpointName="mxnet", EndpointConfigName="mxnet")
    described = aws.settled("mxnet")
    assert described["EndpointStatus"] == "Failed"
    assert "this machine has no engine for MXNet" in described["FailureReason"]
