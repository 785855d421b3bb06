"""The processes behind the front: the engines and, with user code, the handler worker."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import NoReturn

from sagemaker_serving.errors import Failure, ReportedError
from sagemaker_serving.model_server.children import Child
from sagemaker_serving.model_server.front import Backend, Engines, WithCode, WithoutCode
from sagemaker_serving.model_server.launch import EnginePorts, Launcher
from sagemaker_serving.model_server.link import LinkClient
from sagemaker_serving.model_server.plan import Plan, child_environment
from sagemaker_serving.model_server.racing import all_of, first_of
from sagemaker_serving.model_server.requirements import install_requirements
from sagemaker_serving.model_server.universal_code import fetch_universal_code
from sagemaker_serving.model_server.worker import Worker

log = logging.getLogger("front")

Restart = Callable[[], Awaitable[None]]


class Container:
    """One container's processes; ``scratch`` is theirs to fill and the caller's to remove.

    They are given this process's environment. The model's folder stands for
    ``/opt/ml/model``; that path cannot be mounted here, so the user's code
    finds the folder in ``SM_MODEL_DIR``. An engine or a worker that dies once
    all have started is started again, as the container's ``serve`` does.
    """

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._children: list[Child] = []
        self._engines = Engines()
        self._worker: Worker | None = None
        self._has_started = False
        self._death: asyncio.Future[ReportedError] = asyncio.get_running_loop().create_future()
        self._watches: set[asyncio.Task[None]] = set()

    async def start(self, plan: Plan) -> tuple[Backend, Engines | None]:
        """Start engines and worker side by side and wait until they can answer.

        In multi-model mode one process forks engines instead, of which
        there are none yet. Raises `ReportedError` with the reason of the first
        that cannot. `stop` must be called in any case.
        """
        home = self._scratch / "home"
        home.mkdir()
        environment = child_environment(os.environ, home)
        await fetch_universal_code(plan.settings.universal_code, plan.code, plan.contract)
        launcher = Launcher(plan=plan, scratch=self._scratch, environment=environment)
        starts: list[Awaitable[None]]
        if plan.settings.multi_model:
            starts, engines = [self._start_engine_forks(launcher)], []
        else:
            instances = range(plan.settings.instance_count)
            born = [
                await self._launch_engine(launcher, instance, launcher.ports(instance))
                for instance in instances
            ]
            engines = [ports for _, ports in born]
            starts = [
                self._engine_ready(launcher, instance, *engine)
                for instance, engine in enumerate(born)
            ]
        if plan.wants_worker:
            starts.append(self._first_worker(launcher, engines))
        await first_of(all_of(*starts), self.death())
        self._has_started = True
        return self._backend(plan), None if plan.settings.multi_model else self._engines

    async def death(self) -> NoReturn:
        """Wait until a process ends that cannot be started again, and raise why."""
        raise await asyncio.shield(self._death)

    async def stop(self) -> None:
        """End all processes."""
        for watch in self._watches:
            watch.cancel()
        await asyncio.gather(*self._watches, return_exceptions=True)
        self._engines.close()
        if self._worker is not None:
            await self._worker.close()
        await asyncio.gather(*(child.stop() for child in self._children))

    def _backend(self, plan: Plan) -> Backend:
        if self._worker is not None:
            return WithCode(self._worker)
        return WithoutCode(self._engines, plan.default_model, plan.contract)

    async def _start_engine_forks(self, launcher: Launcher) -> None:
        engine_forks = await launcher.engine_forks()
        self._children.append(engine_forks)
        await engine_forks.reported("ready")
        self._watch(engine_forks, None)

    async def _launch_engine(
        self, launcher: Launcher, instance: int, ports: EnginePorts
    ) -> tuple[Child, EnginePorts]:
        engine, ports = await launcher.engine(instance, ports)
        self._children.append(engine)
        return engine, ports

    async def _engine_ready(
        self, launcher: Launcher, instance: int, engine: Child, ports: EnginePorts
    ) -> None:
        plan = launcher.plan
        await engine.reported("started")
        await _within(plan.wait_seconds, "SAGEMAKER_TFS_WAIT_TIME_SECONDS", engine)
        print(plan.contract.event_loop, file=sys.stderr, flush=True)

        async def restart() -> None:
            again = await self._launch_engine(launcher, instance, ports)
            await self._engine_ready(launcher, instance, *again)

        self._watch(engine, restart)
        link = await LinkClient.connect(
            launcher.link_path(instance), read_timeout=plan.settings.proxy_read_timeout_seconds
        )
        self._engines.connect(instance, link)

    async def _first_worker(self, launcher: Launcher, engines: list[EnginePorts]) -> None:
        packages = None
        requirements = launcher.plan.requirements()
        if requirements is not None:
            packages = self._scratch / "packages"
            await install_requirements(requirements, packages, launcher.environment)
        await self._start_worker(launcher, engines, packages)
        timeout = launcher.plan.settings.proxy_read_timeout_seconds
        self._worker = Worker(launcher.worker_socket, read_timeout=timeout)

    async def _start_worker(
        self, launcher: Launcher, engines: list[EnginePorts], packages: Path | None
    ) -> None:
        worker = await launcher.worker(engines, packages)
        self._children.append(worker)
        await worker.reported("started")
        timeout = launcher.plan.settings.gunicorn.timeout_seconds
        await _within(timeout, "SAGEMAKER_GUNICORN_TIMEOUT_SECONDS", worker)
        self._watch(worker, partial(self._start_worker, launcher, engines, packages))

    def _watch(self, child: Child, restart: Restart | None) -> None:
        """From now on the end of ``child`` is unexpected."""
        watch = asyncio.create_task(self._keep(child, restart))
        self._watches.add(watch)
        watch.add_done_callback(self._watches.discard)

    async def _keep(self, child: Child, restart: Restart | None) -> None:
        reason: ReportedError = await child.died()
        if restart is not None and self._has_started:
            log.warning("%s unexpectedly. restarting.", reason)
            self._children.remove(child)
            await child.stop()
            try:
                await restart()
            except ReportedError as error:
                reason = error
            else:
                return
        if not self._death.done():
            self._death.set_result(reason)


async def _within(seconds: int, variable: str, child: Child) -> None:
    try:
        await asyncio.wait_for(child.reported("ready"), seconds)
    except TimeoutError:
        raise Failure(
            f"Timed out after {seconds} seconds: the {child.name} was not ready ({variable})"
        ) from None
