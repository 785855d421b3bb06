"""Which models are loaded, by which engines; loading and unloading them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import socket
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import isinf
from pathlib import Path
from typing import Any

import psutil

from local_aws.process.forking import fork
from sagemaker_serving.model_server.children import pipe_reader
from sagemaker_serving.model_server.discovery import Model, find_versions, model_config
from sagemaker_serving.model_server.engine_forks.client import Ports
from sagemaker_serving.model_server.multi_model import Outcome, has_versions
from sagemaker_serving.model_server.ports import listen_near
from sagemaker_serving.model_server.settings import MEMORY_LIMIT, Settings

log = logging.getLogger("engine")

MB = 1024 * 1024


@dataclass
class _Loaded:
    """A model: the engines that serve it, once they all do."""

    engines: list[Engine] = field(default_factory=list)
    is_ready: bool = False
    decided: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once it is ready, or gone."""


class EngineForks:
    """The models of one container; ``become`` makes a forked process the engine of one.

    An engine has no descriptor of this process but those of ``keep``.

    It is asked over a unix socket (`handle`), a line of JSON for a line of
    JSON. One event loop does it all, so that what is decided of ports and
    names holds for however many workers.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        instances: int,
        wait_seconds: int,
        become: Callable[[Model], Become],
        keep: Sequence[int] = (),
    ) -> None:
        self._settings = settings
        self._instances = instances
        self._wait_seconds = wait_seconds
        self._become = become
        self._keep = keep
        self._models: dict[str, _Loaded] = {}

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the one request of a connection; none where the machine lets it down, as by a full
        disk: that is a 500 of the handler's."""
        request: dict[str, Any] = json.loads(await reader.readline())
        with contextlib.closing(writer):
            try:
                reply = await self._answer(**request)
            except TimeoutError:
                reply = {"late": True}
            except OSError as error:
                log.error("%s of model %s: %s", request["do"], request.get("name"), error)
                return
            writer.write(json.dumps(reply).encode() + b"\n")
            await writer.drain()

    async def load(self, name: str, base_path: Path, wait: float = 0.0) -> Outcome:
        """Start the engines of a model and wait until they answer; all of them or none.

        A load of it that is under way is waited for, and tried again when it failed.
        """
        await self.settled(name, wait)
        if name in self._models:
            return Outcome.LOADED_ALREADY if self._models[name].is_ready else Outcome.LOADING
        loaded = self._models[name] = _Loaded()
        try:
            outcome = await self._load(name, base_path, loaded)
            loaded.is_ready = outcome is Outcome.LOADED
        finally:  # whatever was raised, nobody may wait for a load that is over
            if not loaded.is_ready:
                await self._forget(name)
            loaded.decided.set()
        return outcome

    async def settled(self, name: str | None, wait: float) -> None:
        """Wait for the end of a model's load, or of all loads; raises `TimeoutError` after ``wait``
        seconds, of which 0.0 does not wait at all."""
        if wait:
            async with asyncio.timeout(None if isinf(wait) else wait):
                while under_way := [
                    loaded
                    for other, loaded in self._models.items()
                    if not loaded.decided.is_set() and name in (None, other)
                ]:
                    await under_way[0].decided.wait()

    async def unload(self, name: str) -> bool:
        """End a model's engines; whether there was such a model."""
        loaded = self._models.get(name)
        if loaded is None or not loaded.is_ready:
            return False
        loaded.is_ready = False
        await self._forget(name)
        return True

    def loaded(self) -> dict[str, list[dict[str, Any]]]:
        """The engines of every model, in the order of loading."""
        return {
            name: [
                asdict(engine.ports) | {"pid": engine.pid, "alive": engine.alive}
                for engine in loaded.engines
            ]
            for name, loaded in self._models.items()
            if loaded.is_ready
        }

    async def end(self) -> None:
        """End all engines."""
        for loaded in self._models.values():
            for engine in loaded.engines:
                await engine.end()

    async def _answer(
        self, do: str, wait: float, name: str | None = None, base_path: str = ""
    ) -> Any:
        if do == "load" and name is not None:
            return await self.load(name, Path(base_path), wait)
        await self.settled(name, wait)
        if do == "unload" and name is not None:
            return await self.unload(name)
        return self.loaded()

    async def _load(self, name: str, base_path: Path, loaded: _Loaded) -> Outcome:
        for _ in range(self._instances):
            ports = self._free_ports()
            if ports is None:
                return Outcome.NO_PORTS
            if not has_versions(base_path):
                return Outcome.NO_BASE_PATH
            model = Model(name, base_path, find_versions(base_path))
            log.info("tensorflow serving model config: \n%s\n", model_config([model]))
            engine = await Engine.born(name, *ports, become=self._become(model), keep=self._keep)
            loaded.engines.append(engine)
            if problem := await engine.ready(self._wait_seconds):
                log.error("model %s: %s", name, problem)
                return Outcome.FAILED
            if self._is_over_the_limit():
                return Outcome.NO_MEMORY
            log.info("started tensorflow serving (pid: %d)", engine.pid)
        return Outcome.LOADED

    async def _forget(self, name: str) -> None:
        for engine in self._models[name].engines:
            await engine.end()
        del self._models[name]

    def _free_ports(self) -> tuple[int, int] | None:
        """The highest free port of each half."""
        of_all = self._settings.model_ports
        taken = [engine.ports for loaded in self._models.values() for engine in loaded.engines]
        rest = set(of_all.rest) - {ports.rest for ports in taken}
        grpc = set(of_all.grpc) - {ports.grpc for ports in taken}
        return (max(rest), max(grpc)) if rest and grpc else None

    def _is_over_the_limit(self) -> bool:
        limit = self._settings.memory_limit_mb
        if limit is None:
            return False
        engines = [engine for loaded in self._models.values() for engine in loaded.engines]
        taken = psutil.Process().memory_info().rss + sum(engine.own_bytes() for engine in engines)
        if taken <= limit * MB:
            return False
        log.error("%d MB are taken, %s is %d", taken // MB, MEMORY_LIMIT, limit)
        return True


Become = Callable[[socket.socket, socket.socket, int], int]
"""``become(rest, grpc, report_fd)``: be an engine on these two listening sockets in this process,
and return the exit status when that is over."""


class Engine:
    """One process that serves one model."""

    def __init__(self, name: str, ports: Ports, pid: int, reports: asyncio.StreamReader) -> None:
        self.ports = ports
        self.pid = pid
        self.alive = True
        self._name = name
        self._reports = reports
        self._told_to_end = False
        self._gone: asyncio.Task[None] | None = None

    @classmethod
    async def born(
        cls, name: str, rest_port: int, grpc_port: int, *, become: Become, keep: Sequence[int]
    ) -> Engine:
        """Fork this process; the child becomes an engine at these ports and never returns."""
        with listen_near(rest_port) as rest, listen_near(grpc_port, "gRPC") as grpc:
            ports = Ports(
                rest=rest_port,
                grpc=grpc_port,
                served=rest.getsockname()[1],
                served_grpc=grpc.getsockname()[1],
            )
            reading, writing = os.pipe()
            pid = fork(
                lambda: become(rest, grpc, writing),
                keep=(*keep, rest.fileno(), grpc.fileno(), writing),
            )
        os.close(writing)
        return cls(name, ports, pid, await pipe_reader(reading))

    async def ready(self, within_seconds: float) -> str | None:
        """Wait until the engine answers; what went wrong otherwise."""
        try:
            line = await asyncio.wait_for(self._reports.readline(), within_seconds)
        except TimeoutError:
            return f"it was not loaded within {within_seconds} seconds"
        finally:
            self._gone = asyncio.create_task(self._watch())
        if not line:
            return f"its engine (pid {self.pid}) ended"
        facts = json.loads(line)
        return None if facts["event"] == "ready" else str(facts["reason"])

    async def end(self) -> None:
        """End the process and wait until it has."""
        self._told_to_end = True
        if self.alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        if self._gone is not None:
            await self._gone

    def own_bytes(self) -> int:
        """Memory that is the engine's alone, without what all share with their parent.

        On macOS nobody but root may ask for that (docs of psutil, "memory_full_info"): there it
        is with what they share.
        """
        try:
            engine = psutil.Process(self.pid)
            return int(engine.memory_full_info().uss if psutil.LINUX else engine.memory_info().rss)
        except psutil.NoSuchProcess:
            return 0

    async def _watch(self) -> None:
        """Wait until the process has closed its end, which is the last that it does."""
        await self._reports.read()
        os.waitpid(self.pid, 0)
        self.alive = False
        if not self._told_to_end:
            log.error("the engine of model %s (pid %d) ended", self._name, self.pid)
