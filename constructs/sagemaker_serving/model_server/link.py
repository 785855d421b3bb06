"""The front's own way into an engine: requests as frames on a unix socket.

It leads to the same answers as the engine's REST port, which is there for
handlers and for /tfs, without the cost of HTTP between two processes that
know each other. Requests of one connection run side by side; each frame
carries the number of the request it belongs to.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

_REQUEST = struct.Struct("!QIBH")
"""Bytes that follow, request number, length of the method, length of the path."""

_REPLY = struct.Struct("!QIHB")
"""Bytes that follow, request number, status, length of the content type."""


@dataclass(frozen=True)
class Reply:
    """An answer as HTTP would carry it."""

    status: int
    body: bytes
    content_type: str = "application/json"


Answer = Callable[[str, str, bytes], Awaitable[Reply]]
"""``await answer(method, path, body)``; must not raise."""


class LinkLost(ConnectionError):
    """The engine at the other end is gone."""


class _Frames(asyncio.Protocol):
    """Cuts what arrives into frames and hands them to `_frame`."""

    _header: struct.Struct

    def __init__(self) -> None:
        self._buffer = bytearray()
        self.transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        size = self._header.size
        while len(self._buffer) >= size:
            length, *fields = self._header.unpack_from(self._buffer)
            if len(self._buffer) < size + length:
                return
            rest = bytes(memoryview(self._buffer)[size : size + length])
            del self._buffer[: size + length]
            self._frame(fields, rest)

    def _frame(self, fields: list[int], rest: bytes) -> None:
        """One frame: the header's fields but the first, and the bytes that followed it."""
        raise NotImplementedError


class LinkClient(_Frames):
    """The front's end."""

    _header = _REPLY

    def __init__(self, read_timeout: float) -> None:
        super().__init__()
        self._read_timeout = read_timeout
        self._numbers = count()
        self._waiting: dict[int, asyncio.Future[Reply]] = {}

    @classmethod
    async def connect(cls, path: Path, *, read_timeout: float) -> LinkClient:
        """A link to the engine that listens on the unix socket ``path``.

        ``read_timeout`` is how many seconds an answer may take.
        """
        loop = asyncio.get_running_loop()
        _, client = await loop.create_unix_connection(lambda: cls(read_timeout), str(path))
        return client

    @property
    def is_open(self) -> bool:
        """Whether the engine was still there when it was last heard of."""
        return self.transport is not None and not self.transport.is_closing()

    async def request(self, method: str, path: str, body: bytes = b"") -> Reply:
        """The engine's answer; raises `LinkLost` when it dies, `TimeoutError` when it is late."""
        if self.transport is None or self.transport.is_closing():
            raise LinkLost
        number = next(self._numbers) & 0xFFFFFFFF
        loop = asyncio.get_running_loop()
        reply: asyncio.Future[Reply] = loop.create_future()
        self._waiting[number] = reply
        late = loop.call_later(self._read_timeout, _fail, reply, TimeoutError())
        verb, target = method.encode(), path.encode(errors="surrogateescape")
        length = len(verb) + len(target) + len(body)
        header = _REQUEST.pack(length, number, len(verb), len(target))
        self.transport.write(b"".join((header, verb, target, body)))
        try:
            return await reply
        finally:
            late.cancel()
            del self._waiting[number]

    def _frame(self, fields: list[int], rest: bytes) -> None:
        number, status, length = fields
        reply = self._waiting.get(number)
        if reply is not None and not reply.done():
            reply.set_result(Reply(status, rest[length:], rest[:length].decode()))

    def connection_lost(self, exc: Exception | None) -> None:
        """The engine is gone: so are its answers."""
        for reply in self._waiting.values():
            _fail(reply, LinkLost())

    def close(self) -> None:
        """Hang up."""
        if self.transport is not None:
            self.transport.close()


class LinkServer(_Frames):
    """The engine's end, one for each connection."""

    _header = _REQUEST

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self._answer = answer
        self._under_way: set[asyncio.Task[None]] = set()

    def _frame(self, fields: list[int], rest: bytes) -> None:
        number, method, path = fields
        task = asyncio.ensure_future(
            self._reply(
                number,
                rest[:method].decode(),
                rest[method : method + path].decode(errors="surrogateescape"),
                rest[method + path :],
            )
        )
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _reply(self, number: int, method: str, path: str, body: bytes) -> None:
        reply = await self._answer(method, path, body)
        if self.transport is None or self.transport.is_closing():
            return
        kind = reply.content_type.encode()
        header = _REPLY.pack(len(kind) + len(reply.body), number, reply.status, len(kind))
        self.transport.write(b"".join((header, kind, reply.body)))


def _fail(reply: asyncio.Future[Reply], error: Exception) -> None:
    if not reply.done():
        reply.set_exception(error)
