"""A container's life: listen, start Ray and the application, watch them, end them all."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import signal
import socket
from collections.abc import Awaitable, Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import aiohttp
from aiohttp import web

from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.bodies import read_body
from sagemaker_serving.model_server.children import Child
from sagemaker_serving.model_server.modeldir import open_model
from sagemaker_serving.model_server.ports import free_port
from sagemaker_serving.model_server.programs import Program
from sagemaker_serving.model_server.racing import first_of
from sagemaker_serving.model_server.requirements import code_environment
from sagemaker_serving.model_server.supervisor import http_server

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
    stopping: asyncio.Event,
    *,
    program: Program,
) -> None:
    """Serve ``model`` on the listening socket ``public`` until ``stopping`` is set.

    It ends as `sagemaker_serving.model_server.supervisor.serve` does.
    """
    timeout = _timeout_seconds(os.environ)
    front = Front(streams=program is Program.RAY_SERVE_STREAMING, timeout_seconds=timeout)
    cluster = _Cluster(scratch)
    try:
        async with http_server(front.handle, public) as accept:
            await first_of(_run(cluster, front, model, accept), stopping.wait())
    finally:
        await front.close()
        await cluster.stop()


async def _run(
    cluster: _Cluster, front: Front, model: Path, accept: Callable[[], Awaitable[None]]
) -> NoReturn:
    front.open(await cluster.start(model))
    await accept()
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


_OWN_HEADERS = "x-amzn-sagemaker-"
"""The only headers that the adapter passes on either way, beside Content-Type and Accept."""

_JSON = "application/json"
_METHODS = {"/ping": "GET", "/invocations": "POST"}
_HEALTH_SECONDS = 5.0


class Front:
    """Answers every request to the public port; made into a server by `aiohttp.web.Server`.

    AWS's adapter reads an answer to its end before it sends any of it. With ``streams`` it is sent
    as it comes, as by an adapter of one's own. ``timeout_seconds`` is how long Ray Serve may be
    silent.
    """

    def __init__(self, *, streams: bool, timeout_seconds: int) -> None:
        self._streams = streams
        self._url: str | None = None
        self._session = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=None, sock_read=timeout_seconds),
            connector=aiohttp.TCPConnector(limit=0),
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    def open(self, port: int) -> None:
        """Let requests through to Ray Serve, which listens on ``port`` of 127.0.0.1."""
        self._url = f"http://127.0.0.1:{port}"

    async def close(self) -> None:
        """Let no more requests through."""
        self._url = None
        await self._session.close()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Route by the path and the method, as FastAPI does."""
        path = request.raw_path.partition("?")[0]
        if path not in _METHODS:
            return _json(404, {"detail": "Not Found"})
        if request.method != _METHODS[path]:
            return _json(405, {"detail": "Method Not Allowed"})
        if self._url is None:
            return web.Response(status=503)
        if path == "/ping":
            return await self._ping(self._url)
        try:
            return await self._invocation(self._url, request)
        except TimeoutError:
            log.error("Ray Serve was silent for too long (RAYSERVE_BACKEND_TIMEOUT)")
            return _json(504, {"error": "Request timeout"})
        except aiohttp.ClientConnectorError:
            return _json(503, {"error": "Service unavailable"})
        except aiohttp.ClientError as error:
            log.error("Ray Serve's answer broke off: %s", error)
            return _json(500, {"error": str(error)})

    async def _ping(self, url: str) -> web.Response:
        limit = aiohttp.ClientTimeout(total=_HEALTH_SECONDS)
        try:
            async with self._session.get(f"{url}/-/healthz", timeout=limit) as reply:
                healthy = reply.status == 200
        except (aiohttp.ClientError, TimeoutError):
            healthy = False
        return web.Response(status=200 if healthy else 503)

    async def _invocation(self, url: str, request: web.BaseRequest) -> web.StreamResponse:
        accept = request.headers.get("Accept", _JSON)
        headers = {
            **_own(request.headers),
            "Content-Type": request.headers.get("Content-Type", _JSON),
            "Accept": accept,
        }
        async with self._session.post(
            f"{url}/", data=await read_body(request), headers=headers, allow_redirects=False
        ) as reply:
            kind = _with_charset(reply.headers.get("Content-Type", accept))
            told = {**_own(reply.headers), "Content-Type": kind}
            if not self._streams:
                return web.Response(status=reply.status, body=await reply.read(), headers=told)
            answer = web.StreamResponse(status=reply.status, headers=told)
            await answer.prepare(request)
            try:
                async for part in reply.content.iter_any():
                    await answer.write(part)
                await answer.write_eof()
            except (aiohttp.ClientError, TimeoutError) as error:
                log.error("Ray Serve's answer broke off: %s", error)
                if request.transport is not None:
                    request.transport.abort()  # or what came would pass for the whole
            return answer


def _own(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in headers.items() if name.lower().startswith(_OWN_HEADERS)}


def _with_charset(content_type: str) -> str:
    """As Starlette writes it, which the adapter gives the type to."""
    if content_type.startswith("text/") and "charset=" not in content_type.lower():
        return f"{content_type}; charset=utf-8"
    return content_type


def _json(status: int, document: Mapping[str, str]) -> web.Response:
    return web.Response(
        status=status, body=json.dumps(document).encode(), headers={"Content-Type": _JSON}
    )
