"""Model servers for tests: started for real, ended for sure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from sagemaker_serving.errors import Failure
from sagemaker_serving.model_server.fork_client import ContainerForks
from sagemaker_serving.model_server.process import ModelServer
from sagemaker_serving.model_server.programs import Program

HEALTHY_WITHIN_SECONDS = 90.0
FORKS = ContainerForks()
"""What a local AWS starts TensorFlow's servers by: one import for all those of a test run."""


@contextmanager
def running(
    model: Path,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    container_version: str | None = None,
    port: int | None = 0,
    program: str = Program.TENSORFLOW,
    fork_server: ContainerForks | None = FORKS,
) -> Iterator[ModelServer]:
    """A healthy server of ``model``; its log is ``folder / "container.log"``."""
    with starting(
        model, folder, environment, container_version, port, program, fork_server
    ) as server:
        server.wait_until_healthy(HEALTHY_WITHIN_SECONDS)
        yield server


@contextmanager
def starting(
    model: Path,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    container_version: str | None = None,
    port: int | None = 0,
    program: str = Program.TENSORFLOW,
    fork_server: ContainerForks | None = None,
) -> Iterator[ModelServer]:
    """A server that was told to start, no more."""
    server = ModelServer.start(
        model,
        environment=environment or {},
        log_path=folder / "container.log",
        port=port,
        container_version=container_version,
        program=program,
        fork_server=fork_server,
    )
    try:
        yield server
    finally:
        server.stop()


def log_of_failed_start(
    model: Path, folder: Path, environment: Mapping[str, str] | None = None, *, program: str
) -> str:
    """What a server writes that does not come up."""
    with (
        starting(model, folder, environment, program=program) as server,
        pytest.raises(Failure),
    ):
        server.wait_until_healthy(HEALTHY_WITHIN_SECONDS)
    return (folder / "container.log").read_text()


def until(condition: Callable[[], bool], *, seconds: float = 120.0) -> None:
    """Wait for ``condition``, and fail when it does not come."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s in vain"
        time.sleep(0.02)


def processes_of(server: ModelServer) -> list[psutil.Process]:
    """The front and everything below it."""
    front = psutil.Process(server.pid)
    return [front, *front.children(recursive=True)]


def log_of(server: ModelServer) -> str:
    """Everything the server has logged."""
    return server.log_path.read_text()
