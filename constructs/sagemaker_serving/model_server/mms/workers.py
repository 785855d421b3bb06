"""The processes of one model: gunicorn, and workers that have the model loaded."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from sagemaker_serving.errors import Failure
from sagemaker_serving.model_server.children import Child, ChildFailed
from sagemaker_serving.model_server.programs import Program
from sagemaker_serving.model_server.toolkit.contract import ToolkitContract
from sagemaker_serving.model_server.toolkit.settings import STARTUP_SECONDS, Settings
from sagemaker_serving.model_server.worker import Worker

log = logging.getLogger("front")

_ANSWER_MARGIN_SECONDS = 30.0
"""How much later than a worker's own limit the front gives up on it."""


@dataclass(frozen=True, kw_only=True)
class Container:
    """What all models of a container have in common."""

    program: Program
    contract: ToolkitContract | None
    """None: Multi Model Server of Neo's images."""

    container_version: str | None
    settings: Settings
    scratch: Path

    @property
    def unwraps(self) -> bool:
        """Whether a folder that is all a model has is the model."""
        return self.contract is not None and self.contract.unwraps


class Workers:
    """One model's gunicorn with its workers, on a unix socket in ``scratch``."""

    def __init__(self, child: Child, connections: Worker) -> None:
        self._child = child
        self.connections = connections

    @classmethod
    async def start(
        cls,
        container: Container,
        *,
        name: str,
        count: int,
        view: Path,
        scratch: Path,
        environment: Mapping[str, str],
        last_path: Path | None = None,
    ) -> Workers:
        """Start ``count`` of them and wait until each has the model that ``view`` shows.

        ``last_path`` is where the code is looked for when it is nowhere else. Raises `Failure`;
        `ChildFailed` says of which kind.
        """
        socket_path = scratch / "worker.sock"
        version = container.container_version
        child = await Child.start(
            "worker",
            "sagemaker_serving.model_server.mms.worker",
            [
                f"--socket-path={socket_path}",
                f"--program={container.program}",
                f"--model-dir={view}",
                f"--model-name={name}",
                f"--workers={count}",
                f"--scratch={scratch}",
                *([] if last_path is None else [f"--last-path={last_path}"]),
                *([] if version is None else [f"--container-version={version}"]),
            ],
            environment=environment,
            directory=scratch,
            isolated=False,
        )
        settings = container.settings
        timeout = settings.response_timeout_seconds + _ANSWER_MARGIN_SECONDS
        workers = cls(child, Worker(socket_path, read_timeout=timeout * settings.queue_size))
        try:
            await child.reported("started")
            async with asyncio.timeout(STARTUP_SECONDS):
                for _ in range(count):
                    await child.reported("ready")
        except TimeoutError:
            await workers.stop()
            raise Failure(
                f"the model was not loaded within {STARTUP_SECONDS} seconds, which is all that "
                "TorchServe gives a worker"
            ) from None
        except BaseException:
            await workers.stop()
            raise
        return workers

    async def death(self) -> ChildFailed:
        """Wait until they end by themselves."""
        return await self._child.died()

    def pids(self) -> Sequence[int]:
        """Of the workers, which are there now."""
        return [process.pid for process in self._processes()[1:]]

    def memory_bytes(self) -> int:
        """Of all its processes; pages that they share count in each."""
        total = 0
        for process in self._processes():
            try:
                total += process.memory_info().rss
            except psutil.NoSuchProcess:
                continue
        return total

    async def stop(self) -> None:
        """End them all."""
        await self.connections.close()
        await self._child.stop()

    def _processes(self) -> list[psutil.Process]:
        try:
            gunicorn = psutil.Process(self._child.pid)
            return [gunicorn, *gunicorn.children()]
        except psutil.NoSuchProcess:
            return []


def import_paths(*paths: Path, packages: str) -> str:
    """PYTHONPATH: ``paths``, then the packages that were installed for the container."""
    return os.pathsep.join([*map(str, paths), *([packages] if packages else [])])
