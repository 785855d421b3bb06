"""TensorFlow Serving's gRPC port: who listens there, and when gRPC begins."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from sagemaker_serving.model_server.engine.registry import Registry
from sagemaker_serving.model_server.engine.running import Runner
from sagemaker_serving.model_server.ports import BACKLOG
from sagemaker_serving.model_server.racing import relay

log = logging.getLogger("engine")

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
"""What a client of HTTP/2 says first (RFC 9113, section 3.4), and no web page can: over a plain
connection browsers speak HTTP/1.1."""

_CHUNK = 1024 * 1024


class GrpcDoor:
    """Accepts on a port from the start; gRPC is imported and started for the first caller.

    It takes a tenth of a second and 15 MB, which most engines never need. It then listens on
    ``path``, a Unix socket, and the door passes bytes on: gRPC takes no socket that is bound.
    """

    def __init__(self, path: Path, registry: Registry, runner: Runner, pool: Executor) -> None:
        self._path = path
        self._parts = registry, runner, pool
        self._starting: asyncio.Task[Any] | None = None
        self._door: asyncio.Server | None = None

    async def open(self, listener: socket.socket) -> None:
        """Accept on ``listener``."""
        self._door = await asyncio.start_server(
            self._serve, sock=listener, backlog=BACKLOG, limit=_CHUNK
        )

    async def close(self) -> None:
        """Accept nobody any more, and end the calls under way."""
        if self._door is not None:
            self._door.close()
        if self._starting is not None:
            await (await self._starting).stop(None)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Python 3.11 writes a traceback into the log for a connection that is cancelled.
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            try:
                if await reader.readexactly(len(_PREFACE)) == _PREFACE:
                    await self._pass_on(reader, writer)
            finally:
                writer.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
        await asyncio.shield(self._starting)
        theirs, to_them = await asyncio.open_unix_connection(self._path, limit=_CHUNK)
        to_them.write(_PREFACE)
        await relay(reader, writer, theirs, to_them)

    async def _start(self) -> Any:
        server = (await asyncio.to_thread(_imported))(*self._parts)
        server.add_insecure_port(f"unix:{self._path}")
        await server.start()
        log.info("the gRPC port has its first caller")
        return server


def _imported() -> Callable[..., Any]:
    from sagemaker_serving.model_server.engine.grpc_service import make_server

    return make_server
