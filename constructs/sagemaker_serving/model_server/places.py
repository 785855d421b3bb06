"""Where a model server answers, and how it is asked there."""

from __future__ import annotations

import http.client
import socket
import struct
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


_ONE_PIECE_BYTES = 1 << 16
"""A request beyond that is not copied once more, to save a wake-up."""


class _PooledConnection(urllib3.connection.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost")
        self._path = path
        self._held: list[bytes] | None = None

    def request(self, *arguments: Any, **options: Any) -> None:
        """Send a small request in one piece: a head alone wakes the server for nothing."""
        self._held = []
        try:
            super().request(*arguments, **options)
        finally:
            held, self._held = self._held, None
        is_small = sum(map(len, held)) <= _ONE_PIECE_BYTES
        for piece in [b"".join(held)] if is_small else held:
            super().send(piece)

    def send(self, data: Any) -> None:
        """Send ``data``, or hold it for the end of `request`."""
        if self._held is not None and isinstance(data, bytes):
            self._held.append(data)
        else:
            super().send(data)

    def _new_conn(self) -> socket.socket:
        try:
            return _connected(self._path, self.timeout)
        except OSError as error:
            raise urllib3.exceptions.NewConnectionError(self, str(error)) from error


def _connected(path: Path, timeout: Any) -> socket.socket:
    """A connection; raises `TimeoutError` when it is not accepted in time.

    Where as many wait as may, the kernel has this one wait too, for ``SO_SNDTIMEO``; a timeout of
    Python's would have it refused at once (unix(7) and socket(7), man7.org).
    """
    seconds = timeout if isinstance(timeout, int | float) else None
    connection = socket.socket(socket.AF_UNIX)
    try:
        _wait_at_most(connection, seconds)
        connection.connect(str(path))
        _wait_at_most(connection, None)
        connection.settimeout(seconds)
    except BlockingIOError:
        connection.close()
        raise TimeoutError(f"no connection within {seconds} s") from None
    except BaseException:
        connection.close()
        raise
    return connection


def _wait_at_most(connection: socket.socket, seconds: float | None) -> None:
    microseconds = 0 if seconds is None else max(1, int(seconds * 1_000_000))
    timeval = struct.pack("@ll", *divmod(microseconds, 1_000_000))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, timeval)
