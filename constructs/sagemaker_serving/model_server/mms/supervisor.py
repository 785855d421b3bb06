"""A container's life: listen, start its workers, watch them, end them all."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import socket
from pathlib import Path
from typing import NoReturn

from sagemaker_serving.errors import Failure
from sagemaker_serving.model_server import neo
from sagemaker_serving.model_server.children import Child
from sagemaker_serving.model_server.mms.front import Front
from sagemaker_serving.model_server.mms.view import show
from sagemaker_serving.model_server.modeldir import open_model
from sagemaker_serving.model_server.programs import Program
from sagemaker_serving.model_server.racing import first_of
from sagemaker_serving.model_server.requirements import code_environment
from sagemaker_serving.model_server.supervisor import listen_http, stop_event
from sagemaker_serving.model_server.toolkit.settings import STARTUP_SECONDS, Settings, read_settings
from sagemaker_serving.model_server.worker import Worker

log = logging.getLogger("front")

IMAGE_CODE = "/opt/ml/model/code"
_SHIMS = Path(neo.__file__).parent / "shims"
_ANSWER_MARGIN_SECONDS = 30.0
"""How much later than a worker's own limit the front gives up on it."""


async def serve(
    model: Path,
    public: socket.socket,
    scratch: Path,
    *,
    program: Program,
    parent_fd: int | None,
) -> None:
    """Serve ``model`` as ``program`` on the listening socket ``public`` until told to stop.

    Told, and ended, as `sagemaker_serving.model_server.supervisor.serve` is.
    """
    stopping = stop_event(parent_fd)
    front = Front()
    workers = _Workers(program, scratch)
    server = await listen_http(front.handle, public)
    try:
        await first_of(_run(workers, front, model), stopping.wait())
    finally:
        await server.cleanup()
        await workers.stop()
        shutil.rmtree(scratch, ignore_errors=True)


async def _run(workers: _Workers, front: Front, model: Path) -> NoReturn:
    settings = read_settings(os.environ)
    front.open(await workers.start(model, settings), settings)
    log.info("serving /ping and /invocations")
    failed = await workers.death()
    front.close()
    raise failed


class _Workers:
    """gunicorn with its workers, on a unix socket in ``scratch``."""

    def __init__(self, program: Program, scratch: Path) -> None:
        self._program = program
        self._scratch = scratch
        self._child: Child | None = None
        self._connections: Worker | None = None

    async def start(self, model: Path, settings: Settings) -> Worker:
        """Start them and wait until each has its model; raises `ReportedError`."""
        model_dir = self._scratch / "view"
        opened = await asyncio.to_thread(open_model, model, self._scratch)
        show(opened, model_dir, self._program)
        shims = [_SHIMS] if self._program is Program.NEO_PYTORCH else []
        paths = [model_dir / "code", model_dir, *shims]
        environment = await code_environment(model_dir, self._scratch, paths)
        _log_what_is_ignored(self._program)
        socket_path = self._scratch / "worker.sock"
        self._child = await Child.start(
            "worker",
            "sagemaker_serving.model_server.mms.worker",
            [
                f"--socket-path={socket_path}",
                f"--program={self._program}",
                f"--model-dir={model_dir}",
                f"--scratch={self._scratch}",
            ],
            environment=environment,
            directory=self._scratch,
            isolated=False,
        )
        await self._child.reported("started")
        try:
            async with asyncio.timeout(STARTUP_SECONDS):
                for _ in range(settings.workers):
                    await self._child.reported("ready")
        except TimeoutError:
            raise Failure(
                f"the model was not loaded within {STARTUP_SECONDS} seconds, which is all that "
                "TorchServe gives a worker"
            ) from None
        timeout = settings.response_timeout_seconds + _ANSWER_MARGIN_SECONDS
        self._connections = Worker(socket_path, read_timeout=timeout * settings.queue_size)
        return self._connections

    async def death(self) -> Failure:
        """Wait until they end by themselves."""
        assert self._child is not None
        return await self._child.died()

    async def stop(self) -> None:
        """End them all."""
        if self._connections is not None:
            await self._connections.close()
        if self._child is not None:
            await self._child.stop()


def _log_what_is_ignored(program: Program) -> None:
    place = os.environ.get("SAGEMAKER_SUBMIT_DIRECTORY", IMAGE_CODE)
    reads_it = program is Program.NEO_ONNX
    if not reads_it and place.rstrip("/") != IMAGE_CODE:
        log.warning(
            "SAGEMAKER_SUBMIT_DIRECTORY is %r; this image does not read it: "
            "the code that is used is the model's code/",
            place,
        )
    if "SAGEMAKER_TS_BATCH_SIZE" in os.environ:
        log.warning(
            "SAGEMAKER_TS_BATCH_SIZE changes nothing here: the toolkit asks the model once for "
            "each request of a batch, and so does this server"
        )
