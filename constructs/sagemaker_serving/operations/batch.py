"""A deployed model's batch pipeline: upload, start, wait, collect."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.client.objects import read_object
from sagemaker_serving.errors import Failure, Mistake, NotFound
from sagemaker_serving.operations.batch_progress import (
    BatchExecution,
    BatchProgress,
    ProgressReader,
    cause_of,
)
from sagemaker_serving.operations.batch_report import (
    BatchReport,
    report_folder,
    report_folder_beside,
)
from sagemaker_serving.operations.refusals import refused
from sagemaker_serving.s3_address import split_s3
from sagemaker_serving.spec.environment import parameter_name

_AT_ONCE = 8
_PARAMETERS = ("state-machine-arn", "batch-input", "batch-output", "batch-work", "batch-reports")
_REPORTS = ("report.html", "report.json", "quarantine.jsonl")
_RUN = re.compile(r"[a-zA-Z0-9-]{1,80}")


class BatchPipeline:
    """The batch pipeline of ``model`` in ``environment``, found by its SSM parameters.

    Raises `NotFound` when no such pipeline is deployed there.
    """

    def __init__(self, environment: str, model: str, aws: Aws) -> None:
        self._s3 = aws.client("s3")
        self._steps = aws.client("stepfunctions")
        self._jobs = aws.client("sagemaker")
        with aws_failures():
            answer = aws.client("ssm").get_parameters(
                Names=[parameter_name(environment, model, name) for name in _PARAMETERS]
            )
        found = {entry["Name"].rsplit("/", 1)[1]: entry["Value"] for entry in answer["Parameters"]}
        if len(found) < len(_PARAMETERS):
            raise NotFound(
                f"there is no batch pipeline of {model!r} in {environment!r} in "
                f"{self._s3.meta.region_name}; give the model a batch_transform block and deploy "
                "it, or name another --region"
            )
        self.state_machine_arn = found["state-machine-arn"]
        self.input_uri = found["batch-input"]
        """Where executions may read, ``s3://…/``."""
        self.output_uri = found["batch-output"]
        """Where executions may write, ``s3://…/``."""
        self.work_uri = found["batch-work"]
        """Where executions keep what is between, ``s3://…/``."""
        self.reports_uri = found["batch-reports"]
        """Where locks, quarantines and reports lie, each output's in a folder of its own."""

    def upload(self, files: Iterable[Path], run: str, *, folder: Path | None = None) -> str:
        """Uploads ``files`` under the pipeline's input and returns their prefix, ``s3://…/run/``.

        Each goes under its name, or its path below ``folder`` when that is given.
        """
        uri = f"{self.input_uri}{run}/"
        self._send(files, uri, folder, only_changed=False)
        return uri

    def mend(
        self, files: Iterable[Path], execution: BatchExecution, *, folder: Path | None = None
    ) -> int:
        """Uploads those of ``files`` that `upload` did not send like this; how many these are.

        Raises `Mistake` where the execution's input was not uploaded by `upload`.
        """
        uri = str(execution.given["input"])
        if not uri.startswith(self.input_uri) or not uri.endswith("/"):
            raise Mistake(
                f"{execution.name} took its input from {uri}, not from a folder; change it there, "
                "and resume without INPUT"
            )
        return self._send(files, uri, folder, only_changed=True)

    def _send(
        self, files: Iterable[Path], uri: str, folder: Path | None, *, only_changed: bool
    ) -> int:
        bucket, prefix = split_s3(uri)

        def put(file: Path) -> bool:
            name = file.name if folder is None else file.relative_to(folder).as_posix()
            with file.open("rb") as content:
                sha256 = hashlib.file_digest(content, "sha256").hexdigest()
            if only_changed and self._sha256_of(bucket, prefix + name) == sha256:
                return False
            told = {"Metadata": {"sha256": sha256}}
            self._s3.upload_file(str(file), bucket, prefix + name, ExtraArgs=told)
            return True

        with aws_failures(), ThreadPoolExecutor(_AT_ONCE) as pool:
            return sum(pool.map(put, files))

    def _sha256_of(self, bucket: str, key: str) -> str | None:
        """Of what `upload` has put there. An ETag is none where a key of KMS encrypts."""
        with refused("404"):
            told: dict[str, str] = self._s3.head_object(Bucket=bucket, Key=key)["Metadata"]
            return told.get("sha256")
        return None

    def start(
        self,
        input_uri: str,
        run: str,
        *,
        output_uri: str | None = None,
        overrides: Mapping[str, Any] | None = None,
    ) -> BatchExecution:
        """Starts one execution named ``run`` over ``input_uri``: a prefix or a manifest.

        Outputs go to ``output_uri``, by default ``<output>/run/``. ``run`` has 1 to 80 letters,
        digits and hyphens, and is new. ``overrides`` are fields of ``batch_transform`` for this
        execution, and ``retry_quarantined``. Raises `Mistake` for a name in use.
        """
        if _RUN.fullmatch(run) is None:
            raise Mistake(
                f"{run!r} is no name of an execution; it has 1 to 80 letters, digits and hyphens"
            )
        given = {
            "input": input_uri,
            "output": output_uri if output_uri is not None else f"{self.output_uri}{run}/",
            **(overrides if overrides is not None else {}),
        }
        return self._start(given, run)

    def resume(self, execution: str, run: str) -> BatchExecution:
        """Starts an execution named ``run`` with the input of another, given by name or ARN.

        It does what that one has not done.
        """
        return self._start(self.execution(execution).given, run)

    def execution(self, execution: str) -> BatchExecution:
        """An execution by its name or ARN. Raises `NotFound`."""
        arn = execution
        if not execution.startswith("arn:"):
            arn = f"{self.state_machine_arn.replace(':stateMachine:', ':execution:')}:{execution}"
        described = self._described(arn)
        return BatchExecution(arn=arn, given=json.loads(described["input"]))

    def stop(self, execution: BatchExecution) -> None:
        """Stops the execution and its jobs; what they have written stays.

        Step Functions stops the jobs that it waits for, and none that the machine looks at itself.
        Their names have a part of the execution's hash (`Run.job_name`).
        """
        mark = hashlib.sha256(execution.arn.encode()).hexdigest()[:10]
        running = {"NameContains": mark, "StatusEquals": "InProgress"}
        with aws_failures():
            self._steps.stop_execution(executionArn=execution.arn, cause="stopped by its user")
            pages = list(self._jobs.get_paginator("list_transform_jobs").paginate(**running))
            for job in (job for page in pages for job in page["TransformJobSummaries"]):
                with refused("ValidationException"):  # it has ended meanwhile, or is stopping
                    self._jobs.stop_transform_job(TransformJobName=job["TransformJobName"])

    def progress(self, execution: BatchExecution) -> BatchProgress:
        """How far the execution is at this moment."""
        reader = ProgressReader(self._s3, execution, self.work_uri)
        return reader.of(self._described(execution.arn))

    def wait(
        self, execution: BatchExecution, *, deadline_seconds: float, poll_seconds: float = 0.5
    ) -> None:
        """Waits for the execution's end.

        Raises `Failure` with its cause when it did not succeed, or when
        ``deadline_seconds`` pass.
        """
        end = time.monotonic() + deadline_seconds
        while (described := self._described(execution.arn))["status"] == "RUNNING":
            if time.monotonic() > end:
                raise Failure(
                    f"batch execution {execution.name} still runs after {deadline_seconds:.0f} s"
                )
            time.sleep(poll_seconds)
        if described["status"] != "SUCCEEDED":
            raise Failure(
                f"batch execution {execution.name} ended as {described['status']}: "
                f"{cause_of(described)}"
            )

    def watch(
        self, execution: BatchExecution, *, poll_seconds: float, for_: float = float("inf")
    ) -> Iterator[BatchProgress]:
        """How far the execution is, again and again until its end, or ``for_`` seconds."""
        end = time.monotonic() + for_
        reader = ProgressReader(self._s3, execution, self.work_uri)
        while True:
            progress = reader.of(self._described(execution.arn))
            yield progress
            if progress.status != "RUNNING" or time.monotonic() > end:
                return
            time.sleep(poll_seconds)

    def report(self, execution: BatchExecution) -> BatchReport | None:
        """The execution's report; None when it has none, or a later one wrote over it."""
        bucket, prefix = split_s3(self.reports_of(execution))
        with aws_failures(), refused("NoSuchKey"):
            content, _ = read_object(self._s3, bucket, f"{prefix}report.json")
            read = json.loads(content)
            return BatchReport.of(read) if read["execution"] == execution.arn else None
        return None

    def reports_of(self, execution: BatchExecution) -> str:
        """Where the execution's report and lists lie, ``s3://…/``."""
        return f"{self.reports_uri}{report_folder(execution.output_uri)}"

    def outputs(self, execution: BatchExecution) -> Iterator[tuple[str, bytes]]:
        """Every output object of ``execution``: its name below the prefix, and its bytes."""
        bucket, prefix = split_s3(execution.output_uri)
        with aws_failures():
            for name in self._names(bucket, prefix):
                yield name, read_object(self._s3, bucket, prefix + name)[0]

    def download(self, execution: BatchExecution, folder: Path) -> int:
        """Writes outputs into ``folder``; how many there were.

        ``report.html``, ``report.json`` and ``quarantine.jsonl`` go into `report_folder_beside` it,
        where no output of any name can lie.
        """
        bucket, prefix = split_s3(execution.output_uri)
        reports_bucket, reports = split_s3(self.reports_of(execution))
        beside = report_folder_beside(folder)

        def fetch(name: str) -> None:
            path = folder / name
            if not path.resolve().is_relative_to(folder.resolve()):
                raise Failure(f"the output {name!r} would be written outside of {folder}")
            path.parent.mkdir(parents=True, exist_ok=True)
            self._s3.download_file(bucket, prefix + name, str(path))

        with aws_failures(), ThreadPoolExecutor(_AT_ONCE) as pool:
            names = list(self._names(bucket, prefix))
            for _ in pool.map(fetch, names):
                pass
            beside.mkdir(parents=True, exist_ok=True)
            for name in _REPORTS:
                self._s3.download_file(reports_bucket, reports + name, str(beside / name))
        return len(names)

    def _names(self, bucket: str, prefix: str) -> Iterator[str]:
        pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        for page in pages:
            for entry in page.get("Contents", []):
                yield entry["Key"].removeprefix(prefix)

    def _start(self, given: Mapping[str, Any], run: str) -> BatchExecution:
        taken = Mistake(f"there was an execution {run!r} already; take another name, or resume it")
        with aws_failures(), refused("ExecutionAlreadyExists", means=taken):
            answer = self._steps.start_execution(
                stateMachineArn=self.state_machine_arn, name=run, input=json.dumps(given)
            )
        return BatchExecution(arn=answer["executionArn"], given=given)

    def _described(self, arn: str) -> dict[str, Any]:
        absent = NotFound(f"there is no execution {arn}")
        with aws_failures(), refused("ExecutionDoesNotExist", "InvalidArn", means=absent):
            described: dict[str, Any] = self._steps.describe_execution(executionArn=arn)
        return described
