"""The work of one compilation job here: check the model, compile it, pack it again, write it.

There is no Neo compiler outside of AWS. The job takes what Neo would take, and refuses what Neo
would refuse by the files' names and the shapes of a SavedModel's inputs. Where OpenVINO is
installed it compiles the model in Neo's place, which shows whether a compiler takes the model's
operators, how its numbers move, and that the whole way works, and nothing of what Neo makes. The
archive has the name that Neo gives its own, and the model that was given is in it in any case.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tarfile
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.context import LocalContext
from local_aws.faults import Faults, Kind
from local_aws.s3_location import S3Location
from sagemaker_serving import log_groups
from sagemaker_serving.archive import UnreadableArtifact, unpack
from sagemaker_serving.archive.compiling import (
    CannotCompile,
    Compiled,
    compile_model,
    why_not_compiled,
)
from sagemaker_serving.local_sagemaker.common.jobs import (
    INTERNAL_ERROR,
    NO_CAPACITY,
    JobFailed,
    JobStopped,
)
from sagemaker_serving.local_sagemaker.common.store import Region, Resource
from sagemaker_serving.local_sagemaker.compilation_jobs.neo_inputs import (
    problem_with_input,
    problem_with_shapes,
)
from sagemaker_serving.local_sagemaker.models.network_access import NetworkRefused, check_network
from sagemaker_serving.local_sagemaker.models.roles import role_client
from sagemaker_serving.local_sagemaker.observability.log_files import job_log
from sagemaker_serving.local_sagemaker.observability.log_shipper import LogShipper, LogStream

NOT_COMPILED = "local AWS: repacked, not compiled"
"""What the description and the log of a job that is done say of it, where nothing compiled it."""


def compiled_by(compiled: Compiled) -> str:
    """The same where something did."""
    return (
        f"local AWS: compiled by {compiled}, which stands in for Neo's compiler; it proves "
        "nothing of what Neo makes"
    )


STARTING_SECONDS = 0.3
COMPILING_SECONDS = 0.7
"""How long a job is STARTING, and how long it works at least; a ``slow`` fault makes it longer."""

DEFAULT_MAX_RUNTIME_SECONDS = 900
"""StoppingCondition.MaxRuntimeInSeconds when absent: what AWS recommends to begin with
(botocore: StoppingCondition)."""


class CompilationRun:
    """Runs a job in the caller's thread; `stop` from another one ends it early."""

    def __init__(
        self,
        job: Resource,
        *,
        region: Region,
        context: LocalContext,
        logs: LogShipper,
        faults: Faults,
    ) -> None:
        self._job = job
        self._region = region
        self._faults = faults
        self._context = context
        self._stopped = threading.Event()
        self.outcome = NOT_COMPILED
        """What is said of a job that is done."""
        self._account_s3 = context.client("s3", region.name)
        self._s3 = role_client(context, job["RoleArn"], "s3", region.name)
        self._logs = logs
        name = job["CompilationJobName"]
        self.log = LogStream(
            path=job_log(context.state_dir, "compilation", region.name, name),
            group=log_groups.COMPILATION_JOBS,
            stream=name,
            region=region.name,
            role_arn=job["RoleArn"],
        )
        self.log.path.parent.mkdir(parents=True, exist_ok=True)
        self.log.path.write_text("", encoding="utf-8")
        logs.follow(self.log)

    def wait_for_start(self) -> None:
        """The time in which AWS finds an instance; raises `JobFailed` or `JobStopped`."""
        if self._is_struck(Kind.NO_CAPACITY):
            raise JobFailed(NO_CAPACITY)
        self._wait(STARTING_SECONDS)

    def run(self) -> str:
        """Read, check, pack and write; the sha256 of what was written.

        Raises `JobFailed` or `JobStopped`.
        """
        began = time.monotonic()
        limit = self._job["StoppingCondition"].get(
            "MaxRuntimeInSeconds", DEFAULT_MAX_RUNTIME_SECONDS
        )
        too_long = JobFailed(
            f"TimeOut: the job did not complete within MaxRuntimeInSeconds ({limit})"
        )
        with tempfile.TemporaryDirectory(prefix="sagemaker-serving-") as folder:
            fetched, packed = Path(folder) / "input.tar.gz", Path(folder) / "compiled.tar.gz"
            files = self._read_and_pack(fetched, packed)
            try:
                made = self._compile(fetched, files, Path(folder) / "model", began + limit)
            except TimeoutError:
                raise too_long from None
            if made is not None:
                _pack_again(fetched, packed, made)
            seconds = COMPILING_SECONDS + self._extra_seconds()
            self._wait(min(seconds, max(began + limit - time.monotonic(), 0)))
            if time.monotonic() - began >= limit:
                raise too_long
            if self._is_struck(Kind.KILL):
                raise JobFailed(INTERNAL_ERROR)
            self._write(packed)
            return hashlib.sha256(packed.read_bytes()).hexdigest()

    def stop(self) -> None:
        """End the job; `run` raises `JobStopped`."""
        self._stopped.set()

    def say(self, text: str) -> None:
        """Write a line into the job's log."""
        with self.log.path.open("a", encoding="utf-8") as log:
            log.write(f"{text}\n")

    def finish(self) -> None:
        """The log has its last line."""
        self._logs.finish(self.log)

    def _read_and_pack(self, fetched: Path, packed: Path) -> list[str]:
        config = self._job["InputConfig"]
        try:
            check_network(
                self._context, self._job["RoleArn"], self._region.name, self._job.get("VpcConfig")
            )
            self._fetch(S3Location.parse(config["S3Uri"]), fetched)
            files = _pack_again(fetched, packed)
        except (ClientError, BotoCoreError, NetworkRefused, ValueError) as error:
            raise JobFailed(f"ClientError: {error}") from None
        except (tarfile.TarError, OSError, EOFError):
            raise JobFailed(
                "ClientError: InputConfiguration: Unable to untar input model. "
                "Please confirm the model is a tar.gz file"
            ) from None
        self.say(f"read {config['S3Uri']}: {len(files)} files")
        problem = problem_with_input(config["Framework"], files) or problem_with_shapes(
            config["Framework"], config.get("DataInputConfig"), fetched
        )
        if problem is not None:
            raise JobFailed(problem)
        return files

    def _compile(
        self, fetched: Path, files: Sequence[str], folder: Path, until: float
    ) -> Made | None:
        """What a compiler adds to the model; None where nothing here compiles it.

        Raises `JobFailed` in the compiler's words, `JobStopped`, and `TimeoutError`.
        """
        config = self._job["InputConfig"]
        given = config.get("DataInputConfig")
        shapes = None if given is None else json.loads(given)
        why_not = why_not_compiled(files, config["Framework"], shapes)
        if why_not is not None:
            self.say(f"nothing is compiled: {why_not}")
            return None
        try:
            with fetched.open("rb") as stream:
                unpack(stream, folder, config["S3Uri"])
        except UnreadableArtifact as error:
            raise JobFailed(f"ClientError: InputConfiguration: {error}") from None
        try:
            compiled = compile_model(
                folder,
                config["Framework"],
                shapes,
                seconds=until - time.monotonic(),
                is_stopped=self._stopped.is_set,
            )
        except CannotCompile as error:
            raise JobFailed(
                f"ClientError: CompilationError: {error} (the local AWS compiles with OpenVINO; "
                "Neo may take the model)"
            ) from None
        self._raise_if_stopped()
        assert compiled is not None
        self.outcome = compiled_by(compiled)
        return Made(root=folder, added=compiled.folder)

    def _fetch(self, location: S3Location, file: Path) -> None:
        bucket, key = location.bucket, location.key
        found = self._account_s3.get_bucket_location(Bucket=bucket)
        home = found["LocationConstraint"] or "us-east-1"
        if home != self._region.name:
            raise JobFailed(
                f"ClientError: InputConfiguration: Bucket {bucket} is in region {home} which is "
                f"different from AWS Sagemaker service region {self._region.name}"
            )
        try:
            body = self._s3.get_object(Bucket=bucket, Key=key)["Body"]
            with file.open("wb") as fetched:
                shutil.copyfileobj(body, fetched)
        except ClientError as error:
            if error.response["Error"]["Code"] != "NoSuchKey":
                raise
            raise JobFailed(
                "ClientError: InputConfiguration: S3 object does not exist. "
                f"Bucket: {bucket}, Key: {key}"
            ) from None

    def _write(self, packed: Path) -> None:
        artifacts = self._job["ModelArtifacts"]["S3ModelArtifacts"]
        location = S3Location.parse(artifacts)
        self._raise_if_stopped()
        try:
            with packed.open("rb") as body:
                self._s3.put_object(Bucket=location.bucket, Key=location.key, Body=body)
        except (ClientError, BotoCoreError) as error:
            raise JobFailed(f"ClientError: {error}") from None
        self.say(f"wrote {artifacts} ({self.outcome})")

    def _extra_seconds(self) -> float:
        slow = self._faults.strike(
            (Kind.SLOW,), "sagemaker", "CreateCompilationJob", self._job["CompilationJobName"]
        )
        return 0.0 if slow is None else slow.delay_seconds

    def _is_struck(self, kind: Kind) -> bool:
        name = self._job["CompilationJobName"]
        return self._faults.strike((kind,), "sagemaker", "CreateCompilationJob", name) is not None

    def _wait(self, seconds: float) -> None:
        self._stopped.wait(seconds)
        self._raise_if_stopped()

    def _raise_if_stopped(self) -> None:
        if self._stopped.is_set():
            raise JobStopped


def artifact_location(job: Resource) -> str:
    """Where the job writes: ``<input's stem>-<target>.tar.gz`` below S3OutputLocation.

    So AWS names it in its examples (developer guide, "Deploy a model"); of a TargetPlatform the
    parts are joined by underscores.
    """
    output = job["OutputConfig"]
    platform = output.get("TargetPlatform", {})
    parts = (platform.get(part) for part in ("Os", "Arch", "Accelerator"))
    target = output.get("TargetDevice") or "_".join(part for part in parts if part)
    stem = PurePosixPath(job["InputConfig"]["S3Uri"]).name.removesuffix(".gz").removesuffix(".tar")
    return f"{output['S3OutputLocation'].rstrip('/')}/{stem}-{target}.tar.gz"


@dataclass(frozen=True, kw_only=True)
class Made:
    """What was compiled: the folder ``added`` below the model's ``root``."""

    root: Path
    added: Path


def _pack_again(source: Path, target: Path, made: Made | None = None) -> list[str]:
    """Copy an archive member by member, and put in what was made; the paths of its files."""
    files = []
    with tarfile.open(source, "r:gz") as read, tarfile.open(target, "w:gz") as written:
        for member in read:
            written.addfile(member, read.extractfile(member) if member.isfile() else None)
            if member.isfile():
                files.append(str(PurePosixPath(member.name)))
        if made is not None:
            written.add(made.added, made.added.relative_to(made.root))
    return files
