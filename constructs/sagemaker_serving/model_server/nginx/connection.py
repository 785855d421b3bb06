"""A connection's bytes: read as they lie there, and waited for only where they have not come.

asyncio's streams cost a small request a third of its way through here: a timer for each pause that
is never made, and a task woken for each step.
"""

from __future__ import annotations

import asyncio
from asyncio import IncompleteReadError, LimitOverrunError
from collections.abc import Callable


class Connection(asyncio.Protocol):
    """What `asyncio.StreamReader` and `StreamWriter` are, with one deadline for every wait.

    ``connected`` is called with each new one. Lines, and what is kept of what nobody reads yet,
    are of ``limit`` bytes at most.
    """

    def __init__(self, connected: Callable[[Connection], object], limit: int) -> None:
        self.transport: asyncio.Transport
        self._connected = connected
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray()
        self._ended = False
        self._lost: Exception | None = None
        self._deadline = 0.0
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None
        self._is_paused = False

    def within(self, seconds: float) -> None:
        """Every wait from now on raises `TimeoutError` when these seconds are over."""
        self._deadline = self._loop.time() + seconds

    async def readuntil(self, separator: bytes) -> bytes:
        """As `asyncio.StreamReader.readuntil`."""
        searched = 0
        while True:
            found = self._buffer.find(separator, searched)
            if found > self._limit or (found < 0 and len(self._buffer) > self._limit):
                raise LimitOverrunError("no end of the line within the limit", self._limit)
            if found >= 0:
                return self._taken(found + len(separator))
            searched = max(0, len(self._buffer) - len(separator) + 1)
            await self._more(None)

    async def readexactly(self, count: int) -> bytes:
        """As `asyncio.StreamReader.readexactly`."""
        while len(self._buffer) < count:
            await self._more(count)
        return self._taken(count)

    async def read(self, at_most: int) -> bytes:
        """What is there, up to ``at_most`` bytes; b"" when no more will come."""
        if not self._buffer and not self._ended:
            await self._wait()
        if self._lost is not None:
            raise self._lost
        return self._taken(min(at_most, len(self._buffer)))

    async def sent(self) -> None:
        """Wait while more than a buffer of what was sent is not taken."""
        if self._lost is not None:
            raise self._lost
        if self._is_paused:
            self._writer = self._loop.create_future()
            await self._wait_for(self._writer)

    async def _more(self, expected: int | None) -> None:
        """Wait for more, which there must be."""
        if not self._ended:
            await self._wait()
        elif self._lost is not None:
            raise self._lost
        else:
            raise IncompleteReadError(self._taken(len(self._buffer)), expected)

    async def _wait(self) -> None:
        if self._loop.time() >= self._deadline:
            raise TimeoutError
        self.transport.resume_reading()
        self._reader = self._loop.create_future()
        await self._wait_for(self._reader)

    async def _wait_for(self, event: asyncio.Future[None]) -> None:
        late = self._loop.call_at(self._deadline, _fail, event)
        try:
            await event
        finally:
            late.cancel()

    def _taken(self, count: int) -> bytes:
        data = bytes(memoryview(self._buffer)[:count])
        del self._buffer[:count]
        return data

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Tell who serves it."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._connected(self)

    def data_received(self, data: bytes) -> None:
        """Keep it for who reads, who may be waiting."""
        self._buffer += data
        _end(self._reader)
        if len(self._buffer) > 2 * self._limit:
            self.transport.pause_reading()

    def eof_received(self) -> bool:
        """No more will come; what was asked is still answered."""
        self._ended = True
        _end(self._reader)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody reads or writes here any more."""
        self._ended = True
        self._lost = exc or ConnectionResetError("the connection was lost")
        _end(self._reader)
        _end(self._writer)

    def pause_writing(self) -> None:
        """More than a buffer of what was sent is not taken."""
        self._is_paused = True

    def resume_writing(self) -> None:
        """It is taken."""
        self._is_paused = False
        _end(self._writer)


def _end(event: asyncio.Future[None] | None) -> None:
    if event is not None and not event.done():
        event.set_result(None)


def _fail(event: asyncio.Future[None]) -> None:
    if not event.done():
        event.set_exception(TimeoutError())
