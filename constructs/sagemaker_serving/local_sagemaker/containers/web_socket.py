"""Talk with a model's server over a WebSocket: frames go and come, each when it is there."""

from __future__ import annotations

import queue
import select
import socket
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import suppress

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Response
from websockets.uri import parse_uri

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer, NoAnswer, Part
from sagemaker_serving.model_server.places import Place

PING_SECONDS = 60.0
UNANSWERED_PINGS = 5
"""SageMaker asks every 60 seconds whether the container is there; after five pings in a row without
an answer it closes (AWS Machine Learning Blog, "Introducing bidirectional streaming for real-time
inference on Amazon SageMaker AI")."""

_NORMAL = (CloseCode.NORMAL_CLOSURE, CloseCode.GOING_AWAY, CloseCode.NO_STATUS_RCVD)
_CONNECT_SECONDS = 2.0
_CLOSE_SECONDS = 60.0
"""How long a server may still speak once the client has ended; of AWS's it is unverified."""
_LOOK_SECONDS = 1.0


def converse(
    place: Place,
    path: str,
    sent: Iterator[Part],
    *,
    timeout_seconds: float,
    stream_seconds: float,
    container: str,
    ping_seconds: float = PING_SECONDS,
) -> ModelAnswer:
    """What the server at ``place`` says to ``sent``, as `Part`s; they begin when it has opened.

    Where it opens none within ``timeout_seconds``, its answer is what it says instead. The end of
    ``sent`` closes the socket, and an `AwsError` that it raises is raised here. ``stream_seconds``
    is how long both may talk. Raises `NoAnswer`, then and later.
    """
    talk = _Talk(place, path, timeout_seconds, container)
    refused = talk.refused()
    if refused is not None:
        return refused
    threading.Thread(target=talk.say, args=(sent,), name="WebSocket", daemon=True).start()
    parts = talk.parts(time.monotonic() + stream_seconds, ping_seconds)
    return ModelAnswer(status=200, headers={}, body=b"", container=container, parts=parts)


class _Talk:
    def __init__(self, place: Place, path: str, timeout_seconds: float, container: str) -> None:
        self._container = container
        self._protocol = ClientProtocol(parse_uri(f"ws://localhost:8080{path}"), max_size=None)
        self._changing = threading.Lock()
        self._going: queue.Queue[bytes | None] = queue.Queue()
        self._early: list[Frame] = []
        self._failed: AwsError | None = None
        self._closed_at: float | None = None
        opened = place.connection(_CONNECT_SECONDS)
        try:
            opened.connect()
            assert opened.sock is not None
            self._socket: socket.socket = opened.sock
            self._socket.settimeout(None)
            threading.Thread(target=self._write, name="WebSocket writer", daemon=True).start()
            self._response = self._opened(time.monotonic() + timeout_seconds)
        except (OSError, WebSocketException) as error:
            self.close()
            raise self._no_answer(str(error)) from None
        except NoAnswer:
            self.close()
            raise

    def refused(self) -> ModelAnswer | None:
        """What the server said in place of opening a WebSocket; None where it has opened one."""
        failure = self._protocol.handshake_exc
        if failure is None:
            return None
        self.close()
        response = self._response
        if not isinstance(failure, InvalidStatus) or response.status_code < 400:
            raise self._no_answer(f"it opened no WebSocket: {failure}")
        return ModelAnswer(
            status=response.status_code,
            headers=dict(response.headers.raw_items()),
            body=bytes(response.body or b""),
            container=self._container,
        )

    def say(self, sent: Iterator[Part]) -> None:
        """Send each part, and then that nothing follows; wait for the server where it is slow."""
        in_message = False
        try:
            for part in sent:
                with self._changing:
                    self._send(part, in_message)
                in_message = not part.is_last
                self._going.join()
            self._close_with(CloseCode.NORMAL_CLOSURE)
        except AwsError as error:
            self._failed = error
            self._close_with(CloseCode.INVALID_DATA)
        except (OSError, WebSocketException):
            self._close_with(CloseCode.GOING_AWAY)  # the client has left, or the server has

    def parts(self, end: float, ping_seconds: float) -> Generator[Part]:
        """What the server says, until either side has closed."""
        now, is_text, unanswered = time.monotonic, False, 0
        ping_at = now() + ping_seconds
        try:
            while True:
                for frame in self._next(min(end, ping_at, now() + _LOOK_SECONDS)):
                    if frame.opcode is Opcode.PONG:
                        unanswered = 0
                    elif frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                        if frame.opcode is not Opcode.CONT:
                            is_text = frame.opcode is Opcode.TEXT
                        yield Part(bytes(frame.data), is_text=is_text, is_last=frame.fin)
                    elif frame.opcode is Opcode.CLOSE:
                        self._require_normal()
                        return
                if self._closed_at is not None:
                    if now() >= self._closed_at + _CLOSE_SECONDS:
                        return
                elif now() >= end:
                    raise self._no_answer("the stream lasted too long", timed_out=True)
                elif now() >= ping_at:
                    if unanswered == UNANSWERED_PINGS:
                        return
                    unanswered, ping_at = unanswered + 1, now() + ping_seconds
                    with self._changing:
                        self._protocol.send_ping(b"")
                        self._put()
        except WebSocketException as error:
            raise self._no_answer(str(error)) from None
        except OSError:
            self._require_normal()
        finally:
            self._close_with(CloseCode.NORMAL_CLOSURE)
            self.close()

    def close(self) -> None:
        """End the connection once all is sent that waits."""
        self._going.put(None)

    def _opened(self, end: float) -> Response:
        with self._changing:
            self._protocol.send_request(self._protocol.connect())
            self._put()
        while time.monotonic() < end:
            found = self._received(end)
            if found and isinstance(found[0], Response):
                self._early = [each for each in found[1:] if isinstance(each, Frame)]
                return found[0]
            if self._protocol.handshake_exc is not None:
                raise self._protocol.handshake_exc
        raise self._no_answer("it opened no WebSocket in time", timed_out=True)

    def _next(self, end: float) -> list[Frame]:
        early, self._early = self._early, []
        return early or [each for each in self._received(end) if isinstance(each, Frame)]

    def _received(self, end: float) -> list[Frame | Response]:
        """What comes next, or nothing where nothing comes until ``end``; `OSError` at the end."""
        if not select.select([self._socket], [], [], max(0.0, end - time.monotonic()))[0]:
            return []
        data = self._socket.recv(1 << 16)
        with self._changing:
            if data:
                self._protocol.receive_data(data)
            else:
                self._protocol.receive_eof()
            found = [
                each
                for each in self._protocol.events_received()
                if isinstance(each, Frame | Response)
            ]
            self._put()
        if not data and not found:
            raise ConnectionResetError("it closed the connection")
        return found

    def _send(self, part: Part, in_message: bool) -> None:
        if in_message:
            self._protocol.send_continuation(part, part.is_last)
        elif part.is_text:
            self._protocol.send_text(part, part.is_last)
        else:
            self._protocol.send_binary(part, part.is_last)
        self._put()

    def _close_with(self, code: CloseCode) -> None:
        with suppress(WebSocketException), self._changing:
            self._closed_at = time.monotonic()
            self._protocol.send_close(code)
            self._put()

    def _require_normal(self) -> None:
        """Raise what has ended the talk, unless one side has closed as it should."""
        if self._failed is not None:
            raise self._failed
        closed = self._protocol.close_rcvd
        if self._closed_at is not None:
            return
        if closed is None:
            raise self._no_answer("it closed the connection without a Close frame")
        if closed.code not in _NORMAL:
            raise self._no_answer(f"it closed with {closed.code} {closed.reason}".rstrip())

    def _put(self) -> None:
        for data in self._protocol.data_to_send():
            self._going.put(data)

    def _write(self) -> None:
        """Send what waits: whoever reads never waits for it, so that both can be slow."""
        is_broken = False
        while (data := self._going.get()) is not None:
            if not is_broken:
                try:
                    self._socket.sendall(data) if data else self._socket.shutdown(socket.SHUT_WR)
                except OSError:
                    is_broken = True
            self._going.task_done()
        self._going.task_done()
        self._socket.close()

    def _no_answer(self, why: str, *, timed_out: bool = False) -> NoAnswer:
        return NoAnswer(why, timed_out=timed_out, container=self._container)
