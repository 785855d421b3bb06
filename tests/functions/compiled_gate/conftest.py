"""A local AWS with models and golden requests, and the function's clients at it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from sagemaker_serving.functions.custom_resource import clients
from tests.functions.neo_compilation.conftest import listener
from tests.local_aws.aws import REGION, Aws, shell_of, stand_in_aws

__all__ = ["listener"]

GOLDEN = {
    "right": "0.5,0.25",
    "near": "0.5001,0.25",
    "far": "0.1,0.9",
}
"""What is recorded; the stand-in answers a body from its end to its beginning: 0.5,0.25."""


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """While this file is there, the model "held" does not come up."""
    return tmp_path_factory.mktemp("held") / "held"


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory, held: Path) -> Iterator[Aws]:
    with (
        stand_in_aws(tmp_path_factory.mktemp("aws")) as here,
        pytest.MonkeyPatch.context() as patches,
    ):
        for name, value in {**shell_of(here.gateway), "AWS_DEFAULT_REGION": REGION}.items():
            patches.setenv(name, value)
        patches.setattr(boto3, "DEFAULT_SESSION", None)  # it would know another test's keys
        clients.client.cache_clear()
        here.model("compiled")
        here.model("broken", {"EXIT_AT_START": "1"})
        here.model("held", {"UNHEALTHY_WHILE": str(held)})
        for name, answer in GOLDEN.items():
            line = {"body": "52.0,5.0", "content_type": "text/csv", "expected_status": 200}
            text = json.dumps({**line, "expected_body": answer})
            here.s3.put_object(Bucket="models", Key=f"{name}.jsonl", Body=f"{text}\n".encode())
        try:
            yield here
        finally:
            clients.client.cache_clear()
            here.gateway.context.faults.clear()


@pytest.fixture(autouse=True)
def _no_faults_are_left(aws: Aws) -> Iterator[None]:
    yield
    aws.gateway.context.faults.clear()
