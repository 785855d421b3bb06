"""A container as a program: what the programs of all its servers have in common.

The container's environment is the process's own. stdout and stderr are its log; when the
start fails, the last line says why and the status is not 0.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

from local_aws.process import ending_all, raise_file_limit
from sagemaker_serving.errors import ReportedError
from sagemaker_serving.model_server.logs import start_logging
from sagemaker_serving.model_server.orphans import reap_orphans_as_they_end
from sagemaker_serving.model_server.ports import listen

log = logging.getLogger("front")


def container_arguments(module: str) -> argparse.ArgumentParser:
    """The arguments of every server; ``module`` is the one that is run."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}")
    parser.add_argument(
        "--model-dir", type=Path, required=True, help="a model's folder or model.tar.gz"
    )
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--port", type=int, help="on 127.0.0.1; 0 takes a free one")
    place.add_argument("--socket-fd", type=int, help="a listening socket instead")
    parser.add_argument("--scratch", type=Path, help="an empty folder to use and remove")
    parser.add_argument("--parent-fd", type=int, help="end when this descriptor does")
    return parser


def run(arguments: argparse.Namespace, serve: Callable[..., Awaitable[None]], *own: str) -> int:
    """Serve until told to stop (status 0); 2 for the user's mistake, 1 for other failures.

    ``serve`` takes the model, the listening socket, an empty folder that is removed at the end, an
    event, and by name the server's ``own`` arguments. SIGTERM, SIGINT, SIGHUP and the end of
    ``--parent-fd`` set the event.
    """
    start_logging()
    raise_file_limit()
    try:
        public = (
            listen(arguments.port)
            if arguments.socket_fd is None
            else socket.socket(fileno=arguments.socket_fd)
        )
        with ending_all():
            asyncio.run(_serve(arguments, public, serve, own))
    except ReportedError as error:
        log.error("%s", error)
        return error.exit_status
    return 0


async def _serve(
    arguments: argparse.Namespace,
    public: socket.socket,
    serve: Callable[..., Awaitable[None]],
    own: Iterable[str],
) -> None:
    reap_orphans_as_they_end()
    given: Path | None = arguments.scratch
    scratch = Path(tempfile.mkdtemp(prefix="sagemaker-serving-")) if given is None else given
    named = {name: getattr(arguments, name) for name in own}
    try:
        await serve(arguments.model_dir, public, scratch, _stopping(arguments.parent_fd), **named)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _stopping(parent_fd: int | None) -> asyncio.Event:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, stopping.set)
    if parent_fd is not None:
        loop.add_reader(parent_fd, _at_end_of, parent_fd, stopping)
    return stopping


def _at_end_of(parent_fd: int, stopping: asyncio.Event) -> None:
    if not os.read(parent_fd, 1):
        asyncio.get_running_loop().remove_reader(parent_fd)
        stopping.set()
