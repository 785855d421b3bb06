"""The processes of a container, each as the command that starts it."""

from __future__ import annotations

import json
import logging
import signal
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from sagemaker_serving.model_server.children import Child
from sagemaker_serving.model_server.commands import (
    gunicorn_command,
    service_environment,
    tfs_command,
)
from sagemaker_serving.model_server.plan import Plan
from sagemaker_serving.model_server.ports import listen_near
from sagemaker_serving.model_server.requirements import environment_of_code

log = logging.getLogger("front")

_PACKAGE = "sagemaker_serving.model_server"


@dataclass(frozen=True, kw_only=True)
class EnginePorts:
    """Where an engine answers."""

    rest: int | None
    """None: wherever a port is free."""

    grpc: int | None
    """None: nowhere, since only the user's code could call it."""


@dataclass(frozen=True, kw_only=True)
class Launcher:
    """Starts what ``plan`` needs, in ``scratch``; nothing is waited for."""

    plan: Plan
    scratch: Path
    environment: Mapping[str, str]

    @property
    def worker_socket(self) -> Path:
        """Where the handler worker listens."""
        return self.scratch / "worker.sock"

    def link_path(self, instance: int) -> Path:
        """Where an engine waits for the front."""
        return self.scratch / f"engine{instance}.sock"

    def ports(self, instance: int) -> EnginePorts:
        """The ports that an engine has in the container."""
        settings = self.plan.settings
        grpc = settings.grpc_port(instance) if self.plan.wants_worker else None
        return EnginePorts(rest=settings.rest_port(instance), grpc=grpc)

    async def engine(self, instance: int, ports: EnginePorts) -> tuple[Child, EnginePorts]:
        """An engine with all models, and its ports: ``ports`` where these are free."""
        models = {
            model.name: {str(number): str(path) for number, path in model.versions.items()}
            for model in self.plan.models
        }
        log.info("tensorflow serving command: %s", tfs_command(self.plan.settings, instance))
        with ExitStack() as until_passed:
            rest = until_passed.enter_context(listen_near(ports.rest))
            arguments = [
                f"--socket-fd={rest.fileno()}",
                f"--link-path={self.link_path(instance)}",
                f"--models={json.dumps(models)}",
            ]
            listeners = [rest]
            if ports.grpc is not None:
                grpc = until_passed.enter_context(listen_near(ports.grpc, "gRPC"))
                arguments.append(f"--grpc-socket-fd={grpc.fileno()}")
                listeners.append(grpc)
            engine = await Child.start(
                "engine",
                f"{_PACKAGE}.engine",
                arguments,
                environment=self.environment,
                directory=self.scratch,
                pass_fds=[listener.fileno() for listener in listeners],
            )
            log.info("started tensorflow serving (pid: %d)", engine.pid)
            numbers = [listener.getsockname()[1] for listener in listeners]
            return engine, EnginePorts(rest=numbers[0], grpc=next(iter(numbers[1:]), None))

    async def engine_forks(self) -> Child:
        """What loads models in multi-model mode."""
        log.info("multi-model endpoint is enabled, TFS model servers will be started later")
        return await Child.start(
            "engine forks",
            f"{_PACKAGE}.engine_forks",
            [f"--socket-path={self._engine_forks_socket}", f"--generation={self._generation}"],
            environment=self.environment,
            directory=self.scratch,
        )

    async def worker(self, engines: Sequence[EnginePorts], packages: Path | None) -> Child:
        """The Python service, importing from ``packages`` too; no engines: multi-model mode."""
        plan = self.plan
        paths = [*plan.worker_paths(), *([] if packages is None else [packages])]
        arguments = [
            f"--socket-path={self.worker_socket}",
            f"--model-dir={plan.model_dir}",
            f"--generation={self._generation}",
        ]
        if plan.settings.multi_model:
            arguments.append(f"--engine-forks-path={self._engine_forks_socket}")
        else:
            arguments += [
                f"--rest-ports={json.dumps([ports.rest for ports in engines])}",
                f"--grpc-ports={json.dumps([ports.grpc for ports in engines])}",
                f"--default-model={plan.default_model}",
            ]
        if plan.container_version is not None:
            arguments.append(f"--container-version={plan.container_version}")
        if plan.code.script.exists():
            arguments.append(f"--script={plan.code.script}")
        log.info("gunicorn command: %s", gunicorn_command(plan.settings))
        worker = await Child.start(
            "handler worker",
            f"{_PACKAGE}.handler",
            arguments,
            environment=environment_of_code(self.environment, paths, plan.model_dir)
            | service_environment(
                [ports.rest for ports in engines],
                [ports.grpc for ports in engines],
                plan.default_model,
            ),
            directory=self.scratch,
            isolated=False,
            # gunicorn's quick end: the front has waited for the requests under way.
            stop_signal=signal.SIGQUIT,
        )
        log.info("started gunicorn (pid: %d)", worker.pid)
        return worker

    @property
    def _engine_forks_socket(self) -> Path:
        return self.scratch / "engine-forks.sock"

    @property
    def _generation(self) -> str:
        return self.plan.contract.generation
