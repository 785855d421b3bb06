"""Reading request bodies, of any size."""

from __future__ import annotations

from aiohttp import web


async def read_body(request: web.BaseRequest) -> bytes:
    """The whole body; a caller that waits for "100 Continue" is told to go on."""
    if request.headers.get("Expect", "").lower() == "100-continue" and request.transport:
        request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    return await request.content.read()
