"""Compiling a model outside of a deploy: the same job, which a later deploy finds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from local_aws.s3_location import S3Location
from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.errors import Failure, Mistake
from sagemaker_serving.s3_address import split_s3
from sagemaker_serving.spec.compilation_job import CompilationJob
from sagemaker_serving.spec.places import COMPILED

_RUNNING = ("STARTING", "INPROGRESS")
_LOOK_SECONDS = 5.0
_FIRST_LOOK_SECONDS = 0.5


@dataclass(frozen=True, kw_only=True)
class Compilation:
    """A compilation job as it stands.

    ``status`` is SageMaker's: STARTING, INPROGRESS, COMPLETED, FAILED, STOPPING or STOPPED;
    ``model_url`` is where the compiled archive is or will be, ``image`` what serves it, where
    SageMaker says so; ``reason`` why it failed; ``seconds`` how long the compiler has worked.
    """

    name: str
    status: str
    model_url: str
    image: str | None
    reason: str
    seconds: float | None

    @property
    def done(self) -> bool:
        """Whether nothing more will come of it."""
        return self.status in ("COMPLETED", "FAILED", "STOPPED")


class Compiler:
    """Compiles models into one place in S3.

    :param output: ``s3://bucket/prefix``; each content has its own place below.
    :param role_arn: the role of the jobs, which reads the models and writes there.
    """

    def __init__(self, aws: Aws, *, output: str, role_arn: str) -> None:
        found = S3Location.find(output)
        if found is None:
            raise Mistake(f"{output!r} is no place in S3; write s3://<bucket>/<prefix>")
        self._bucket = found.bucket
        self._output = output.rstrip("/")
        self._role_arn = role_arn
        self._sagemaker = aws.client("sagemaker")
        self._s3 = aws.client("s3")

    def upload(self, archive: Path, sha256: str) -> str:
        """Puts an archive to where jobs read it, once for its content; its URL."""
        url = f"{self._output}/inputs/{sha256}.tar.gz"
        key = split_s3(url)[1]
        with aws_failures():
            try:
                self._s3.head_object(Bucket=self._bucket, Key=key)
            except ClientError as error:
                if error.response["Error"].get("Code") not in ("404", "NoSuchKey", "NotFound"):
                    raise
                self._s3.upload_file(str(archive), self._bucket, key)
        return url

    def begin(self, job: CompilationJob, *, model_url: str, content: Any) -> Compilation:
        """Begins ``job`` for the archive at ``model_url``, or finds it done or under way.

        ``content`` identifies the model, as `CompilationJob.name` takes it. Former jobs of the
        content that failed or were stopped are left behind: the next attempt has a number.
        """
        name = job.name(content)
        with aws_failures():
            for attempt in _attempts(name):
                found = self._describe(attempt)
                if found is None:
                    arguments = job.arguments(
                        model_url=model_url,
                        output_url=f"{self._output}/{COMPILED}{name}/",
                    )
                    self._sagemaker.create_compilation_job(
                        CompilationJobName=attempt, RoleArn=self._role_arn, **arguments
                    )
                    return self.look(attempt)
                if found.status in (*_RUNNING, "COMPLETED"):
                    return found
        raise AssertionError("attempts never end")

    def look(self, name: str) -> Compilation:
        """The job of that name; raises `Failure` when there is none."""
        with aws_failures():
            found = self._describe(name)
        if found is None:
            raise Failure(f"there is no compilation job {name} any more; somebody has deleted it")
        return found

    def watch(self, name: str) -> Iterator[Compilation]:
        """The job as it stands, again and again until it is done."""
        wait = _FIRST_LOOK_SECONDS
        while not (found := self.look(name)).done:
            yield found
            time.sleep(wait)
            wait = min(wait * 1.5, _LOOK_SECONDS)
        yield found

    def _describe(self, name: str) -> Compilation | None:
        try:
            job = self._sagemaker.describe_compilation_job(CompilationJobName=name)
        except ClientError as error:
            if error.response["Error"].get("Code", "").startswith("ResourceNotFound"):
                return None
            raise
        started, ended = job.get("CompilationStartTime"), job.get("CompilationEndTime")
        now = ended if ended is not None else job["LastModifiedTime"]
        return Compilation(
            name=name,
            status=job["CompilationJobStatus"],
            model_url=job["ModelArtifacts"]["S3ModelArtifacts"],
            image=job.get("InferenceImage"),
            reason=job.get("FailureReason") or "",
            seconds=None if started is None else (now - started).total_seconds(),
        )


def _attempts(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in count(2))
