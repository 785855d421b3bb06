"""The WebSocket between SageMaker and a container: pings, and what a container may do wrong."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer, NoAnswer, Part
from sagemaker_serving.local_sagemaker.containers.web_socket import UNANSWERED_PINGS, converse
from sagemaker_serving.model_server.places import Place

Heard = list[Opcode]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(socket_path=tmp_path / "socket")


def container(place: Place, heard: Heard, *, answers: Callable[[Heard], bool]) -> threading.Thread:
    """One that notes what it hears, and writes what has to be written while it ``answers``."""
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(place.socket_path))
    listening.listen()

    def serve() -> None:
        connection, _ = listening.accept()
        protocol = ServerProtocol()
        with listening, connection, suppress(OSError):
            while data := connection.recv(1 << 16):
                protocol.receive_data(data)
                for event in protocol.events_received():
                    if isinstance(event, Request):
                        protocol.send_response(protocol.accept(event))
                    elif isinstance(event, Frame):
                        heard.append(event.opcode)
                for out in protocol.data_to_send():
                    if answers(heard):
                        connection.sendall(out)

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


def talk(place: Place, sent: Iterator[Part], stream_seconds: float = 60.0) -> ModelAnswer:
    return converse(
        place,
        "/invocations-bidirectional-stream",
        sent,
        timeout_seconds=10.0,
        stream_seconds=stream_seconds,
        container="primary",
        ping_seconds=0.02,
    )


def silence(until: threading.Event) -> Iterator[Part]:
    until.wait()
    yield from ()


def test_a_container_that_answers_no_ping_is_left_after_five_of_them(place: Place) -> None:
    heard: Heard = []
    serving = container(place, heard, answers=lambda heard: not heard)
    over = threading.Event()
    answer = talk(place, silence(over))
    assert answer.parts is not None
    assert list(answer.parts) == []
    over.set()
    serving.join()
    assert heard == [Opcode.PING] * UNANSWERED_PINGS + [Opcode.CLOSE]


def test_a_container_that_answers_pings_is_asked_on(place: Place) -> None:
    heard: Heard = []
    serving = container(place, heard, answers=lambda _: True)
    over = threading.Event()
    answer = talk(place, until(heard, over))
    assert answer.parts is not None
    assert list(answer.parts) == []
    serving.join()
    assert heard.count(Opcode.PING) > 2 * UNANSWERED_PINGS


def until(heard: Heard, over: threading.Event) -> Iterator[Part]:
    while heard.count(Opcode.PING) <= 2 * UNANSWERED_PINGS:
        over.wait(0.01)
    yield from ()


def test_a_talk_that_lasts_too_long_is_ended(place: Place) -> None:
    serving = container(place, [], answers=lambda _: True)
    over = threading.Event()
    answer = talk(place, silence(over), stream_seconds=0.1)
    assert answer.parts is not None
    with pytest.raises(NoAnswer, match="the stream lasted too long") as ended:
        list(answer.parts)
    assert ended.value.timed_out
    over.set()
    serving.join()


def test_a_container_that_is_not_there(place: Place) -> None:
    with pytest.raises(NoAnswer):
        talk(place, iter(()))
