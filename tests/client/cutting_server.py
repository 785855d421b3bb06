"""A server on a socket of its own that writes what a test says, byte for byte, and hangs up."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sagemaker_serving.client import Aws
from tests.local_aws.aws import REGION

RESET = struct.pack("ii", 1, 0)
"""SO_LINGER: closing sends RST, as when a process or a line between dies."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """An answer's bytes; ``reset`` breaks the connection where it else would be closed."""

    data: bytes
    reset: bool = False


@dataclass
class CuttingServer:
    """What it was asked, request line by request line."""

    url: str
    asked: list[str] = field(default_factory=list)

    @property
    def aws(self) -> Aws:
        keys = {"access_key_id": "test", "secret_access_key": "test"}
        return Aws(region=REGION, endpoint_url=self.url, **keys)


@contextmanager
def cutting_server(say: Callable[[int], Said]) -> Iterator[CuttingServer]:
    """Answers the n-th request, from 0, as ``say(n)`` says, and ends its connection."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = CuttingServer(f"http://127.0.0.1:{listener.getsockname()[1]}")

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                line = _read_request(connection)
                said = say(len(server.asked))
                server.asked.append(line)
                connection.sendall(said.data)
                if said.reset:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                else:
                    connection.shutdown(socket.SHUT_WR)
                    connection.recv(1)  # until the client has read it all and closed, too

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def _read_request(connection: socket.socket) -> str:
    with connection.makefile("rb") as file:
        first = file.readline().decode()
        length = 0
        while (line := file.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode().partition(":")
            if name.lower() == "content-length":
                length = int(value)
        file.read(length)
    return first.strip()
