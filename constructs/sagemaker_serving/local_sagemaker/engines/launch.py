"""What starts a model's server, and what a server is to the local SageMaker."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from sagemaker_serving.model_server.places import Place


class Server(Protocol):
    """A model server's process, as `sagemaker_serving.model_server` starts it."""

    @property
    def place(self) -> Place:
        """Where it listens."""

    @property
    def pid(self) -> int:
        """Its process."""

    def poll(self) -> int | None:
        """Its exit status, or None while it runs."""

    def wait_until_healthy(self, deadline_seconds: float) -> None:
        """Return when /ping answers 200; raises `Failure` when it ends or the deadline passes."""

    def last_log_lines(self, count: int = 20) -> list[str]:
        """The end of its log."""

    def stop(self, grace_seconds: float = 2.0) -> None:
        """End the process and its children; any number of times."""

    def memory_bytes(self) -> int:
        """Resident memory of the process and its children."""


class Launch(Protocol):
    """Starts a model server's process without waiting for it (``ModelServer.start``)."""

    def __call__(
        self,
        model_dir: Path,
        *,
        environment: Mapping[str, str],
        log_path: Path,
        container_version: str | None,
        program: str,
        command: str,
    ) -> Server:
        """The server's process over an unpacked model, its output going to ``log_path``."""
