"""The work of one transform job: read objects, ask the model, write what it answers."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError

from sagemaker_serving.local.context import LocalContext
from sagemaker_serving.local.sagemaker.archives import S3Location
from sagemaker_serving.local.sagemaker.container import Container, ContainerFailed, Launch, Plan
from sagemaker_serving.local.sagemaker.inputs import Input, InputRefused, list_inputs
from sagemaker_serving.local.sagemaker.model_client import ModelAnswer, NoAnswer
from sagemaker_serving.local.sagemaker.records import RecordTooLarge, assemble, batch, split
from sagemaker_serving.local.sagemaker.store import Region, Resource

DEFAULT_MAX_PAYLOAD_MB = 6
DEFAULT_TIMEOUT_SECONDS = 600
DEFAULT_RETRIES = 3
"""SageMaker API reference, CreateTransformJob and ModelClientConfig, read 2026-11-21."""

_FIRST_PAUSE_SECONDS = 0.1
_SEE_LOGS = "See job logs for more information"


class JobFailed(Exception):
    """The job ends as Failed; the message is its FailureReason."""


class JobStopped(Exception):
    """The job was stopped before it was done."""


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
    ) -> None:
        self._job = job
        self._s3 = context.client("s3", region.name)
        self._stopped = threading.Event()
        name = job["TransformJobName"]
        self._concurrency: int = job.get("MaxConcurrentTransforms") or 1
        plan = Plan(
            title="The primary container of the transform job",
            model=model,
            region=region.name,
            folder=context.state_dir / "transform" / region.name / name,
            log_path=context.state_dir / "logs" / "transform" / region.name / f"{name}.log",
            environment={**job.get("Environment", {}), **self._container_environment()},
        )
        self.container = Container(plan, context, launch)

    def run(self) -> None:
        """Transform every object; raises `JobFailed` or `JobStopped`."""
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
                    yield self._finish(waiting.popleft())
            while waiting:
                yield self._finish(waiting.popleft())
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
        return _Asked(entry, [pool.submit(self._ask, payload) for payload in payloads])

    def _finish(self, asked: _Asked | _ObjectFailed) -> _ObjectFailed | None:
        if isinstance(asked, _ObjectFailed):
            return asked
        try:
            answers = [answer.result() for answer in asked.answers]
        except _Refused as refused:
            _cancel(asked)
            self._raise_if_stopped()
            return _ObjectFailed(asked.entry.location, refused.kind, str(refused))
        self._write(asked.entry, answers)
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

    def _ask(self, payload: bytes) -> bytes:
        """The model's answer to one payload; a server's failures are asked again, refusals not."""
        config = self._job.get("ModelClientConfig", {})
        retries: int = config.get("InvocationsMaxRetries", DEFAULT_RETRIES)
        timeout: int = config.get("InvocationsTimeoutInSeconds", DEFAULT_TIMEOUT_SECONDS)
        failed = _Refused("AlgorithmError", "the job was stopped")
        for attempt in range(retries + 1):
            if attempt and self._stopped.wait(_FIRST_PAUSE_SECONDS * 2**attempt):
                break
            try:
                answer = self._invoke(payload, timeout)
            except NoAnswer as error:
                failed = _Refused(
                    "AlgorithmError", f"Unable to get response from algorithm ({error})"
                )
                continue
            if 200 <= answer.status < 300:
                return answer.body
            text = answer.body.decode("utf-8", "replace")
            if answer.status < 500:
                raise _Refused("ClientError", f"the model answered {answer.status}: {text}")
            failed = _Refused("AlgorithmError", f"the model answered {answer.status}: {text}")
        raise failed

    def _invoke(self, payload: bytes, timeout_seconds: int) -> ModelAnswer:
        client = self.container.client
        if client is None:
            raise NoAnswer("the container was never started", timed_out=False)
        headers = {
            name: value
            for name, value in (
                ("Content-Type", self._job["TransformInput"].get("ContentType")),
                ("Accept", self._job["TransformOutput"].get("Accept")),
            )
            if value is not None
        }
        return client.invoke(payload, headers, timeout_seconds=timeout_seconds)

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


class _Refused(Exception):
    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


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
