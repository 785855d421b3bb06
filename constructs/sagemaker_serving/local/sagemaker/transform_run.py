"""The work of one transform job: read objects, ask the model, write what it answers."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError

from sagemaker_serving.local.context import LocalContext
from sagemaker_serving.local.faults import Faults, Kind
from sagemaker_serving.local.sagemaker.archives import S3Location
from sagemaker_serving.local.sagemaker.container import Container, ContainerFailed, Launch, Plan
from sagemaker_serving.local.sagemaker.inputs import Input, InputRefused, list_inputs
from sagemaker_serving.local.sagemaker.jobs import (
    INTERNAL_ERROR,
    NO_CAPACITY,
    JobFailed,
    JobStopped,
)
from sagemaker_serving.local.sagemaker.log_files import job_log
from sagemaker_serving.local.sagemaker.log_shipper import LogShipper, instance_id
from sagemaker_serving.local.sagemaker.metrics import TRANSFORM_INSTANCES, Instance
from sagemaker_serving.local.sagemaker.records import RecordTooLarge, assemble, batch, split
from sagemaker_serving.local.sagemaker.roles import role_client
from sagemaker_serving.local.sagemaker.store import Region, Resource
from sagemaker_serving.local.sagemaker.transform_model import Refused, TransformModel
from sagemaker_serving.local.sagemaker.usage import Usage

DEFAULT_MAX_PAYLOAD_MB = 6
"""SageMaker API reference, CreateTransformJob, read 2026-11-21."""

_SEE_LOGS = "See job logs for more information"


class TransformRun:
    """Runs a job in the caller's thread; `stop` from another one ends it early.

    Objects that fail do not keep the others from being transformed and
    written, as on AWS; the job fails once all are through, naming the first.
    """

    def __init__(
        self,
        job: Resource,
        model: Resource,
        *,
        region: Region,
        context: LocalContext,
        launch: Launch,
        logs: LogShipper,
        faults: Faults,
    ) -> None:
        self._job = job
        self._faults = faults
        self._names = (job["TransformJobName"], job["ModelName"])
        self._dies = False
        self._written = 0
        self._s3 = role_client(context, model.get("ExecutionRoleArn"), "s3", region.name)
        self._stopped = threading.Event()
        name = job["TransformJobName"]
        self._concurrency: int = job.get("MaxConcurrentTransforms") or 1
        host = instance_id(region.name, name)
        plan = Plan(
            title="The primary container of the transform job",
            model=model,
            region=region.name,
            folder=context.state_dir / "transform" / region.name / name,
            log_path=job_log(context.state_dir, "transform", region.name, name),
            log_group="/aws/sagemaker/TransformJobs",
            log_stream=f"{name}/{host}-{int(job['CreationTime'])}",
            environment={**job.get("Environment", {}), **self._container_environment()},
        )
        self.container = Container(plan, context, launch, logs)
        self._model = TransformModel(job, self.container, faults, self._stopped)
        self._host = {"Host": f"{name}/{host}"}
        self._usage = Usage()

    def run(self) -> None:
        """Transform every object; raises `JobFailed` or `JobStopped`."""
        self._meet_faults()
        try:
            self.container.start()
            failures, total = self._transform_all()
        except ContainerFailed as failed:
            self._raise_if_stopped()
            raise JobFailed(f"AlgorithmError: {failed}") from None
        except (InputRefused, ValueError, ClientError, BotoCoreError) as error:
            self._raise_if_stopped()
            raise JobFailed(f"ClientError: {error}") from None
        self._raise_if_stopped()
        for failure in failures:
            self.container.note(f"{failure.location}: {failure.detail}")
        if failures:
            first = failures[0]
            raise JobFailed(
                f"{first.kind}: {_SEE_LOGS}. {first.location}: {first.detail} "
                f"({len(failures)} of {total} input objects failed)"
            )

    def stop(self) -> None:
        """End the job's process and its requests; `run` raises `JobStopped`."""
        self._stopped.set()
        self.container.stop()

    def instance(self) -> Instance | None:
        """The job's process, to be measured; None while there is none."""
        server, plan = self.container.server, self.container.plan
        if server is None:
            return None
        return Instance(
            namespace=TRANSFORM_INSTANCES,
            dimensions=self._host,
            region=plan.region,
            role_arn=plan.model.get("ExecutionRoleArn"),
            pid=server.pid,
            usage=self._usage,
        )

    def _meet_faults(self) -> None:
        instance_type = self._job["TransformResources"]["InstanceType"]
        operation, names = "CreateTransformJob", (*self._names, instance_type)
        if self._faults.strike((Kind.NO_CAPACITY,), "sagemaker", operation, *names) is not None:
            raise JobFailed(NO_CAPACITY)
        self._dies = self._faults.strike((Kind.KILL,), "sagemaker", operation, *names) is not None

    def _die_if_struck(self, *, is_last: bool) -> None:
        """Where a fault kills the job: with one output written, or none if there is one only."""
        if self._dies and (self._written or is_last):
            self.stop()  # what is still asked need not be answered
            raise JobFailed(INTERNAL_ERROR)

    def _transform_all(self) -> tuple[list[_ObjectFailed], int]:
        failures: list[_ObjectFailed] = []
        total = 0
        source = self._job["TransformInput"]["DataSource"]["S3DataSource"]
        with ThreadPoolExecutor(self._concurrency) as pool:
            for outcome in self._outcomes(pool, list_inputs(self._s3, source)):
                total += 1
                if isinstance(outcome, _ObjectFailed):
                    failures.append(outcome)
        return failures, total

    def _outcomes(
        self, pool: ThreadPoolExecutor, inputs: Iterator[Input]
    ) -> Iterator[_ObjectFailed | None]:
        """What became of each object, in order; at most ``concurrency`` + 1 are held at once."""
        waiting: deque[_Asked | _ObjectFailed] = deque()
        try:
            for entry in inputs:
                waiting.append(self._ask_all(pool, entry))
                if len(waiting) > self._concurrency:
                    yield self._finish(waiting.popleft(), is_last=False)
            while waiting:
                asked = waiting.popleft()
                yield self._finish(asked, is_last=not waiting)
        finally:
            for asked in waiting:
                _cancel(asked)

    def _ask_all(self, pool: ThreadPoolExecutor, entry: Input) -> _Asked | _ObjectFailed:
        self._raise_if_stopped()
        location = entry.location
        split_type = self._job["TransformInput"].get("SplitType", "None")
        strategy = self._job.get("BatchStrategy", "MultiRecord")
        try:
            body = self._s3.get_object(Bucket=location.bucket, Key=location.key)["Body"].read()
            payloads = list(
                batch(split(body, split_type), strategy=strategy, limit=self._payload_limit())
            )
        except (ClientError, RecordTooLarge) as error:
            return _ObjectFailed(location, "ClientError", str(error))
        return _Asked(entry, [pool.submit(self._model.ask, payload) for payload in payloads])

    def _finish(self, asked: _Asked | _ObjectFailed, *, is_last: bool) -> _ObjectFailed | None:
        if isinstance(asked, _ObjectFailed):
            return asked
        try:
            answers = [answer.result() for answer in asked.answers]
        except Refused as refused:
            _cancel(asked)
            self._raise_if_stopped()
            return _ObjectFailed(asked.entry.location, refused.kind, str(refused))
        self._die_if_struck(is_last=is_last)
        self._write(asked.entry, answers)
        self._written += 1
        return None

    def _write(self, entry: Input, answers: Sequence[bytes]) -> None:
        output = self._job["TransformOutput"]
        place = S3Location.parse(output["S3OutputPath"])
        prefix = place.key if not place.key or place.key.endswith("/") else f"{place.key}/"
        content_type = output.get("Accept")
        self._s3.put_object(
            Bucket=place.bucket,
            Key=f"{prefix}{entry.name}.out",
            Body=assemble(answers, output.get("AssembleWith", "None")),
            **({} if content_type is None else {"ContentType": content_type}),
        )

    def _payload_limit(self) -> int | None:
        """The most bytes of a payload; None for MaxPayloadInMB 0, which has no limit."""
        megabytes = self._job.get("MaxPayloadInMB", DEFAULT_MAX_PAYLOAD_MB)
        return None if megabytes == 0 else megabytes * 1024 * 1024

    def _container_environment(self) -> dict[str, str]:
        """What SageMaker sets for a job's container (developer guide, "Use your own inference
        code with batch transform", read 2026-11-21)."""
        strategy = self._job.get("BatchStrategy", "MultiRecord")
        return {
            "SAGEMAKER_BATCH": "true",
            "SAGEMAKER_BATCH_STRATEGY": {
                "MultiRecord": "MULTI_RECORD",
                "SingleRecord": "SINGLE_RECORD",
            }[strategy],
            "SAGEMAKER_MAX_CONCURRENT_TRANSFORMS": str(self._concurrency),
            "SAGEMAKER_MAX_PAYLOAD_IN_MB": str(
                self._job.get("MaxPayloadInMB", DEFAULT_MAX_PAYLOAD_MB)
            ),
        }

    def _raise_if_stopped(self) -> None:
        if self._stopped.is_set():
            raise JobStopped


@dataclass(frozen=True)
class _Asked:
    entry: Input
    answers: list[Future[bytes]]


@dataclass(frozen=True)
class _ObjectFailed:
    location: S3Location
    kind: str
    detail: str


def _cancel(asked: _Asked | _ObjectFailed) -> None:
    if isinstance(asked, _Asked):
        for answer in asked.answers:
            answer.cancel()
