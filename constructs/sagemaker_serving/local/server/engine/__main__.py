"""``python -m …server.engine``: load the models, then answer on the REST port."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import signal
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web

from sagemaker_serving.errors import ServingError
from sagemaker_serving.local.server.engine.batching import BatchingRunner
from sagemaker_serving.local.server.engine.registry import Registry
from sagemaker_serving.local.server.engine.rest import RestApi
from sagemaker_serving.local.server.engine.running import DirectRunner, Runner
from sagemaker_serving.local.server.engine.service import Service
from sagemaker_serving.local.server.lifeline import (
    add_child_arguments,
    exit_at_end_of,
    report,
)
from sagemaker_serving.local.server.link import LinkServer
from sagemaker_serving.local.server.logs import start_logging
from sagemaker_serving.local.server.settings import Settings, read_settings

if TYPE_CHECKING:
    from sagemaker_serving.local.server.engine.servables import SavedModel

log = logging.getLogger("engine")

THREADS_PER_PROCESSOR = 4
"""As many REST threads as TensorFlow Serving starts."""


def main() -> int:
    """Serve until SIGTERM; 1 when a model cannot be loaded, with the reason reported."""
    arguments = _arguments()
    exit_at_end_of(arguments.lifeline_fd)
    start_logging()
    _import_tensorflow()
    report(arguments.report_fd, event="started")
    settings = read_settings(os.environ)
    try:
        registry = _load(arguments.models, settings)
    except ServingError as error:
        report(arguments.report_fd, event="failed", reason=str(error))
        return 1
    asyncio.run(_serve(registry, settings, arguments))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="engine")
    add_child_arguments(parser)
    parser.add_argument("--socket-fd", type=int, required=True)
    parser.add_argument("--link-path", required=True)
    parser.add_argument(
        "--models", type=json.loads, required=True, help='{"name": {"1": "/folder"}}'
    )
    return parser.parse_args()


def _import_tensorflow() -> None:
    """Seconds of work, so done by name, and only once nothing can leave this process behind.

    TensorFlow imports Keras for its users' sake where it can, a quarter of the
    whole time; graphs are served without it.
    """
    sys.modules["keras"] = None  # type: ignore[assignment]
    import tensorflow as tf

    tf.get_logger().setLevel(logging.ERROR)


def _load(models: dict[str, dict[str, str]], settings: Settings) -> Registry:
    return Registry(
        {
            name: {
                int(version): _load_version(name, version, path, settings)
                for version, path in versions.items()
            }
            for name, versions in models.items()
        }
    )


def _load_version(name: str, version: str, path: str, settings: Settings) -> SavedModel:
    from sagemaker_serving.local.server.engine.servables import SavedModel

    model = SavedModel(
        Path(path),
        inter_op=settings.inter_op_parallelism,
        intra_op=settings.intra_op_parallelism,
    )
    log.info("loaded servable version {name: %s version: %s}", name, version)
    return model


async def _serve(registry: Registry, settings: Settings, arguments: argparse.Namespace) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    with ThreadPoolExecutor(_threads(settings), thread_name_prefix="rest") as pool:
        api = RestApi(registry, Service(_runner(settings, pool), pool))
        server = web.ServerRunner(web.Server(api.handle, access_log=None), shutdown_timeout=1.0)
        await server.setup()
        await web.SockSite(server, socket.socket(fileno=arguments.socket_fd)).start()
        await loop.create_unix_server(lambda: LinkServer(api.answer), arguments.link_path)
        report(arguments.report_fd, event="ready")
        await stopped.wait()
        await server.cleanup()


def _threads(settings: Settings) -> int:
    threads = THREADS_PER_PROCESSOR * (os.cpu_count() or 1)
    return threads if settings.batching is None else threads + settings.batching.num_batch_threads


def _runner(settings: Settings, pool: ThreadPoolExecutor) -> Runner:
    runner = DirectRunner(pool)
    return runner if settings.batching is None else BatchingRunner(settings.batching, runner)


if __name__ == "__main__":
    status = main()
    logging.shutdown()
    # Tearing TensorFlow down takes a second, and nothing is left to be saved.
    os._exit(status)
