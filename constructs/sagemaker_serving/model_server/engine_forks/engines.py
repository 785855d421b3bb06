"""An engine that was born by a fork, as its parent sees it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import psutil

from local_aws.process.forking import fork
from sagemaker_serving.model_server.children import pipe_reader
from sagemaker_serving.model_server.ports import listen_near

log = logging.getLogger("engine")

Become = Callable[[socket.socket, socket.socket, int], int]
"""``become(rest, grpc, report_fd)``: be an engine on these two listening sockets in this process,
and return the exit status when that is over."""


@dataclass(frozen=True, kw_only=True)
class Ports:
    """An engine's ports."""

    rest: int
    """The one of the port range, which the container's answers tell."""

    grpc: int
    """The other one."""

    served: int
    """Where the engine answers REST: the same, unless that was taken on this machine."""

    served_grpc: int
    """Where it answers gRPC."""


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
        cls, name: str, *, rest_port: int, grpc_port: int, become: Become, keep: Sequence[int]
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
