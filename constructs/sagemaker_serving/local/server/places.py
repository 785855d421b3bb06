"""Where a model server answers, and how it is asked there."""

from __future__ import annotations

import http.client
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import urllib3


@dataclass(frozen=True, kw_only=True)
class Place:
    """A Unix socket in a folder that is this user's alone, or a port of 127.0.0.1.

    Exactly one of the two. A port can be asked by every user of this machine; so a server that
    nobody calls but the process that started it listens on a socket.
    """

    socket_path: Path | None = None
    port: int | None = None

    @property
    def url(self) -> str:
        """``http://localhost:PORT``; a socket has none that others could use."""
        return "" if self.port is None else f"http://localhost:{self.port}"

    def __str__(self) -> str:
        return self.url if self.socket_path is None else str(self.socket_path)

    def connection(self, timeout_seconds: float) -> http.client.HTTPConnection:
        """A connection that is opened when it is first used."""
        if self.socket_path is None:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_seconds)
        return _SocketConnection(self.socket_path, timeout_seconds)

    def pool(self, connections: int) -> urllib3.HTTPConnectionPool:
        """Kept connections for as many threads as like to use them."""
        if self.socket_path is None:
            return urllib3.HTTPConnectionPool(
                "localhost", self.port, maxsize=connections, retries=False
            )
        return _SocketPool(self.socket_path, connections)


class _SocketConnection(http.client.HTTPConnection):
    def __init__(self, path: Path, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = _connected(self._path, self.timeout)


class _SocketPool(urllib3.HTTPConnectionPool):
    def __init__(self, path: Path, connections: int) -> None:
        super().__init__("localhost", maxsize=connections, retries=False)
        self._path = path

    def _new_conn(self) -> Any:
        return _PooledConnection(self._path)


class _PooledConnection(urllib3.connection.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost")
        self._path = path

    def _new_conn(self) -> socket.socket:
        try:
            return _connected(self._path, self.timeout)
        except OSError as error:
            raise urllib3.exceptions.NewConnectionError(self, str(error)) from error


def _connected(path: Path, timeout: Any) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    if isinstance(timeout, int | float):
        connection.settimeout(timeout)
    try:
        connection.connect(str(path))
    except BaseException:
        connection.close()
        raise
    return connection
