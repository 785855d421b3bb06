"""A Unix socket whose queue is full: who comes then waits, as at a port."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import urllib3

from sagemaker_serving.model_server.places import Place


@pytest.fixture
def full(tmp_path: Path) -> Iterator[socket.socket]:
    """A listening socket at which nobody else is taken before somebody is accepted."""
    path = tmp_path / "server.sock"
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as first:
        listener.bind(str(path))
        listener.listen(0)
        first.connect(str(path))
        yield listener


def by_itself(place: Place, seconds: float) -> None:
    connection = place.connection(seconds)
    connection.request("GET", "/")
    connection.getresponse()


def from_a_pool(place: Place, seconds: float) -> None:
    place.pool(1).urlopen("GET", "/", timeout=seconds, retries=False)


WAYS = pytest.mark.parametrize("ask", [by_itself, from_a_pool])


@WAYS
def test_who_comes_when_the_queue_is_full_waits(
    full: socket.socket, ask: Callable[[Place, float], None]
) -> None:
    place = Place(socket_path=Path(full.getsockname()))
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask, place, 60.0)
        full.accept()[0].close()
        with full.accept()[0] as accepted:
            assert accepted.recv(5) == b"GET /"
            accepted.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            asking.result()


@WAYS
def test_who_waits_in_vain_is_told_so_in_time(
    full: socket.socket, ask: Callable[[Place, float], None]
) -> None:
    with pytest.raises((TimeoutError, urllib3.exceptions.NewConnectionError)) as failed:
        ask(Place(socket_path=Path(full.getsockname())), 0.05)
    assert "no connection within 0.05 s" in str(failed.value)
