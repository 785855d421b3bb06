"""``python -m sagemaker_serving.model_server.command``: a program of the user's as the container.

SageMaker's contract is that a container listens on port 8080 and finds its model in
``/opt/ml/model`` ("Use Your Own Inference Code with Hosting Services", SageMaker developer
guide). Containers have both to themselves, programs of one machine do not. So a program
is told a port of its own in SAGEMAKER_BIND_TO_PORT, as AWS tells containers that share an instance
("Inference pipelines", as above), and its model's folder in SM_MODEL_DIR; one that listens on 8080
all the same is found there, as long as it is the only one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
from pathlib import Path

import psutil

from sagemaker_serving.errors import Failure
from sagemaker_serving.model_server.entry import container_arguments, run
from sagemaker_serving.model_server.modeldir import open_model
from sagemaker_serving.model_server.orphans import end_of, spawn
from sagemaker_serving.model_server.ports import free_port
from sagemaker_serving.model_server.racing import first_of, relay

log = logging.getLogger("front")

PORT = 8080
STOP_SECONDS = 1.5
"""How long it may take to end after SIGTERM, before it is killed."""


async def serve(
    model: Path, public: socket.socket, scratch: Path, stopping: asyncio.Event, *, command: str
) -> None:
    """Run ``command`` by the shell, and pass on to it what comes to ``public``.

    Until ``stopping`` is set. ``scratch`` is an empty folder, and gets the command's HOME. Raises
    `Failure` when the command ends by itself.
    """
    model_dir = await asyncio.to_thread(open_model, model, scratch)
    home = scratch / "home"
    home.mkdir()
    told = {"SAGEMAKER_BIND_TO_PORT": str(free_port()), "SM_MODEL_DIR": str(model_dir)}
    log.info("command: %s, with %s", command, told)
    process = await spawn(
        "/bin/sh",
        *("-c", command),
        env={**os.environ, "HOME": str(home), **told},
        stdin=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    ended = asyncio.create_task(end_of(process, ran_user_code=True))
    relay = _Relay(process.pid, int(told["SAGEMAKER_BIND_TO_PORT"]))
    server = await asyncio.start_unix_server(relay.serve, sock=public)
    try:
        await first_of(_failed(ended), stopping.wait())
    finally:
        server.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        done, _ = await asyncio.wait([ended], timeout=STOP_SECONDS)
        if not done:
            os.killpg(process.pid, signal.SIGKILL)
            await ended


async def _failed(ended: asyncio.Task[int]) -> None:
    raise Failure(f"the command ended with status {await asyncio.shield(ended)}")


class _Relay:
    """Passes the bytes of connections on to where the command listens."""

    def __init__(self, pid: int, told_port: int) -> None:
        self._pid = pid
        self._port: int | None = None
        self._told_port = told_port

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until either side ends it; closed at once while nobody listens."""
        # Python 3.11 writes a traceback into the log for a connection that is cancelled.
        with contextlib.suppress(OSError, asyncio.CancelledError):
            try:
                theirs = await self._connect()
                if theirs is not None:
                    await relay(reader, writer, *theirs)
            finally:
                writer.close()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        if self._port is None:
            self._port = await asyncio.to_thread(self._listened_on)
        if self._port is None:
            return None
        return await asyncio.open_connection("127.0.0.1", self._port)

    def _listened_on(self) -> int | None:
        """Which port the command, or what it has started, listens on; None while it does not."""
        with contextlib.suppress(psutil.Error):
            command = psutil.Process(self._pid)
            listening = {
                each.laddr.port
                for process in (command, *command.children(recursive=True))
                for each in process.net_connections("tcp")
                if each.status == psutil.CONN_LISTEN
            }
            return next((port for port in (self._told_port, PORT) if port in listening), None)
        return None


if __name__ == "__main__":
    parser = container_arguments("sagemaker_serving.model_server.command")
    parser.add_argument("--command", required=True, help="for /bin/sh")
    sys.exit(run(parser.parse_args(), serve, "command"))
