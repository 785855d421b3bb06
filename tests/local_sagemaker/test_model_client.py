"""RequestPipeline a model's server over kept connections, also when it closes them."""

from __future__ import annotations

import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sagemaker_serving.local_sagemaker.containers.model_client import ModelClient, NoAnswer
from sagemaker_serving.model_server.places import Place
from sagemaker_serving.model_server.ports import listen_privately

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
CUT_SHORT = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut"


@pytest.fixture(params=["port", "socket"], autouse=True)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test of this file is about both kinds of places."""
    monkeypatch.setattr(f"{__name__}.KIND", request.param)


KIND = "port"


@contextmanager
def listening() -> Iterator[tuple[socket.socket, Place]]:
    """A listening socket, and where it is."""
    if KIND == "port":
        with socket.create_server(("127.0.0.1", 0)) as listener:
            yield listener, Place(port=listener.getsockname()[1])
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.sock"
        with listen_privately(path) as listener:
            yield listener, Place(socket_path=path)


@contextmanager
def server(*connections: list[bytes]) -> Iterator[tuple[ModelClient, list[bytes]]]:
    """A server that gives these answers, connection by connection, and closes each at its end."""
    requests: list[bytes] = []

    def serve() -> None:
        for answers in connections:
            connection, _ = listener.accept()
            with connection:
                for answer in answers:
                    requests.append(request(connection))
                    if answer:
                        connection.sendall(answer)

    with listening() as (listener, place):
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        client = ModelClient(place)
        yield client, requests
        client.close()
        thread.join(120)


def request(connection: socket.socket) -> bytes:
    """One whole request, whose body is the word body."""
    received = b""
    while not received.endswith(b"\r\n\r\nbody"):
        received += connection.recv(65536)
    return received


def ask(client: ModelClient, seconds: float = 60) -> bytes:
    return client.invoke(b"body", {"Accept": "a/b"}, timeout_seconds=seconds).body


def test_a_connection_is_used_again() -> None:
    with server([OK, OK]) as (client, requests):
        assert (ask(client), ask(client)) == (b"ok", b"ok")
    assert b"POST /invocations HTTP/1.1" in requests[0]
    assert b"Accept: a/b" in requests[0]


def test_a_request_on_a_connection_that_was_just_closed_is_sent_again() -> None:
    with server([OK, b""], [OK]) as (client, requests):
        assert (ask(client), ask(client)) == (b"ok", b"ok")
    assert len(requests) == 3


def test_an_answer_that_was_cut_short_is_not_asked_for_again() -> None:
    with server([CUT_SHORT], [OK]) as (client, requests):
        with pytest.raises(NoAnswer) as failed:
            ask(client)
        assert not failed.value.timed_out
        assert len(requests) == 1
        assert ask(client) == b"ok"


def test_silence_is_a_timeout() -> None:
    with listening() as (_, place):
        client = ModelClient(place)
        with pytest.raises(NoAnswer, match=r"no answer within 0.1 s") as failed:
            ask(client, seconds=0.1)
    assert failed.value.timed_out


def test_nobody_there_is_no_answer() -> None:
    with listening() as (_, place):
        pass
    with pytest.raises(NoAnswer, match=r"refused|No such file"):
        ask(ModelClient(place))
