"""A request's body, by its length or in chunks."""

from __future__ import annotations

import re
from asyncio import IncompleteReadError

from sagemaker_serving.model_server.nginx.connection import Connection
from sagemaker_serving.model_server.nginx.messages import Head, Refused

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
