"""Compilation jobs on the local AWS, and servers of what they make."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sagemaker_serving.model_server.process import ModelServer
from tests.local_aws.aws import Aws, archive, eventually


def compiled(aws: Aws, name: str, files: dict[str, bytes], framework: str, shapes: Any) -> Any:
    """The description of a job that has ended."""
    aws.s3.put_object(Bucket="models", Key=f"{name}.tar.gz", Body=archive(files))
    aws.sagemaker.create_compilation_job(
        CompilationJobName=name,
        RoleArn="arn:aws:iam::123456789012:role/model",
        InputConfig={
            "S3Uri": f"s3://models/{name}.tar.gz",
            **({} if shapes is None else {"DataInputConfig": json.dumps(shapes)}),
            "Framework": framework,
        },
        OutputConfig={"S3OutputLocation": "s3://models/compiled/", "TargetDevice": "ml_c5"},
        StoppingCondition={"MaxRuntimeInSeconds": 900},
    )

    def look() -> Any:
        job = aws.sagemaker.describe_compilation_job(CompilationJobName=name)
        return job if job["CompilationJobStatus"] in ("COMPLETED", "FAILED") else None

    return eventually(look, seconds=120)


def unpacked(aws: Aws, job: Any, folder: Path) -> Path:
    key = job["ModelArtifacts"]["S3ModelArtifacts"].removeprefix("s3://models/")
    body = aws.s3.get_object(Bucket="models", Key=key)["Body"].read()
    with tarfile.open(fileobj=io.BytesIO(body)) as packed:
        packed.extractall(folder, filter="data")
    return folder


@contextmanager
def served(model: Path, log: Path, program: str) -> Iterator[Any]:
    """A function that sends a body to a server of the model."""
    server = ModelServer.start(model, environment={}, log_path=log, program=program)
    try:
        server.wait_until_healthy(240)

        def send(body: Any) -> tuple[int, Any]:
            connection = server.place.connection(60)
            headers = {"Content-Type": "application/json"}
            connection.request("POST", "/invocations", json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

        yield send
    finally:
        server.stop()
