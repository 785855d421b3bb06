"""What an engine's process does: import TensorFlow, load models, answer."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web

from sagemaker_serving.model_server.browsers import without_browsers
from sagemaker_serving.model_server.compiled import compiled_folder
from sagemaker_serving.model_server.engine.batching import BatchingRunner
from sagemaker_serving.model_server.engine.grpc_door import GrpcDoor
from sagemaker_serving.model_server.engine.registry import Registry
from sagemaker_serving.model_server.engine.rest import RestApi
from sagemaker_serving.model_server.engine.running import DirectRunner, Runner
from sagemaker_serving.model_server.engine.service import Service
from sagemaker_serving.model_server.link import LinkServer
from sagemaker_serving.model_server.ports import BACKLOG
from sagemaker_serving.model_server.settings import Settings

if TYPE_CHECKING:
    from sagemaker_serving.model_server.engine.servables import SavedModel

log = logging.getLogger("engine")

Models = Mapping[str, Mapping[str, str]]
"""The folder of every version of every model: ``{"name": {"1": "/folder"}}``."""

THREADS_PER_PROCESSOR = 4
"""As many REST threads as TensorFlow Serving starts."""


def import_tensorflow() -> None:
    """What runs graphs, a second of work; only once nothing can leave this process behind.

    ``tensorflow/__init__.py`` imports all with which models are made and trained, too, three
    seconds more. So the package stands here without having been run, and its modules, which
    `servables` and `tensor_protos` import by name, import what they need.
    """
    found = importlib.util.find_spec("tensorflow")
    if found is not None:  # else the import below says so
        sys.modules.setdefault("tensorflow", importlib.util.module_from_spec(found))
    import sagemaker_serving.model_server.engine.servables  # noqa: F401

    logging.getLogger("tensorflow").setLevel(logging.ERROR)


def load(models: Models, settings: Settings) -> Registry:
    """Load every version; raises `servables.LoadFailed` for the first that TensorFlow cannot."""
    return Registry(
        {
            name: {
                int(version): _load_version(name, version, path, settings)
                for version, path in versions.items()
            }
            for name, versions in models.items()
        }
    )


async def serve(
    registry: Registry,
    settings: Settings,
    listener: socket.socket,
    *,
    grpc_listener: socket.socket | None,
    link_path: str | None,
    ready: Callable[[], None],
) -> None:
    """Answer on the REST port, and on the gRPC port and a link's socket if there are these.

    Until SIGTERM or SIGINT. The working folder is a container's own; gRPC has a socket there.
    """
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    batching, threads = settings.batching, THREADS_PER_PROCESSOR * (os.cpu_count() or 1)
    threads += 0 if batching is None else batching.num_batch_threads
    with ThreadPoolExecutor(threads, thread_name_prefix="rest") as pool:
        runner: Runner = DirectRunner(pool)
        if batching is not None:
            runner = BatchingRunner(batching, runner)
        api = RestApi(registry, Service(runner, pool))
        handle = without_browsers(api.handle)
        server = web.ServerRunner(web.Server(handle, access_log=None), shutdown_timeout=1.0)
        await server.setup()
        await web.SockSite(server, listener, backlog=BACKLOG).start()
        door = GrpcDoor(Path(f"grpc-{os.getpid()}.sock").absolute(), registry, runner, pool)
        if grpc_listener is not None:
            await door.open(grpc_listener)
        if link_path is not None:
            await loop.create_unix_server(lambda: LinkServer(api.answer), link_path)
        ready()
        await stopped.wait()
        await door.close()
        await server.cleanup()


def _load_version(name: str, version: str, path: str, settings: Settings) -> SavedModel:
    from sagemaker_serving.model_server.engine.servables import SavedModel

    parallelism = {
        "inter_op": settings.inter_op_parallelism,
        "intra_op": settings.intra_op_parallelism,
    }
    compiled = compiled_folder(Path(path))
    by = ""
    if compiled is None:
        model = SavedModel(Path(path), **parallelism)
    else:
        from sagemaker_serving.model_server.engine.compiled import CompiledSavedModel

        model = CompiledSavedModel(Path(path), compiled, **parallelism)
        by = f", compiled by {model.compiled_by}"
    log.info("loaded servable version {name: %s version: %s}%s", name, version, by)
    return model
