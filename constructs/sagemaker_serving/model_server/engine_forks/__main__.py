"""``python -m …engine_forks``: import TensorFlow once, then fork an engine per model."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import os
import signal
import socket
from collections.abc import Sequence
from functools import partial

from local_aws.garbage import collect_seldom
from local_aws.process.forking import exit_at_once
from sagemaker_serving.errors import ReportedError
from sagemaker_serving.model_server.contract import CONTRACTS
from sagemaker_serving.model_server.discovery import Model
from sagemaker_serving.model_server.engine.process import import_tensorflow, load, serve
from sagemaker_serving.model_server.engine_forks.forks import EngineForks
from sagemaker_serving.model_server.generations import Generation
from sagemaker_serving.model_server.logs import start_logging
from sagemaker_serving.model_server.parent_watch import add_child_arguments, exit_at_end_of, report
from sagemaker_serving.model_server.ports import BACKLOG
from sagemaker_serving.model_server.settings import Settings, read_settings


def main(command_line: Sequence[str] | None = None) -> int:
    """Answer on the unix socket until SIGTERM; status 0."""
    arguments = _arguments(command_line)
    exit_at_end_of(arguments.parent_fd)
    start_logging()
    collect_seldom()
    import_tensorflow()
    # What has been imported is nobody's garbage: collecting would copy the pages that forks share.
    gc.collect()
    gc.freeze()
    report(arguments.report_fd, event="started")
    asyncio.run(_serve(arguments))
    return 0


async def _serve(arguments: argparse.Namespace) -> None:
    settings = read_settings(os.environ)
    contract = CONTRACTS[arguments.generation]
    engine_forks = EngineForks(
        settings,
        instances=settings.instance_count if contract.multi_model.counts_instances else 1,
        wait_seconds=contract.wait_time(settings),
        become=lambda model: partial(_become_engine, model, settings, arguments.parent_fd),
        keep=(arguments.parent_fd,),
    )
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    path = arguments.socket_path
    async with await asyncio.start_unix_server(engine_forks.handle, path, backlog=BACKLOG):
        report(arguments.report_fd, event="ready")
        await stopped.wait()
        await engine_forks.end()


def _become_engine(
    model: Model,
    settings: Settings,
    parent_fd: int,
    rest: socket.socket,
    grpc: socket.socket,
    report_fd: int,
) -> int:
    exit_at_end_of(parent_fd)
    versions = {str(number): str(path) for number, path in model.versions.items()}
    if not versions:
        report(report_fd, event="failed", reason=f"{model.base_path} holds no version folder")
        return 1
    try:
        registry = load({model.name: versions}, settings)
    except ReportedError as error:
        report(report_fd, event="failed", reason=str(error))
        return 1
    ready = partial(report, report_fd, event="ready")
    asyncio.run(serve(registry, settings, rest, grpc_listener=grpc, link_path=None, ready=ready))
    return 0


def _arguments(command_line: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="engine_forks")
    add_child_arguments(parser)
    parser.add_argument("--socket-path", required=True)
    parser.add_argument("--generation", type=Generation, required=True)
    return parser.parse_args(command_line)


if __name__ == "__main__":
    status = main()
    logging.shutdown()
    # Tearing TensorFlow down takes a second, and nothing is left to be saved.
    exit_at_once(status)
