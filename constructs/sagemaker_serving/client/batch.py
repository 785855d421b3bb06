"""A deployed model's batch pipeline: upload, start, wait, collect."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.errors import Failure, NotFound

_UPLOADS_AT_ONCE = 8


class BatchPipeline:
    """The batch pipeline of ``model`` in ``environment``, found by its SSM parameters.

    Raises `NotFound` when no such pipeline is deployed there.
    """

    def __init__(self, environment: str, model: str, aws: Aws) -> None:
        self._s3 = aws.client("s3")
        self._steps = aws.client("stepfunctions")
        names = ("state-machine-arn", "batch-input", "batch-output")
        prefix = f"/sagemaker-serving/{environment}/{model}"
        with aws_failures():
            answer = aws.client("ssm").get_parameters(Names=[f"{prefix}/{name}" for name in names])
        found = {entry["Name"].rsplit("/", 1)[1]: entry["Value"] for entry in answer["Parameters"]}
        if len(found) < len(names):
            raise NotFound(
                f"there is no batch pipeline of {model!r} in {environment!r}; give the model a "
                "batch_transform block and deploy it"
            )
        self.state_machine_arn = found["state-machine-arn"]
        self.input_uri = found["batch-input"]
        self.output_uri = found["batch-output"]

    def upload(self, files: Iterable[Path], run: str) -> str:
        """Uploads ``files`` under the pipeline's input and returns their prefix, ``s3://…/run/``."""
        bucket, prefix = _split(f"{self.input_uri}{run}/")
        with aws_failures(), ThreadPoolExecutor(_UPLOADS_AT_ONCE) as pool:
            list(
                pool.map(
                    lambda file: self._s3.upload_file(str(file), bucket, prefix + file.name), files
                )
            )
        return f"s3://{bucket}/{prefix}"

    def start(self, input_uri: str, run: str) -> BatchExecution:
        """Starts one execution named ``run`` over the objects under ``input_uri``.

        Outputs go to ``<output>/run/``. ``run`` becomes the transform job's
        name: 1 to 63 letters, digits and hyphens, new in this account.
        """
        output_uri = f"{self.output_uri}{run}/"
        with aws_failures():
            answer = self._steps.start_execution(
                stateMachineArn=self.state_machine_arn,
                name=run,
                input=json.dumps({"input": input_uri, "output": output_uri}),
            )
        return BatchExecution(arn=answer["executionArn"], output_uri=output_uri)

    def wait(
        self, execution: BatchExecution, *, deadline_seconds: float, poll_seconds: float = 0.5
    ) -> None:
        """Waits for the execution's end.

        Raises `Failure` with its cause when it did not succeed, or when
        ``deadline_seconds`` pass.
        """
        end = time.monotonic() + deadline_seconds
        while True:
            with aws_failures():
                answer = self._steps.describe_execution(executionArn=execution.arn)
            if answer["status"] == "SUCCEEDED":
                return
            if answer["status"] != "RUNNING":
                raise Failure(
                    f"batch execution {answer['name']} ended as {answer['status']}: "
                    f"{_cause(answer)}"
                )
            if time.monotonic() > end:
                raise Failure(
                    f"batch execution {answer['name']} still runs after {deadline_seconds:.0f} s"
                )
            time.sleep(poll_seconds)

    def outputs(self, execution: BatchExecution) -> Iterator[tuple[str, bytes]]:
        """Every output object of ``execution``: its name below the prefix, and its bytes."""
        bucket, prefix = _split(execution.output_uri)
        with aws_failures():
            pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
            for page in pages:
                for entry in page.get("Contents", []):
                    body = self._s3.get_object(Bucket=bucket, Key=entry["Key"])["Body"].read()
                    yield entry["Key"].removeprefix(prefix), body


@dataclass(frozen=True, kw_only=True)
class BatchExecution:
    """One run of a batch pipeline: its ARN and where its outputs go."""

    arn: str
    output_uri: str


def _split(uri: str) -> tuple[str, str]:
    bucket, _, key = uri.removeprefix("s3://").partition("/")
    return bucket, key


def _cause(answer: dict[str, Any]) -> str:
    """The job's FailureReason out of the execution's cause, or the cause as it is."""
    cause = answer.get("cause") or answer.get("error") or "no cause was given"
    try:
        reason = json.loads(cause).get("FailureReason")
    except (ValueError, AttributeError):
        reason = None
    return str(reason or cause)
