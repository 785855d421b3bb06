"""A container's life: listen, start its processes, watch them, end them all."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NoReturn

from aiohttp import web

from sagemaker_serving.errors import ReportedError
from sagemaker_serving.model_server.browsers import foreign, without_browsers
from sagemaker_serving.model_server.commands import nginx_config
from sagemaker_serving.model_server.container import Container
from sagemaker_serving.model_server.contract import CONTRACTS
from sagemaker_serving.model_server.front import Front
from sagemaker_serving.model_server.generations import Generation, generation_of
from sagemaker_serving.model_server.logs import start_logging
from sagemaker_serving.model_server.nginx.messages import Answer, Request
from sagemaker_serving.model_server.nginx.server import Handle, HttpServer
from sagemaker_serving.model_server.plan import Plan, make_plan
from sagemaker_serving.model_server.ports import BACKLOG
from sagemaker_serving.model_server.racing import first_of

log = logging.getLogger("front")

DRAIN_SECONDS = 1.0
"""How long requests under way may take to finish once the container is told to stop."""


async def serve(
    model: Path,
    public: socket.socket,
    scratch: Path,
    stopping: asyncio.Event,
    *,
    container_version: str | None,
) -> None:
    """Serve ``model`` on the listening socket ``public`` until ``stopping`` is set.

    ``scratch`` is an empty folder. Raises `ReportedError` when the start fails or a process dies.
    No process is left in any case.
    """
    front = Front()
    container = Container(scratch)
    planning = partial(make_plan, model, scratch, os.environ, container_version)
    contract = CONTRACTS[generation_of(container_version)]
    start_logging(form=contract.log_format)
    handle = front.handle if public.family == socket.AF_UNIX else _without_browsers(front)
    server = HttpServer(handle, contract.nginx)
    accept = partial(server.start, public, backlog=BACKLOG)
    try:
        await first_of(_run(container, front, planning, accept), stopping.wait())
    finally:
        await server.close(DRAIN_SECONDS)
        await container.stop()


async def _run(
    container: Container,
    front: Front,
    planning: Callable[[], Plan],
    accept: Callable[[], Awaitable[None]],
) -> NoReturn:
    plan = await asyncio.to_thread(planning)
    front.open(*await container.start(plan))
    # As nginx, which the image starts last: until then who calls waits for an answer.
    await accept()
    config = nginx_config(
        plan.settings,
        plan.default_model,
        has_worker=plan.wants_worker,
        quotes_model=plan.contract.generation is Generation.C,
    )
    log.info("nginx config: \n%s\n", config)
    log.info("started nginx (pid: %d)", os.getpid())
    try:
        await container.death()
    except ReportedError:
        front.close()
        raise


def _without_browsers(front: Front) -> Handle:
    async def guarded(request: Request) -> Answer:
        why = foreign({name.title(): value for name, value in request.head.lines})
        if why is None:
            return await front.handle(request)
        return Answer(status=403, body=json.dumps({"error": why}).encode())

    return guarded


@asynccontextmanager
async def http_server(
    handle: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]], public: socket.socket
) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """A server on the listening socket ``public``, from when what it gives is called.

    Requests that came before wait until then. A port is open to every web page of this machine's
    browsers, which a Unix socket is not.
    """
    if public.family != socket.AF_UNIX:
        handle = without_browsers(handle)
    server = web.ServerRunner(
        web.Server(handle, access_log=None, auto_decompress=False),
        shutdown_timeout=DRAIN_SECONDS,
    )
    await server.setup()
    try:
        yield web.SockSite(server, public, backlog=BACKLOG).start
    finally:
        await server.cleanup()
