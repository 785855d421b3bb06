"""The front's connections to the handler worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import aiohttp

_NO_AUTOMATIC_HEADERS = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
"""A handler must see what the caller sent, and nothing else."""


@dataclass(frozen=True)
class WorkerReply:
    """The worker's answer, read whole."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Worker:
    """Connections to the handler worker on its unix socket, one for each request.

    Requests raise `aiohttp.ClientError` when the worker drops them and
    `TimeoutError` when it stays silent for ``read_timeout`` seconds.
    """

    def __init__(self, socket_path: Path, *, read_timeout: float) -> None:
        self._session = aiohttp.ClientSession(
            # As nginx: kept alive, a connection could be closed just as it is used again.
            connector=aiohttp.UnixConnector(str(socket_path), limit=0, force_close=True),
            auto_decompress=False,
            skip_auto_headers=_NO_AUTOMATIC_HEADERS,
            timeout=aiohttp.ClientTimeout(total=None, sock_read=read_timeout),
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    async def request(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | Sequence[tuple[str, str]],
        body: bytes | None,
    ) -> WorkerReply:
        """The answer to one request."""
        url = "http://localhost" + path
        async with self._session.request(
            method, url, headers=headers, data=body, allow_redirects=False
        ) as response:
            return WorkerReply(response.status, response.headers, await response.read())

    async def close(self) -> None:
        """Close the connections."""
        await self._session.close()
