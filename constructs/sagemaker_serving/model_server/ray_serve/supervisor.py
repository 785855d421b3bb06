"""A container's life: listen, start Ray and the application, watch them, end them all."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shutil
import signal
import socket
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.children import Child
from sagemaker_serving.model_server.modeldir import open_model
from sagemaker_serving.model_server.ports import free_port
from sagemaker_serving.model_server.programs import Program
from sagemaker_serving.model_server.racing import first_of
from sagemaker_serving.model_server.ray_serve.front import Front
from sagemaker_serving.model_server.requirements import code_environment
from sagemaker_serving.model_server.supervisor import listen_http, stop_event

log = logging.getLogger("front")

APP, TIMEOUT = "SM_RAYSERVE_APP", "RAYSERVE_BACKEND_TIMEOUT"
_DEFAULT_TIMEOUT_SECONDS = 300

_RAY = {
    # Without it Ray takes this machine's address in the network, and listens to all of it.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_COLOR_PREFIX": "0",
}
"""What keeps Ray 2.60 on this machine: ray/_private/services.py, usage_lib.py."""


async def serve(
    model: Path,
    public: socket.socket,
    scratch: Path,
    *,
    program: Program,
    parent_fd: int | None,
) -> None:
    """Serve ``model`` on the listening socket ``public`` until told to stop.

    Told, and ended, as `sagemaker_serving.model_server.supervisor.serve` is.
    """
    stopping = stop_event(parent_fd)
    timeout = _timeout_seconds(os.environ)
    front = Front(streams=program is Program.RAY_SERVE_STREAMING, timeout_seconds=timeout)
    cluster = _Cluster(scratch)
    server = await listen_http(front.handle, public)
    try:
        await first_of(_run(cluster, front, model), stopping.wait())
    finally:
        await server.cleanup()
        await front.close()
        await cluster.stop()
        shutil.rmtree(scratch, ignore_errors=True)


async def _run(cluster: _Cluster, front: Front, model: Path) -> NoReturn:
    front.open(await cluster.start(model))
    log.info("serving /ping and /invocations")
    failed = await cluster.death()
    await front.close()
    raise failed


class _Cluster:
    """Ray with one application, its files in ``scratch``."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._child: Child | None = None

    async def start(self, model: Path) -> int:
        """The port where the application answers, once it does; raises `ReportedError`."""
        model_dir = await asyncio.to_thread(open_model, model, self._scratch)
        target = _target(model_dir, os.environ)
        if find_spec("ray") is None:
            raise Mistake(
                "this image is served with ray, which is not installed here; "
                "pip install 'sagemaker-serving[ray]'"
            )
        port, paths = free_port(), [model_dir, model_dir / "code"]
        self._child = await Child.start(
            "Ray Serve application",
            "sagemaker_serving.model_server.ray_serve.cluster",
            [f"--port={port}", f"--temp-dir={self._scratch}", "--", *target],
            environment=await code_environment(model_dir, self._scratch, paths) | _RAY,
            directory=self._scratch,
            isolated=False,
            # Told to end, Ray takes seconds; in the image it is killed with its container.
            stop_signal=signal.SIGKILL,
        )
        await self._child.reported("ready")
        return port

    async def death(self) -> Exception:
        """Wait until it ends by itself."""
        assert self._child is not None
        return await self._child.died()

    async def stop(self) -> None:
        """End it, and all that it has started."""
        if self._child is not None:
            await self._child.stop()


def _target(model_dir: Path, environ: Mapping[str, str]) -> list[str]:
    """What `serve run` is told: config.yaml before the variable, as in the image."""
    config = model_dir / "config.yaml"
    if config.is_file():
        return [str(config)]
    app = environ.get(APP, "").split()
    if not app:
        raise Mistake(
            f"the model has no config.yaml at its top, and {APP} is not set: Ray Serve has no "
            f"application; add config.yaml, or set {APP} to module:app"
        )
    return app


def _timeout_seconds(environ: Mapping[str, str]) -> int:
    text = environ.get(TIMEOUT, str(_DEFAULT_TIMEOUT_SECONDS))
    if not re.fullmatch(r"\s*\+?\d+\s*", text, re.ASCII) or int(text) < 1:
        raise Mistake(f"{TIMEOUT} is {text!r}; it must be a whole number of at least 1")
    return int(text)
