"""The batch pipeline on a local AWS without CDK: its function, its machine, its bucket, its role.

The machine is the one that `BatchTransform` deploys, but that it looks at a job, and for a turn,
every second. Roles may do everything here; tests/local_aws/permissions tells what they need.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from sagemaker_serving import functions
from sagemaker_serving.functions.batch_transform.run import report_folder
from sagemaker_serving.infra.batch.definition import batch_definition
from sagemaker_serving.infra.batch.settings import transform_settings
from sagemaker_serving.spec import BatchTransform, Retries, Retry
from tests.local_aws.aws import Aws, eventually
from tests.local_aws.functions import in_place, zipped

BUCKET = "models"
PACKAGE = "sagemaker_serving.functions.batch_transform"
QUICK = Retries(
    throttling=Retry(max_attempts=10, interval_seconds=0),
    capacity=Retry(max_attempts=3, interval_seconds=0),
    internal=Retry(max_attempts=10, interval_seconds=0),
)
"""As many tries as ever, and no waits between."""


class Pipeline:
    """A batch pipeline of one model, named ``name`` like its machine.

    ``handler`` is the text of a module whose ``handler`` is called in the function's place.
    """

    def __init__(
        self,
        aws: Aws,
        name: str,
        model: str,
        *,
        function_seconds: int = 900,
        handler: str | None = None,
        topic_arn: str | None = None,
        **settings: Any,
    ) -> None:
        self.aws = aws
        self._name = name
        self._function_seconds = function_seconds
        self._handler = handler
        self._put = 0
        spec = BatchTransform.model_validate(
            {"instance_type": "ml.m5.large", "retries": QUICK, **settings}
        )
        self.definition = batch_definition(
            partition="aws",
            function_arn=self._function_arn,
            settings=transform_settings(
                spec,
                model_name=model,
                work=f"s3://{BUCKET}/{name}/work/",
                reports=f"s3://{BUCKET}/{name}/reports/",
            ),
            topic_arn=topic_arn,
        )
        self.definition["States"]["Turn"]["Seconds"] = 1
        definition = json.dumps(self.definition).replace('"Seconds": 30', '"Seconds": 1')
        created = self._states.create_state_machine(
            name=name,
            definition=definition.replace('"IntervalSeconds": 12', '"IntervalSeconds": 1'),
            roleArn="arn:aws:iam::123456789012:role/states",
        )
        self.arn: str = created["stateMachineArn"]

    @cached_property
    def _states(self) -> Any:
        return self.aws.client("stepfunctions")

    @property
    def _function_arn(self) -> str:
        """The function, made when it is first wanted: one for all pipelines of a gateway, but
        for those with a handler of their own."""
        client = self.aws.client("lambda")
        name = f"batch-transform-{self._function_seconds if self._handler is None else self._name}"
        own = {} if self._handler is None else {"own.py": self._handler}
        functions = client.list_functions()["Functions"]
        if name not in [each["FunctionName"] for each in functions]:
            client.create_function(
                FunctionName=name,
                Runtime="python3.14",
                Handler="own.handler" if own else f"{PACKAGE}.handler.handler",
                Role=self.aws.role(name, "lambda"),
                Timeout=self._function_seconds,
                MemorySize=1024,
                Environment={"Variables": {"ACCESS_DENIED_PATIENCE_SECONDS": "0"}},
                Code={"ZipFile": packed(own)},
            )
        return in_place(client, name)

    @property
    def input(self) -> str:
        """Where inputs are, ``s3://…/``."""
        return f"s3://{BUCKET}/{self._name}/in/"

    @property
    def output(self) -> str:
        """Where outputs go, ``s3://…/``."""
        return f"s3://{BUCKET}/{self._name}/out/"

    def put(self, files: Mapping[str, bytes], below: str = "in/") -> None:
        """Put inputs, or whatever is ``below`` another prefix."""
        for name, body in files.items():
            self.aws.s3.put_object(Bucket=BUCKET, Key=f"{self._name}/{below}{name}", Body=body)
        self._put = int(time.time())

    def start(self, **given: Any) -> str:
        """Start an execution; its ARN.

        S3 tells times in seconds, so the second of the last input has to be over: an answer of
        the same second would not be known to be one to that input.
        """
        eventually(lambda: int(time.time()) > self._put)
        text = json.dumps({"input": self.input, "output": self.output, **given})
        started = self._states.start_execution(stateMachineArn=self.arn, input=text)
        return str(started["executionArn"])

    def ended(self, execution: str) -> Any:
        """The execution's description once it has ended."""
        end = time.monotonic() + 400
        while True:
            described = self._states.describe_execution(executionArn=execution)
            if described["status"] != "RUNNING":
                return described
            assert time.monotonic() < end, "the execution has not ended in time"
            time.sleep(0.2)

    def run(self, **given: Any) -> Any:
        """An execution from its start to its end."""
        return self.ended(self.start(**given))

    def outputs(self) -> dict[str, bytes]:
        """The outputs by their inputs' names."""
        return {name.removesuffix(".out"): body for name, body in self._below("out/").items()}

    def report(self) -> dict[str, Any]:
        """The latest report."""
        read: dict[str, Any] = json.loads(self._report("report.json"))
        return read

    def quarantine(self) -> list[dict[str, Any]]:
        """The lines of the quarantine."""
        read = [json.loads(line) for line in self._report("quarantine.jsonl").splitlines()]
        for line in read:
            if "bytes" in line:
                line["bytes"] = base64.b64decode(line["bytes"])
        return read

    def jobs(self) -> list[str]:
        """The names of all transform jobs so far."""
        pages = self.aws.sagemaker.get_paginator("list_transform_jobs").paginate()
        return [job["TransformJobName"] for page in pages for job in page["TransformJobSummaries"]]

    def lock(self) -> bytes | None:
        """What the lock says, None when nobody holds it."""
        return self._below(f"reports/{report_folder(self.output)}lock.json").get("")

    def _report(self, name: str) -> bytes:
        return self._below(f"reports/{report_folder(self.output)}{name}")[""]

    def _below(self, prefix: str) -> dict[str, bytes]:
        whole = f"{self._name}/{prefix}"
        pages = self.aws.s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=whole)
        return {
            entry["Key"].removeprefix(whole): self.aws.s3.get_object(
                Bucket=BUCKET, Key=entry["Key"]
            )["Body"].read()
            for page in pages
            for entry in page.get("Contents", ())
        }


def packed(more: Mapping[str, str]) -> bytes:
    """The function's zip, as `OwnFunction` makes it, and ``more`` files in it."""
    folder = Path(functions.__file__).parents[2]
    files = [folder / "sagemaker_serving/__init__.py", Path(functions.__file__)]
    files += [
        path
        for package in ("batch_transform", "custom_resource")
        for path in sorted(folder.glob(f"sagemaker_serving/functions/{package}/*.py"))
    ]
    return zipped({str(each.relative_to(folder)): each.read_text() for each in files} | dict(more))
