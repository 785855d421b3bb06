"""The processes behind the front: the engines and, with user code, the handler worker."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
from pathlib import Path
from typing import NoReturn

from sagemaker_serving.errors import Failure
from sagemaker_serving.local.server.children import Child, ChildFailed
from sagemaker_serving.local.server.front import Backend, Engines, WithCode, WithoutCode
from sagemaker_serving.local.server.link import LinkClient
from sagemaker_serving.local.server.plan import Plan, child_environment, worker_environment
from sagemaker_serving.local.server.racing import all_of, first_of
from sagemaker_serving.local.server.requirements import install_requirements
from sagemaker_serving.local.server.worker import Worker

log = logging.getLogger("front")

_PACKAGE = "sagemaker_serving.local.server"


class Container:
    """One container's processes; ``scratch`` is theirs to fill and the caller's to remove.

    They are given this process's environment. The model's folder stands for
    ``/opt/ml/model``; that path cannot be mounted here, so the user's code
    finds the folder in ``SM_MODEL_DIR``.
    """

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._children: list[Child] = []
        self._links: list[LinkClient] = []
        self._worker: Worker | None = None
        self._death: asyncio.Future[ChildFailed] = asyncio.get_running_loop().create_future()
        self._watches: list[asyncio.Task[None]] = []

    async def start(self, plan: Plan) -> tuple[Backend, Engines]:
        """Start engines and worker side by side and wait until they can answer.

        Raises `ServingError` with the reason of the first that cannot. `stop`
        must be called in any case.
        """
        home = self._scratch / "home"
        home.mkdir()
        environment = child_environment(os.environ, home)
        instances = range(plan.settings.instance_count)
        listeners = [_rest_socket(plan.settings.rest_port(instance)) for instance in instances]
        ports = [listener.getsockname()[1] for listener in listeners]
        starts = [
            self._start_engine(
                plan, self._scratch / f"engine{instance}.sock", listener, environment
            )
            for instance, listener in enumerate(listeners)
        ]
        if plan.wants_worker:
            starts.append(self._start_worker(plan, ports, environment))
        await first_of(all_of(*starts), self.death())
        engines = Engines(self._links)
        if self._worker is not None:
            return WithCode(self._worker), engines
        return WithoutCode(engines, plan.default_model, plan.contract), engines

    async def death(self) -> NoReturn:
        """Wait until a process that was ready ends by itself, and raise `ChildFailed`."""
        raise await asyncio.shield(self._death)

    async def stop(self) -> None:
        """End all processes."""
        for link in self._links:
            link.close()
        if self._worker is not None:
            await self._worker.close()
        for watch in self._watches:
            watch.cancel()
        await asyncio.gather(*(child.stop() for child in self._children))

    async def _start_engine(
        self, plan: Plan, link_path: Path, listener: socket.socket, environment: dict[str, str]
    ) -> None:
        models = {
            model.name: {str(number): str(path) for number, path in model.versions.items()}
            for model in plan.models
        }
        with listener:
            engine = await Child.start(
                "engine",
                f"{_PACKAGE}.engine",
                [
                    f"--socket-fd={listener.fileno()}",
                    f"--link-path={link_path}",
                    f"--models={json.dumps(models)}",
                ],
                environment=environment,
                directory=self._scratch,
                pass_fds=(listener.fileno(),),
            )
        self._children.append(engine)
        await engine.reported("started")
        await _within(plan.wait_seconds, "SAGEMAKER_TFS_WAIT_TIME_SECONDS", engine)
        self._watch(engine)
        timeout = plan.settings.proxy_read_timeout_seconds
        self._links.append(await LinkClient.connect(link_path, read_timeout=timeout))

    async def _start_worker(
        self, plan: Plan, rest_ports: list[int], environment: dict[str, str]
    ) -> None:
        paths = plan.worker_paths()
        requirements = plan.requirements()
        if requirements is not None:
            packages = self._scratch / "packages"
            await install_requirements(requirements, packages, environment)
            paths.append(packages)
        socket_path = self._scratch / "worker.sock"
        arguments = [
            f"--socket-path={socket_path}",
            f"--rest-ports={json.dumps(rest_ports)}",
            f"--default-model={plan.default_model}",
            f"--generation={plan.contract.generation}",
        ]
        if plan.code.script.exists():
            arguments.append(f"--script={plan.code.script}")
        worker = await Child.start(
            "handler worker",
            f"{_PACKAGE}.handler",
            arguments,
            environment=worker_environment(environment, plan, paths),
            directory=self._scratch,
            isolated=False,
            # gunicorn's quick end: the front has waited for the requests under way.
            stop_signal=signal.SIGQUIT,
        )
        self._children.append(worker)
        await worker.reported("started")
        await _within(
            plan.settings.gunicorn.timeout_seconds, "SAGEMAKER_GUNICORN_TIMEOUT_SECONDS", worker
        )
        self._watch(worker)
        timeout = plan.settings.proxy_read_timeout_seconds
        self._worker = Worker(socket_path, read_timeout=timeout)

    def _watch(self, child: Child) -> None:
        """From now on the end of ``child`` is a death."""

        async def watch() -> None:
            failed = await child.died()
            if not self._death.done():
                self._death.set_result(failed)

        self._watches.append(asyncio.create_task(watch()))


def _rest_socket(preferred: int | None) -> socket.socket:
    """A listening socket, on the container's port where that is free.

    Containers have their ports to themselves; here two fleets may share them.
    """
    if preferred is not None:
        try:
            return socket.create_server(("127.0.0.1", preferred))
        except OSError:
            log.warning("port %d is taken; the REST port is another one", preferred)
    return socket.create_server(("127.0.0.1", 0))


async def _within(seconds: int, variable: str, child: Child) -> None:
    try:
        await asyncio.wait_for(child.reported("ready"), seconds)
    except TimeoutError:
        raise Failure(
            f"Timed out after {seconds} seconds: the {child.name} was not ready ({variable})"
        ) from None
