"""HTTP/2 on a connection of the gateway: each stream is a request of the same WSGI application.

A request's body goes on while its answer comes, which two-way streams need. Clients begin by prior
knowledge on a plain connection, or by TLS (RFC 9113, section 3).
"""

from __future__ import annotations

import io
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Protocol
from urllib.parse import unquote_to_bytes

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    RequestReceived,
    StreamEnded,
    StreamReset,
)
from h2.exceptions import ProtocolError

PROTOCOL = "HTTP/2.0"
"""What SERVER_PROTOCOL of such a request is."""

_WINDOW_BYTES = 1 << 24
"""What all streams of a connection may have sent that nobody has read; each has 64 KiB."""

_OF_THE_CONNECTION = {"connection", "keep-alive", "transfer-encoding"}
"""Headers that HTTP/2 has no use for (RFC 9113, section 8.2.2)."""

_log = logging.getLogger(__name__)


class Transport(Protocol):
    """A connection's bytes."""

    def receive(self) -> bytes:
        """What has come, b"" at its end; raises `TimeoutError` when nothing comes for a while."""

    def send(self, data: bytes) -> None:
        """Send all of it; raises `OSError`."""


class Http2Connection:
    """Serves one connection until either side ends it, a thread for each stream.

    ``environ`` is what is the same for all its requests.
    """

    def __init__(
        self,
        transport: Transport,
        application: Callable[..., Iterable[bytes]],
        environ: dict[str, Any],
    ) -> None:
        self._transport = transport
        self._application = application
        self._common = environ
        self._h2 = H2Connection(H2Configuration(client_side=False, header_encoding="latin-1"))
        self._changed = threading.Condition()
        self._bodies: dict[int, _Body] = {}

    def serve(self) -> None:
        """Return when the connection is over."""
        try:
            with self._changed:
                self._h2.initiate_connection()
                self._h2.increment_flow_control_window(_WINDOW_BYTES)
                self._flush()
            while self._take():
                pass
        except (OSError, ProtocolError):
            with suppress(OSError), self._changed:
                self._flush()  # it says what was wrong
        finally:
            with self._changed:
                for body in self._bodies.values():
                    body.break_off()
                self._bodies.clear()
                self._changed.notify_all()

    def _take(self) -> bool:
        try:
            data = self._transport.receive()
        except TimeoutError:
            return bool(self._bodies)
        with self._changed:
            goes_on = bool(data)
            for event in self._h2.receive_data(data) if data else ():
                self._handle(event)
                goes_on = goes_on and not isinstance(event, ConnectionTerminated)
            self._flush()
            self._changed.notify_all()  # windows may have opened
        return goes_on

    def _handle(self, event: Event) -> None:
        if isinstance(event, RequestReceived):
            stream, headers = event.stream_id, event.headers
            self._bodies[stream] = _Body(lambda size: self._consumed(stream, size))
            threading.Thread(
                target=self._answer, args=(stream, headers), name="HTTP/2 stream", daemon=True
            ).start()
            return
        body = self._bodies.get(getattr(event, "stream_id", 0))
        if isinstance(event, DataReceived):
            padding = event.flow_controlled_length - len(event.data)
            unread = padding if body is not None else event.flow_controlled_length
            self._h2.acknowledge_received_data(unread, event.stream_id)
            if body is not None:
                body.feed(event.data)
        elif isinstance(event, StreamEnded) and body is not None:
            body.end()
        elif isinstance(event, StreamReset) and body is not None:
            del self._bodies[event.stream_id]
            body.break_off()

    def _consumed(self, stream: int, size: int) -> None:
        with suppress(ProtocolError, OSError), self._changed:  # it has ended meanwhile
            self._h2.acknowledge_received_data(size, stream)
            self._flush()

    def _answer(self, stream: int, headers: Sequence[tuple[str, str]]) -> None:
        said: list[tuple[str, str]] = []

        def start(status: str, given: list[tuple[str, str]], exc_info: object = None) -> Any:
            named = ((name.lower(), str(value)) for name, value in given)
            said[:] = [(":status", status.split(" ", 1)[0])]
            said.extend(each for each in named if each[0] not in _OF_THE_CONNECTION)

        code = ErrorCodes.NO_ERROR
        try:
            chunks = self._application(self._environ(stream, headers), start)
            try:
                self._send_head(stream, said)
                for chunk in chunks:
                    self._send(stream, chunk)
                self._send_end(stream)
            finally:
                close = getattr(chunks, "close", None)
                if close is not None:
                    close()
        except (OSError, ProtocolError):
            code = ErrorCodes.CANCEL  # the client has left
        except Exception:
            _log.exception("a stream of HTTP/2")
            code = ErrorCodes.INTERNAL_ERROR
        self._end(stream, code)

    def _environ(self, stream: int, headers: Sequence[tuple[str, str]]) -> dict[str, Any]:
        named = dict(headers)
        target = named[":path"]
        path, _, query = target.partition("?")
        environ = {
            **self._common,
            "SERVER_PROTOCOL": PROTOCOL,
            "REQUEST_METHOD": named[":method"],
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "RAW_URI": target,
            "REQUEST_URI": target,
            "QUERY_STRING": query,
            "HTTP_HOST": named.get(":authority", ""),
            "wsgi.input": io.BufferedReader(self._bodies[stream], 1 << 16),
            "wsgi.input_terminated": True,
        }
        for name, value in headers:
            key = name.upper().replace("-", "_")
            if name.startswith(":"):
                continue
            if key not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
                key = f"HTTP_{key}"
            separator = "; " if name == "cookie" else ","
            is_there = key in environ and name != "host"
            environ[key] = f"{environ[key]}{separator}{value}" if is_there else value
        return environ

    def _send_head(self, stream: int, headers: list[tuple[str, str]]) -> None:
        with self._changed:
            self._require(stream)
            self._h2.send_headers(stream, headers)
            self._flush()

    def _send(self, stream: int, chunk: bytes) -> None:
        """Send a chunk as far as the client's window allows, and wait for more of it."""
        left = memoryview(chunk)
        while left:
            with self._changed:
                self._changed.wait_for(lambda: stream not in self._bodies or self._room(stream) > 0)
                self._require(stream)
                size = min(len(left), self._room(stream), self._h2.max_outbound_frame_size)
                self._h2.send_data(stream, bytes(left[:size]))
                self._flush()
            left = left[size:]

    def _send_end(self, stream: int) -> None:
        with self._changed:
            self._require(stream)
            self._h2.end_stream(stream)
            self._flush()

    def _room(self, stream: int) -> int:
        return self._h2.local_flow_control_window(stream)

    def _require(self, stream: int) -> None:
        if stream not in self._bodies:
            raise ConnectionResetError("the client has ended the stream")

    def _end(self, stream: int, code: ErrorCodes) -> None:
        """The stream is over; what the client still sends of its request is taken and dropped."""
        with self._changed:
            body = self._bodies.pop(stream, None)
            if body is None:
                return
            if code is not ErrorCodes.NO_ERROR:
                with suppress(ProtocolError, OSError):
                    self._h2.reset_stream(stream, code)
                    self._flush()
            body.break_off()

    def _flush(self) -> None:
        data = self._h2.data_to_send()
        if data:
            self._transport.send(data)


class _Body(io.RawIOBase):
    """A request's body, read by one thread as another feeds it; ``consumed`` is told its bytes."""

    def __init__(self, consumed: Callable[[int], None]) -> None:
        self._consumed = consumed
        self._parts: deque[bytes] = deque()
        self._changed = threading.Condition()
        self._is_broken = False
        self._has_ended = False

    def feed(self, data: bytes) -> None:
        """Add what has come."""
        with self._changed:
            self._parts.append(data)
            self._changed.notify_all()

    def end(self) -> None:
        """Nothing follows."""
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()

    def break_off(self) -> None:
        """Whoever reads on has a `ConnectionResetError`."""
        with self._changed:
            self._is_broken = True
            self._changed.notify_all()

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Wait for the next bytes; 0 at the end. Raises `ConnectionResetError`."""
        with self._changed:
            self._changed.wait_for(lambda: self._parts or self._has_ended or self._is_broken)
            if self._parts:
                part = self._parts.popleft()
                size = min(len(buffer), len(part))
                buffer[:size] = part[:size]
                if size < len(part):
                    self._parts.appendleft(part[size:])
            elif self._has_ended:
                return 0
            else:
                raise ConnectionResetError("the client has ended the stream")
        if size:
            self._consumed(size)
        return size
