"""Writing down what a model server is asked, and what it answers, as golden requests."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import aiohttp
from aiohttp import web

from sagemaker_serving.model_server.bodies import read_body
from sagemaker_serving.model_server.browsers import without_browsers
from sagemaker_serving.model_server.front import HOP_BY_HOP
from sagemaker_serving.model_server.places import Place
from sagemaker_serving.model_server.ports import BACKLOG, listen
from sagemaker_serving.operations.golden import Answer, Exchange, Request, append_exchange

_HEADERS = {
    "content_type": "Content-Type",
    "accept": "Accept",
    "custom_attributes": "X-Amzn-SageMaker-Custom-Attributes",
}
_NO_AUTOMATIC_HEADERS = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")


@contextmanager
def recording(server: Place, port: int, file: Path) -> Iterator[int]:
    """Stand before the server at ``server``; every POST /invocations is added to ``file``.

    Yields the port it listens on: ``port``, or a free one for 0. Other
    requests pass unrecorded. Raises `Mistake` when the port is in use.
    """
    recorder = _Recorder(server, file)
    with listen(port) as public:
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="recording", daemon=True)
        thread.start()
        asyncio.run_coroutine_threadsafe(recorder.start(public), loop).result()
        try:
            yield public.getsockname()[1]
        finally:
            asyncio.run_coroutine_threadsafe(recorder.stop(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()


class _Recorder:
    def __init__(self, server: Place, file: Path) -> None:
        self._server = server
        self._file = file
        self._runner: web.ServerRunner | None = None
        self._session: aiohttp.ClientSession | None = None

    async def start(self, public: socket.socket) -> None:
        self._session = aiohttp.ClientSession(
            connector=_connector(self._server),
            auto_decompress=False,
            skip_auto_headers=_NO_AUTOMATIC_HEADERS,
            timeout=aiohttp.ClientTimeout(total=None),
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        handle = without_browsers(self._pass)
        server = web.Server(handle, access_log=None, auto_decompress=False)
        self._runner = web.ServerRunner(server)
        await self._runner.setup()
        await web.SockSite(self._runner, public, backlog=BACKLOG).start()

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
        if self._session is not None:
            await self._session.close()

    async def _pass(self, request: web.BaseRequest) -> web.Response:
        assert self._session is not None
        body = await read_body(request)
        async with self._session.request(
            request.method,
            (self._server.url or "http://localhost") + request.raw_path,
            headers=_end_to_end(request.headers),
            data=body,
            allow_redirects=False,
        ) as response:
            answer = await response.read()
        if request.method == "POST" and request.raw_path == "/invocations":
            self._write(request.headers, body, Answer(status=response.status, body=answer))
        return web.Response(
            status=response.status, headers=_end_to_end(response.headers), body=answer
        )

    def _write(self, headers: Mapping[str, str], body: bytes, answer: Answer) -> None:
        given = {key: headers[name] for key, name in _HEADERS.items() if name in headers}
        request = Request(body=body, **{"content_type": "", **given})
        append_exchange(self._file, Exchange(request=request, expected=answer))


def _connector(server: Place) -> aiohttp.BaseConnector:
    if server.socket_path is None:
        return aiohttp.TCPConnector(limit=0)
    return aiohttp.UnixConnector(str(server.socket_path), limit=0)


def _end_to_end(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in HOP_BY_HOP}
