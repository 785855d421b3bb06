"""What the image's adapter answers: /ping, and /invocations, which it passes to Ray Serve's /."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping

import aiohttp
from aiohttp import web

from sagemaker_serving.model_server.bodies import read_body

log = logging.getLogger("front")

_OWN_HEADERS = "x-amzn-sagemaker-"
"""The only headers that the adapter passes on either way, beside Content-Type and Accept."""

_JSON = "application/json"
_METHODS = {"/ping": "GET", "/invocations": "POST"}
_HEALTH_SECONDS = 5.0


class Front:
    """Answers every request to the public port; made into a server by `aiohttp.web.Server`.

    AWS's adapter reads an answer to its end before it sends any of it. With ``streams`` it is sent
    as it comes, as by an adapter of one's own. ``timeout_seconds`` is how long Ray Serve may be
    silent.
    """

    def __init__(self, *, streams: bool, timeout_seconds: int) -> None:
        self._streams = streams
        self._url: str | None = None
        self._session = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=None, sock_read=timeout_seconds),
            connector=aiohttp.TCPConnector(limit=0),
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    def open(self, port: int) -> None:
        """Let requests through to Ray Serve, which listens on ``port`` of 127.0.0.1."""
        self._url = f"http://127.0.0.1:{port}"

    async def close(self) -> None:
        """Let no more requests through."""
        self._url = None
        await self._session.close()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Route by the path and the method, as FastAPI does."""
        path = request.raw_path.partition("?")[0]
        if path not in _METHODS:
            return _json(404, {"detail": "Not Found"})
        if request.method != _METHODS[path]:
            return _json(405, {"detail": "Method Not Allowed"})
        if self._url is None:
            return web.Response(status=503)
        if path == "/ping":
            return await self._ping(self._url)
        try:
            return await self._invocation(self._url, request)
        except TimeoutError:
            log.error("Ray Serve was silent for too long (RAYSERVE_BACKEND_TIMEOUT)")
            return _json(504, {"error": "Request timeout"})
        except aiohttp.ClientConnectorError:
            return _json(503, {"error": "Service unavailable"})
        except aiohttp.ClientError as error:
            log.error("Ray Serve's answer broke off: %s", error)
            return _json(500, {"error": str(error)})

    async def _ping(self, url: str) -> web.Response:
        limit = aiohttp.ClientTimeout(total=_HEALTH_SECONDS)
        try:
            async with self._session.get(f"{url}/-/healthz", timeout=limit) as reply:
                healthy = reply.status == 200
        except (aiohttp.ClientError, TimeoutError):
            healthy = False
        return web.Response(status=200 if healthy else 503)

    async def _invocation(self, url: str, request: web.BaseRequest) -> web.StreamResponse:
        accept = request.headers.get("Accept", _JSON)
        headers = {
            **_own(request.headers),
            "Content-Type": request.headers.get("Content-Type", _JSON),
            "Accept": accept,
        }
        async with self._session.post(
            f"{url}/", data=await read_body(request), headers=headers, allow_redirects=False
        ) as reply:
            kind = _with_charset(reply.headers.get("Content-Type", accept))
            told = {**_own(reply.headers), "Content-Type": kind}
            if not self._streams:
                return web.Response(status=reply.status, body=await reply.read(), headers=told)
            answer = web.StreamResponse(status=reply.status, headers=told)
            await answer.prepare(request)
            try:
                async for part in reply.content.iter_any():
                    await answer.write(part)
                await answer.write_eof()
            except (aiohttp.ClientError, TimeoutError) as error:
                log.error("Ray Serve's answer broke off: %s", error)
                if request.transport is not None:
                    request.transport.abort()  # or what came would pass for the whole
            return answer


def _own(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in headers.items() if name.lower().startswith(_OWN_HEADERS)}


def _with_charset(content_type: str) -> str:
    """As Starlette writes it, which the adapter gives the type to."""
    if content_type.startswith("text/") and "charset=" not in content_type.lower():
        return f"{content_type}; charset=utf-8"
    return content_type


def _json(status: int, document: Mapping[str, str]) -> web.Response:
    return web.Response(
        status=status, body=json.dumps(document).encode(), headers={"Content-Type": _JSON}
    )
