"""The processes of a container, each as the command that starts it."""

from __future__ import annotations

import json
import logging
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sagemaker_serving.model_server.children import Child
from sagemaker_serving.model_server.commands import (
    gunicorn_command,
    service_environment,
    tfs_command,
)
from sagemaker_serving.model_server.plan import Plan, worker_environment
from sagemaker_serving.model_server.ports import listen_near

log = logging.getLogger("front")

_PACKAGE = "sagemaker_serving.model_server"


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

    async def engine(self, instance: int, rest_port: int | None) -> tuple[Child, int]:
        """An engine with all models, and its REST port: ``rest_port`` where that is free."""
        models = {
            model.name: {str(number): str(path) for number, path in model.versions.items()}
            for model in self.plan.models
        }
        log.info("tensorflow serving command: %s", tfs_command(self.plan.settings, instance))
        with listen_near(rest_port) as listener:
            engine = await Child.start(
                "engine",
                f"{_PACKAGE}.engine",
                [
                    f"--socket-fd={listener.fileno()}",
                    f"--link-path={self.link_path(instance)}",
                    f"--models={json.dumps(models)}",
                ],
                environment=self.environment,
                directory=self.scratch,
                pass_fds=(listener.fileno(),),
            )
            log.info("started tensorflow serving (pid: %d)", engine.pid)
            return engine, listener.getsockname()[1]

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

    async def worker(self, rest_ports: Sequence[int], packages: Path | None) -> Child:
        """The Python service, importing from ``packages`` too; no ports: multi-model mode."""
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
                f"--rest-ports={json.dumps(list(rest_ports))}",
                f"--default-model={plan.default_model}",
            ]
        if plan.code.script.exists():
            arguments.append(f"--script={plan.code.script}")
        log.info("gunicorn command: %s", gunicorn_command(plan.settings))
        worker = await Child.start(
            "handler worker",
            f"{_PACKAGE}.handler",
            arguments,
            environment=worker_environment(self.environment, plan, paths)
            | service_environment(plan.settings, rest_ports, plan.default_model),
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
