"""The work of one transform job: read objects, ask the model, write what it answers."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.context import LocalContext
from local_aws.faults import Faults, Kind
from local_aws.s3_location import S3Location
from sagemaker_serving import log_groups
from sagemaker_serving.catalog.json_path import InvalidJsonPath
from sagemaker_serving.local_sagemaker.common.jobs import (
    CLIENT_ERROR,
    INTERNAL_ERROR,
    NO_CAPACITY,
    JobFailed,
    JobStopped,
    ObjectRefused,
)
from sagemaker_serving.local_sagemaker.common.store import Region, Resource
from sagemaker_serving.local_sagemaker.containers.container import (
    Container,
    ContainerFailed,
    Plan,
)
from sagemaker_serving.local_sagemaker.engines.engines import Engines
from sagemaker_serving.local_sagemaker.models.roles import role_client
from sagemaker_serving.local_sagemaker.observability.log_files import data_log, job_log
from sagemaker_serving.local_sagemaker.observability.log_shipper import (
    LogShipper,
    LogStream,
    instance_id,
)
from sagemaker_serving.local_sagemaker.observability.metrics import Instance
from sagemaker_serving.local_sagemaker.observability.usage import Usage
from sagemaker_serving.local_sagemaker.transform_jobs.inputs import Input, InputRefused, list_inputs
from sagemaker_serving.local_sagemaker.transform_jobs.model import Refused, TransformModel
from sagemaker_serving.local_sagemaker.transform_jobs.transformation import (
    DEFAULT_BATCH_STRATEGY,
    DEFAULT_MAX_PAYLOAD_MB,
    Cut,
    Transformation,
)

_SEE_LOGS = "See job logs for more information"
"""All that a FailureReason says of objects (github.com/aws/deep-learning-containers/issues/586);
why each of them failed is in the data log."""


class TransformRun:
    """Runs a job in the caller's thread; `stop` from another one ends it early.

    Objects that fail do not keep the others from being transformed and
    written, as on AWS; the job fails once all are through.
    """

    def __init__(
        self,
        job: Resource,
        model: Resource,
        *,
        region: Region,
        context: LocalContext,
        engines: Engines,
        logs: LogShipper,
        faults: Faults,
    ) -> None:
        self._job = job
        self._faults = faults
        self._dies = False
        self._written = 0
        self._stopped = threading.Event()
        name = job["TransformJobName"]
        self._names = (name, job["ModelName"])
        self._concurrency: int = job.get("MaxConcurrentTransforms") or 1
        s3 = role_client(context, model.get("ExecutionRoleArn"), "s3", region.name)
        self._objects = TransformObjects(s3, job)
        host = instance_id(region.name, name)
        plan = Plan(
            title="The primary container of the transform job",
            model=model,
            region=region.name,
            folder=context.state_dir / "transform" / region.name / name,
            log_path=job_log(context.state_dir, "transform", region.name, name),
            log_group=log_groups.TRANSFORM_JOBS,
            log_stream=f"{name}/{host}-{int(job['CreationTime'])}",
            environment=container_environment(job),
        )
        self.container = Container(plan, context, engines, logs)
        self._model = TransformModel(job, self.container, faults, self._stopped)
        stream = replace(
            plan.logs,
            path=data_log(context.state_dir, region.name, name),
            stream=f"{plan.log_stream}/data-log",
        )
        self._data_log = DataLog(stream, logs)
        self._host = {"Host": f"{name}/{host}"}
        self._usage = Usage()

    def run(self) -> None:
        """Transform every object; raises `JobFailed` or `JobStopped`."""
        self._meet_faults()
        self._data_log.open()
        try:
            transformation = Transformation.of(self._job)
            self.container.start()
            self._data_log.say(settings_line(self._job))
            failed = self._transform_all(transformation)
        except ContainerFailed as error:
            self._raise_if_stopped()
            raise JobFailed(f"AlgorithmError: {error}") from None
        except InvalidJsonPath as error:
            self._data_log.say(str(error))
            raise JobFailed(f"{CLIENT_ERROR}: {_SEE_LOGS}") from None
        except (InputRefused, ValueError, ClientError, BotoCoreError) as error:
            self._raise_if_stopped()
            raise JobFailed(f"{CLIENT_ERROR}: {error}") from None
        finally:
            self._data_log.close()
        self._raise_if_stopped()
        if failed is not None:
            raise JobFailed(f"{failed.kind}: {_SEE_LOGS}")

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
            namespace=log_groups.TRANSFORM_JOBS,
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

    def _transform_all(self, transformation: Transformation) -> _Failed | None:
        """Transform every object; the first that failed, when one did."""
        first: _Failed | None = None
        with ThreadPoolExecutor(self._concurrency) as pool:
            for failed in self._failures(pool, transformation):
                self._data_log.blame(failed.location, failed.detail)
                first = failed if first is None else first
        return first

    def _failures(
        self, pool: ThreadPoolExecutor, transformation: Transformation
    ) -> Iterator[_Failed]:
        """The objects that fail, in order; at most ``concurrency`` + 1 objects are held at once."""
        waiting: deque[_Asked | _Failed] = deque()
        try:
            for entry in self._objects.inputs():
                waiting.append(self._ask(pool, entry, transformation))
                if len(waiting) > self._concurrency:
                    yield from self._finish(waiting.popleft(), transformation, is_last=False)
            while waiting:
                asked = waiting.popleft()
                yield from self._finish(asked, transformation, is_last=not waiting)
        finally:
            for asked in waiting:
                _cancel(asked)

    def _ask(
        self, pool: ThreadPoolExecutor, entry: Input, transformation: Transformation
    ) -> _Asked | _Failed:
        self._raise_if_stopped()
        try:
            cut = transformation.cut(self._objects.read(entry.location))
        except (ClientError, ObjectRefused) as error:
            return _Failed(entry.location, CLIENT_ERROR, str(error))
        answers = [pool.submit(self._model.ask, payload.body) for payload in cut.payloads]
        return _Asked(entry, cut, answers)

    def _finish(
        self, asked: _Asked | _Failed, transformation: Transformation, *, is_last: bool
    ) -> Iterator[_Failed]:
        if isinstance(asked, _Failed):
            yield asked
            return
        try:
            answers = [answer.result() for answer in asked.answers]
            output = transformation.output(asked.cut, answers)
        except Refused as refused:
            _cancel(asked)
            self._raise_if_stopped()
            yield _Failed(asked.entry.location, refused.kind, str(refused))
            return
        except ObjectRefused as refused:
            yield _Failed(asked.entry.location, CLIENT_ERROR, str(refused))
            return
        self._die_if_struck(is_last=is_last)
        self._objects.write(asked.entry, output)
        self._written += 1

    def _raise_if_stopped(self) -> None:
        if self._stopped.is_set():
            raise JobStopped


@dataclass(frozen=True)
class _Asked:
    entry: Input
    cut: Cut
    answers: list[Future[bytes]]


@dataclass(frozen=True)
class _Failed:
    location: S3Location
    kind: str
    detail: str


def _cancel(asked: _Asked | _Failed) -> None:
    if isinstance(asked, _Asked):
        for answer in asked.answers:
            answer.cancel()


_STRATEGIES = {"MultiRecord": "MULTI_RECORD", "SingleRecord": "SINGLE_RECORD"}


def container_environment(job: Resource) -> dict[str, str]:
    """The job's own variables, and those that SageMaker adds.

    ``SAGEMAKER_BATCH`` always, the others only where CreateTransformJob was
    given the value (SageMaker developer guide, "Use Your Own Inference Code
    with Batch Transform").
    """
    environment = {**job.get("Environment", {}), "SAGEMAKER_BATCH": "true"}
    if "BatchStrategy" in job:
        environment["SAGEMAKER_BATCH_STRATEGY"] = _STRATEGIES[job["BatchStrategy"]]
    if job.get("MaxConcurrentTransforms"):  # 0 leaves it to the container, as absence does
        environment["SAGEMAKER_MAX_CONCURRENT_TRANSFORMS"] = str(job["MaxConcurrentTransforms"])
    if "MaxPayloadInMB" in job:
        environment["SAGEMAKER_MAX_PAYLOAD_IN_MB"] = str(job["MaxPayloadInMB"])
    return environment


def settings_line(job: Resource) -> str:
    """The data log's first line, as github.com/aws/amazon-sagemaker-examples/issues/1620 has it."""
    return (
        f"MaxConcurrentTransforms={job.get('MaxConcurrentTransforms') or 1}, "
        f"MaxPayloadInMB={job.get('MaxPayloadInMB', DEFAULT_MAX_PAYLOAD_MB)}, "
        f"BatchStrategy={_STRATEGIES[job.get('BatchStrategy', DEFAULT_BATCH_STRATEGY)]}"
    )


class TransformObjects:
    """A job's inputs and outputs; botocore's errors pass."""

    def __init__(self, s3: Any, job: Resource) -> None:
        self._s3 = s3
        self._source = job["TransformInput"]["DataSource"]["S3DataSource"]
        output = job["TransformOutput"]
        self._place = S3Location.parse(output["S3OutputPath"])
        self._written_as = _written_as(output)

    def inputs(self) -> Iterator[Input]:
        """What is to be transformed; raises `InputRefused`."""
        return list_inputs(self._s3, self._source)

    def read(self, location: S3Location) -> bytes:
        """The whole object."""
        found = self._s3.get_object(Bucket=location.bucket, Key=location.key)
        body: bytes = found["Body"].read()
        return body

    def write(self, entry: Input, output: bytes) -> None:
        """Put the output of an input under the output path: ``<name>.out``."""
        prefix = self._place.key
        if prefix and not prefix.endswith("/"):
            prefix += "/"
        self._s3.put_object(
            Bucket=self._place.bucket,
            Key=f"{prefix}{entry.name}.out",
            Body=output,
            **self._written_as,
        )


def _written_as(output: Resource) -> dict[str, str]:
    content_type, key = output.get("Accept"), output.get("KmsKeyId")
    arguments = {} if content_type is None else {"ContentType": content_type}
    if key:
        arguments |= {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": key}
    return arguments


class DataLog:
    """What SageMaker says of a job's objects: a file that the shipper follows until it is closed.

    Threads may share it. The stream ``<job>/<instance>-<time>/data-log`` has lines such as
    ``2020-10-14T04:53:51.549:[sagemaker logs]: bucket/key: Unable to get response from algorithm``
    (developer guide, "Log Events with CloudWatch"; github.com/aws/sagemaker-python-sdk issue 1951).
    """

    def __init__(self, stream: LogStream, logs: LogShipper) -> None:
        self._stream = stream
        self._logs = logs
        self._lock = threading.Lock()

    def open(self) -> None:
        """Begin the log anew."""
        self._stream.path.parent.mkdir(parents=True, exist_ok=True)
        self._stream.path.unlink(missing_ok=True)
        self._logs.follow(self._stream)

    def say(self, text: str) -> None:
        """Write a line about the whole job."""
        self._write([text])

    def blame(self, location: S3Location, text: str) -> None:
        """Write why an object has no output, every line under the object's name."""
        self._write([f"{location.bucket}/{location.key}: {line}" for line in text.split("\n")])

    def close(self) -> None:
        """Say no more; what was said is still sent. Any number of times."""
        self._logs.finish(self._stream)

    def _write(self, lines: list[str]) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
        with self._lock, self._stream.path.open("a", encoding="utf-8") as log:
            log.writelines(f"{now}:[sagemaker logs]: {line}\n" for line in lines)
