"""A model's container on this machine: its archive unpacked, its server a process."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from local_aws.context import LocalContext
from sagemaker_serving.errors import Failure
from sagemaker_serving.local_sagemaker.common.store import Resource
from sagemaker_serving.local_sagemaker.containers.model_client import PRIMARY, ModelClient
from sagemaker_serving.local_sagemaker.engines.engines import NO_ENGINES, Engines
from sagemaker_serving.local_sagemaker.engines.images import NoEngine
from sagemaker_serving.local_sagemaker.engines.launch import Server
from sagemaker_serving.local_sagemaker.models.archives import (
    ArchiveRefused,
    ModelFiles,
    fetch_and_unpack,
    fetch_files,
    model_files,
)
from sagemaker_serving.local_sagemaker.models.image_access import ImageRefused, check_pull
from sagemaker_serving.local_sagemaker.models.models import container_of, is_multi_model
from sagemaker_serving.local_sagemaker.models.network_access import NetworkRefused, check_network
from sagemaker_serving.local_sagemaker.models.roles import credentials, role_client
from sagemaker_serving.local_sagemaker.observability.log_shipper import LogShipper, LogStream
from sagemaker_serving.model_server.programs import Program

HEALTH_CHECK_SECONDS = 480.0
"""How long /ping may fail before a container counts as broken, when the config does not say:
8 minutes (SageMaker developer guide, "Use your own inference code")."""

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_QUOTED_LOG_LINES = 20
MAX_FAILURE_REASON = 1024
"""Characters of a FailureReason (botocore: the shape of that name)."""


class ContainerFailed(Exception):
    """The container does not serve; the message is a FailureReason in AWS's words."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a container is made of.

    ``title`` opens a FailureReason ("The primary container for production
    variant gpu"); ``environment`` is what is set beside the model's own;
    ``log_group`` and ``log_stream`` are where its output goes in CloudWatch.
    ``name`` is what SageMaker calls it in messages; ``definition`` is which
    container of the model it is, the only one when absent.
    """

    title: str
    model: Resource
    region: str
    folder: Path
    log_path: Path
    log_group: str
    log_stream: str
    environment: Mapping[str, str] = field(default_factory=dict)
    name: str = PRIMARY
    definition: Resource | None = None

    @property
    def container(self) -> Resource:
        """The container's definition."""
        return container_of(self.model) if self.definition is None else self.definition

    @property
    def logs(self) -> LogStream:
        """The log's file and its stream, written in the name of the model's role."""
        return LogStream(
            path=self.log_path,
            group=self.log_group,
            stream=self.log_stream,
            region=self.region,
            role_arn=self.model.get("ExecutionRoleArn"),
        )


class Container:
    """Starts, restarts and stops one server process; `client` asks it."""

    def __init__(
        self, plan: Plan, context: LocalContext, engines: Engines, logs: LogShipper
    ) -> None:
        self.plan = plan
        self._context = context
        self._engines = engines
        self._logs = logs
        self._lock = threading.Lock()
        self._stopped = False
        self.server: Server | None = None
        self.engine_note = ""
        """What is to be known of what answers, once it is prepared; "" when it is as on AWS."""
        self._client: ModelClient | None = None

    def start(self, deadline_seconds: float = HEALTH_CHECK_SECONDS) -> None:
        """Do what `prepare` does, start the server, return when /ping answers.

        Raises `ContainerFailed` as `prepare` does, and when there is no engine for the image, the
        process ends, the deadline passes, or `stop` is called meanwhile.
        """
        self.prepare()
        self.restart(deadline_seconds)

    def prepare(self) -> None:
        """Fetch and unpack the archive; image, network and archive are asked for in the role's
        name.

        Raises `ContainerFailed` when one of them is refused, or no engine is there for the image.
        """
        shutil.rmtree(self.plan.folder, ignore_errors=True)  # left by a run that was killed
        self.plan.log_path.unlink(missing_ok=True)
        self._logs.follow(self.plan.logs)
        role = self.plan.model.get("ExecutionRoleArn")
        try:
            check_pull(self._context, role, self.plan.container["Image"])
            check_network(self._context, role, self.plan.region, self.plan.model.get("VpcConfig"))
            self.engine_note = self._note_of_the_engine()
            files = model_files(self.plan.container)
            if files is None or is_multi_model(self.plan.container):
                self.plan.folder.mkdir(parents=True)  # many models come when they are asked
            else:
                self.fetch(files, self.plan.folder)
        except (ImageRefused, NetworkRefused, ArchiveRefused) as refused:
            raise ContainerFailed(str(refused)) from None
        except NoEngine as missing:
            raise self._not_served(missing) from None
        if self.engine_note:
            self.note(self.engine_note)

    def fetch(self, files: ModelFiles, folder: Path) -> None:
        """Bring a model, unpacked, into ``folder``, in the role's name; raises `ArchiveRefused`."""
        role, region = self.plan.model.get("ExecutionRoleArn"), self.plan.region
        s3 = role_client(self._context, role, "s3", region)
        account_s3 = self._context.client("s3", region)
        if files.is_packed:
            fetch_and_unpack(s3, files.url, region=region, folder=folder, account_s3=account_s3)
        else:
            fetch_files(s3, files, region=region, folder=folder, account_s3=account_s3)

    def restart(self, deadline_seconds: float = HEALTH_CHECK_SECONDS) -> None:
        """Start the server over the folder that is unpacked; raises as `start` does."""
        server = self._start_server()
        try:
            server.wait_until_healthy(deadline_seconds)
        except Failure:
            reason = self._ping_failed(server)
            with self._lock:
                server.stop()
            raise ContainerFailed(reason) from None

    @property
    def client(self) -> ModelClient | None:
        """Connections to the server that runs now; None before the first start."""
        return self._client

    @property
    def may_open_web_sockets(self) -> bool:
        """Whether a program of the user's stands in for the image, which may take two-way streams;
        what else runs here takes none."""
        return self._engines.of(self.plan.container["Image"]).program is Program.COMMAND

    def note(self, text: str) -> None:
        """Write a line into the server's log, as the local AWS's own."""
        self.plan.log_path.parent.mkdir(parents=True, exist_ok=True)
        with self.plan.log_path.open("a", encoding="utf-8") as log:
            log.write(f"[local AWS: {text}]\n")

    def kill(self) -> None:
        """End the process as a crash would; whoever keeps it alive starts it again."""
        with self._lock:
            if self.server is not None:
                self.server.stop(grace_seconds=0)

    def rest(self) -> None:
        """End the process and keep what was unpacked; `restart` starts it again."""
        with self._lock:
            self._end_process()

    def is_running(self) -> bool:
        """Whether the server's process lives."""
        server = self.server
        return server is not None and server.poll() is None

    def stop(self) -> None:
        """End the process for good and remove the unpacked archive; the log stays."""
        with self._lock:
            self._stopped = True
            self._end_process()
        self._logs.finish(self.plan.logs)
        shutil.rmtree(self.plan.folder, ignore_errors=True)

    def _start_server(self) -> Server:
        self.plan.log_path.parent.mkdir(parents=True, exist_ok=True)
        with self._lock:
            if self._stopped:
                raise ContainerFailed(f"{self.plan.title} was stopped before it was started.")
            self._end_process()
            try:
                engine = self._engines.of(self.plan.container["Image"])
            except NoEngine as missing:
                raise self._not_served(missing) from None
            server = self._engines.start(
                engine,
                self.plan.folder,
                environment=self._environment(),
                log_path=self.plan.log_path,
            )
            self.server, self._client = server, ModelClient(server.place)
        return server

    def _end_process(self) -> None:
        if self.server is not None:
            self.server.stop()
        if self._client is not None:
            self._client.close()

    def _environment(self) -> dict[str, str]:
        """The model's variables, and what leads a handler's boto3 to the local AWS only.

        Handlers call AWS in the name of the model's role.
        """
        return {
            **self.plan.container.get("Environment", {}),
            **self.plan.environment,
            "AWS_REGION": self.plan.region,
            "AWS_DEFAULT_REGION": self.plan.region,
            **credentials(self._context, self.plan.model.get("ExecutionRoleArn")),
            "AWS_ENDPOINT_URL": self._context.url,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def _note_of_the_engine(self) -> str:
        if self._engines.are_off:
            return NO_ENGINES
        return self._engines.of(self.plan.container["Image"]).note

    def _not_served(self, missing: NoEngine) -> ContainerFailed:
        return ContainerFailed(f"{self.plan.title} cannot be served: {missing}")

    def _ping_failed(self, server: Server) -> str:
        opening = (
            f"{self.plan.title} did not pass the ping health check. "
            "Please check CloudWatch logs for this endpoint. Last log lines: "
        )
        quoted = "\n".join(server.last_log_lines(_QUOTED_LOG_LINES))
        lines = _COLOURS.sub("", quoted) or "(the log is empty)"
        room = MAX_FAILURE_REASON - len(opening)
        whole = lines if len(lines) <= room else lines[-room:].partition("\n")[2]
        return opening + (whole or lines[-room:])

    def summary(self) -> dict[str, Any]:
        """The process as ``local status`` shows it; of one that is gone, its log alone."""
        summary: dict[str, Any] = {"log": str(self.plan.log_path)}
        server = self.server
        if server is not None and server.poll() is None:
            summary |= {
                "pid": server.pid,
                "listens": str(server.place),
                "memory_bytes": server.memory_bytes(),
            }
        return summary
