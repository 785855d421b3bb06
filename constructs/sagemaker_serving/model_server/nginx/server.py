"""Connections: one request after the other, kept alive as nginx keeps them, hung up as it does."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
from asyncio import IncompleteReadError
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from sagemaker_serving.model_server.nginx.connection import Connection
from sagemaker_serving.model_server.nginx.heads import BUFFER, read_head
from sagemaker_serving.model_server.nginx.messages import HTTP_11, Answer, Head, Refused, Request

log = logging.getLogger("front")

Handle = Callable[[Request], Awaitable[Answer]]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Seconds, of the images' configuration or nginx's defaults (ngx_http_core_module)."""

    head: float = 60
    """client_header_timeout: for a whole head."""

    kept_alive: float = 3
    """keepalive_timeout: until the next request begins."""

    silent: float = 60
    """client_body_timeout and send_timeout: without a byte of the body, or of the answer taken."""

    lingering: float = 5
    """lingering_timeout: how long what is sent to a refused request is still taken."""


class HttpServer:
    """Serves ``handle`` on a listening socket, as an nginx whose Server header is ``name``."""

    def __init__(self, handle: Handle, name: str, limits: Limits | None = None) -> None:
        self._handle = handle
        self._name = name
        self._limits = limits or Limits()
        self._connections: dict[asyncio.Task[None], bool] = {}
        self._server: asyncio.Server | None = None
        self._closing = False

    async def start(self, public: socket.socket, *, backlog: int) -> None:
        """Accept connections from now on; ``backlog`` may wait for it."""
        self._server = await asyncio.get_running_loop().create_server(
            lambda: Connection(self._connected, BUFFER), sock=public, backlog=backlog
        )

    async def close(self, drain_seconds: float) -> None:
        """Accept no more, let requests under way finish for a while, and hang up."""
        self._closing = True
        if self._server is not None:
            self._server.close()
        for task, is_busy in self._connections.items():
            if not is_busy:
                task.cancel()
        if self._connections:
            await asyncio.wait(self._connections, timeout=drain_seconds)
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _connected(self, connection: Connection) -> None:
        task = asyncio.ensure_future(self._serve(connection))
        self._connections[task] = False

        def ended(_: asyncio.Task[None]) -> None:
            del self._connections[task]
            connection.transport.close()

        task.add_done_callback(ended)

    async def _serve(self, connection: Connection) -> None:
        task = asyncio.current_task()
        assert task is not None
        with suppress(OSError, IncompleteReadError, asyncio.CancelledError):
            seconds = self._limits.head
            while await self._answered_one(connection, task, seconds) and not self._closing:
                seconds = self._limits.kept_alive

    async def _answered_one(
        self, connection: Connection, task: asyncio.Task[None], seconds: float
    ) -> bool:
        """Whether there may be another request on this connection."""
        first = b"\n"
        connection.within(seconds)
        while first in b"\r\n":
            first = await connection.readexactly(1)
        self._connections[task] = True
        head = None
        try:
            connection.within(self._limits.head)
            head = await read_head(connection, first)
            if head.version >= HTTP_11 and head.get("expect").lower() == "100-continue":
                connection.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            body = await read_body(connection, head, silent_seconds=self._limits.silent)
        except Refused as refused:
            log.info("%s", refused)
            page, method = Answer(status=refused.status), head.method if head else refused.method
            sent = page.sent(self._name, version=refused.version, method=method, keeps_alive=False)
            await self._send(connection, sent)
            await self._linger(connection)
            return False
        answer = await self._answer(Request(head=head, body=body))
        # A page of these statuses ends the connection (ngx_http_special_response_handler).
        ends = answer.body is None and answer.status in (400, 413, 414, 500, 501)
        keeps_alive = head.keeps_alive and not self._closing and not ends
        await self._send(
            connection,
            answer.sent(
                self._name, version=head.version, method=head.method, keeps_alive=keeps_alive
            ),
        )
        self._connections[task] = False
        return keeps_alive

    async def _answer(self, request: Request) -> Answer:
        try:
            return await self._handle(request)
        except Exception:
            log.exception("a request could not be answered")
            return Answer(status=500)

    async def _send(self, connection: Connection, answer: bytes) -> None:
        """Send ``answer``; raises `TimeoutError` when nobody takes it."""
        transport = connection.transport
        transport.write(answer)
        while True:
            left = transport.get_write_buffer_size()
            try:
                connection.within(self._limits.silent)
                return await connection.sent()
            except TimeoutError:
                if transport.get_write_buffer_size() >= left:
                    transport.abort()
                    raise

    async def _linger(self, connection: Connection) -> None:
        """Take what is still sent: hung up on at once, the caller may never see the answer."""
        connection.transport.write_eof()
        connection.within(self._limits.lingering)
        while await connection.read(BUFFER):
            pass


_CHUNK = re.compile(rb"([0-9A-Fa-f]+)(?:[ \t;][^\r\n]*)?(?:\r\n?)?")
_TRAILER = re.compile(rb"[^\r\n]*(?:\r\n?)?")
_BREAK = re.compile(rb"\r\n?")
"""Each line of a chunked body, and as much of it as has come."""

_MOST, _LONGEST_LINE = 1 << 20, 8192


async def read_body(connection: Connection, head: Head, *, silent_seconds: float) -> bytes | None:
    """The whole body; None when the head announces none.

    Raises `Refused` for chunks that are none (ngx_http_parse_chunked), `TimeoutError` when
    nothing comes for ``silent_seconds``, `IncompleteReadError` when the connection ends.
    """
    if head.chunked:
        return await _chunked(connection, silent_seconds)
    if head.length is None:
        return None
    return await _exactly(connection, head.length, silent_seconds)


async def _exactly(connection: Connection, length: int, silent_seconds: float) -> bytes:
    parts: list[bytes] = []
    left = length
    while left:
        connection.within(silent_seconds)
        part = await connection.read(min(left, _MOST))
        if not part:
            raise IncompleteReadError(b"", left)
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


async def _chunked(connection: Connection, silent_seconds: float) -> bytes:
    parts: list[bytes] = []
    while True:
        size = int((await _line(connection, _CHUNK, silent_seconds))[1], 16)
        if size >= 1 << 62:
            raise Refused(400, "client sent invalid chunked body")
        if not size:
            break
        parts.append(await _exactly(connection, size, silent_seconds))
        await _line(connection, _BREAK, silent_seconds)
    while (await _line(connection, _TRAILER, silent_seconds))[0] != b"\r\n":
        pass
    return b"".join(parts)


async def _line(
    connection: Connection, form: re.Pattern[bytes], silent_seconds: float
) -> re.Match[bytes]:
    """A line of this form, refused with the first byte that cannot be of one."""
    line, found = b"", None
    connection.within(silent_seconds)
    while not line.endswith(b"\n"):
        line += await connection.readexactly(1)
        found = form.fullmatch(line)
        if found is None or len(line) > _LONGEST_LINE:
            raise Refused(400, "client sent invalid chunked body")
    assert found is not None
    return found
