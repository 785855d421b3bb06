"""Hundreds of clients who come at the same moment, and a shell that allows few open files."""

from __future__ import annotations

import http.client
import os
import resource
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

CLIENTS = 500
_PATIENCE_SECONDS = 120.0
"""How long a test waits at most; no promise."""


def crowd(connect: Callable[[], socket.socket], request: bytes, *, waiting_for: int) -> set[str]:
    """All the different answers to ``request``, sent over as many connections as `CLIENTS`.

    Nobody accepts one before all are there, and each has sent its request: the process
    ``waiting_for`` is stopped until then.
    """
    with ExitStack() as stack:
        os.kill(waiting_for, signal.SIGSTOP)
        try:
            connections = [stack.enter_context(connect()) for _ in range(CLIENTS)]
            for connection in connections:
                connection.settimeout(_PATIENCE_SECONDS)
                connection.sendall(request)
        finally:
            os.kill(waiting_for, signal.SIGCONT)
        return {_answer(connection) for connection in connections}


def post(path: str, body: bytes, headers: Mapping[str, str] | None = None) -> bytes:
    """A request as it is sent."""
    given = {"Host": "localhost", **(headers or {}), "Content-Length": str(len(body))}
    lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@contextmanager
def few_files() -> Iterator[None]:
    """What is started here is allowed fewer open files than the crowd has connections.

    This process, too, which may have some hundred open already: it gets a few more than those.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    few = max(CLIENTS // 2, len(list(Path("/proc/self/fd").iterdir())) + 50)
    assert few < CLIENTS, "too many for the tests that follow to say anything"
    resource.setrlimit(resource.RLIMIT_NOFILE, (few, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _answer(connection: socket.socket) -> str:
    with http.client.HTTPResponse(connection) as response:
        response.begin()
        return f"{response.status} {response.read().decode()}"
