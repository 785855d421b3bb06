"""What the container answers on its one public port: nginx, in other words."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Protocol

import aiohttp
from aiohttp import web

from sagemaker_serving.model_server.attributes import CUSTOM_ATTRIBUTES_HEADER, BadAttribute
from sagemaker_serving.model_server.bodies import read_body
from sagemaker_serving.model_server.contract import Contract
from sagemaker_serving.model_server.conversion import JSON_TYPE, UnsupportedMediaType
from sagemaker_serving.model_server.link import LinkClient, LinkLost, Reply
from sagemaker_serving.model_server.worker import Worker

log = logging.getLogger("front")

INLINE_BYTES = 1024 * 1024
"""Bodies up to this size are converted at once: that holds up nobody for long."""

HOP_BY_HOP = frozenset(
    {"connection", "keep-alive", "host", "transfer-encoding", "content-length", "upgrade"}
)
"""Headers about a connection rather than a message."""


class Backend(Protocol):
    """What stands behind /ping, /invocations and /models."""

    async def ping(self, request: web.BaseRequest) -> web.Response:
        """Whether the container is healthy: 200 or not."""

    async def invocations(self, request: web.BaseRequest) -> web.Response:
        """A prediction."""

    async def models(self, request: web.BaseRequest) -> web.Response:
        """Multi-model mode's management."""


class Engines:
    """The engines, which all answer alike, taken in turn.

    An engine that is gone is passed over, until it is connected again.
    """

    def __init__(self) -> None:
        self._links: dict[int, LinkClient] = {}
        self._turn = 0

    def connect(self, instance: int, link: LinkClient) -> None:
        """Ask engine number ``instance`` by ``link`` from now on."""
        self._links[instance] = link

    async def request(self, method: str, path: str, body: bytes = b"") -> Reply:
        """The answer of the engine whose turn it is; nginx's 502 or 504 when none comes."""
        try:
            return await self._next().request(method, path, body)
        except TimeoutError:
            return Reply(504, nginx_page(504), "text/html")
        except ConnectionError:
            return Reply(502, nginx_page(502), "text/html")

    def close(self) -> None:
        """Hang up on all of them."""
        for link in self._links.values():
            link.close()

    def _next(self) -> LinkClient:
        open_links = [link for link in self._links.values() if link.is_open]
        if not open_links:
            raise LinkLost
        self._turn += 1
        return open_links[self._turn % len(open_links)]


class Front:
    """Answers every request to the public port; made into a server by `aiohttp.web.Server`.

    Until `open` and after `close` every path but a 404 answers 502, as nginx
    does when nothing listens behind it.
    """

    def __init__(self) -> None:
        self._backend: Backend | None = None
        self._engines: Engines | None = None

    def open(self, backend: Backend, engines: Engines | None) -> None:
        """Let requests through; without ``engines``, nothing listens behind /tfs."""
        self._backend = backend
        self._engines = engines

    def close(self) -> None:
        """Let no more requests through."""
        self._backend = self._engines = None

    async def handle(self, request: web.BaseRequest) -> web.Response:
        """Route by prefix, as nginx's locations do, whatever the method."""
        path = request.raw_path
        if not path.startswith(("/ping", "/invocations", "/models", "/tfs")):
            return _json(404, '{"error": "Not Found"}')
        if self._backend is None:
            return _nginx(502)
        try:
            if path.startswith("/invocations"):
                return await self._backend.invocations(request)
            if path.startswith("/ping"):
                return await self._backend.ping(request)
            if path.startswith("/models"):
                return await self._backend.models(request)
            if self._engines is None:
                return _nginx(502)
            return await _to_engine(self._engines, request)
        except TimeoutError:
            return _nginx(504)
        except (aiohttp.ClientError, ConnectionError):
            return _nginx(502)


class WithoutCode:
    """No code in the model: bodies are converted and go to the engines."""

    def __init__(self, engines: Engines, default_model: str, contract: Contract) -> None:
        self._engines = engines
        self._default_model = default_model
        self._attributes = contract.front_attributes
        self._conversion = contract.conversion

    async def ping(self, request: web.BaseRequest) -> web.Response:
        """200 when the default model is available, else 502; the body is empty."""
        reply = await self._engines.request("GET", f"/v1/models/{self._default_model}")
        healthy = reply.status == 200 and b'"AVAILABLE"' in reply.body
        if not healthy:
            log.error("failed ping %s", reply.body.decode(errors="replace"))
        return _json(200 if healthy else 502, "")

    async def invocations(self, request: web.BaseRequest) -> web.Response:
        """A prediction by any method; 400 and 415 are this process's, the rest the engine's."""
        headers = request.headers
        body = await read_body(request)
        try:
            document = await self._converted(headers.get("Content-Type"), body)
            attributes = self._attributes(headers.get(CUSTOM_ATTRIBUTES_HEADER))
        except UnsupportedMediaType as error:
            return self._error(415, str(error))
        except BadAttribute as error:
            return self._error(400, str(error))
        path = attributes.path(self._default_model)
        reply = await self._engines.request("POST", path, document)
        answer = reply.body
        if reply.status == 400:
            answer = answer.replace(rb"\'instances\'", b"'instances'", 1)
        return _bytes(reply.status, *self._conversion.accepted(headers.get("Accept"), answer))

    async def models(self, request: web.BaseRequest) -> web.Response:
        """Nothing manages models here."""
        return _nginx(502)

    async def _converted(self, content_type: str | None, body: bytes) -> bytes:
        convert = self._conversion.to_tfs_json
        if len(body) <= INLINE_BYTES:
            return convert(content_type, body)
        return await asyncio.to_thread(convert, content_type, body)

    def _error(self, status: int, message: str) -> web.Response:
        return _json(status, self._conversion.error(message))


class WithCode:
    """The model brings code: everything goes to the handler worker."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    async def ping(self, request: web.BaseRequest) -> web.Response:
        """The worker's own answer."""
        return await self._pass(request)

    async def invocations(self, request: web.BaseRequest) -> web.Response:
        """The worker's answer."""
        return await self._pass(request)

    async def models(self, request: web.BaseRequest) -> web.Response:
        """The worker's answer, a 404 in single-model mode."""
        return await self._pass(request)

    async def _pass(self, request: web.BaseRequest) -> web.Response:
        reply = await self._worker.request(
            request.method,
            request.raw_path,
            headers=_end_to_end(request.headers),
            body=await read_body(request),
        )
        return web.Response(
            status=reply.status, headers=_end_to_end(reply.headers), body=reply.body
        )


async def _to_engine(engines: Engines, request: web.BaseRequest) -> web.Response:
    path = request.raw_path
    if path.startswith("/tfs/"):
        path = path.removeprefix("/tfs")
    reply = await engines.request(request.method, path, await read_body(request))
    return web.Response(
        status=reply.status, body=reply.body, headers={"Content-Type": reply.content_type}
    )


def _end_to_end(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in HOP_BY_HOP}


def _json(status: int, text: str) -> web.Response:
    # What of a header was no UTF-8 goes back as it came.
    return _bytes(status, text.encode(errors="surrogateescape"), JSON_TYPE)


def _bytes(status: int, body: bytes, content_type: str) -> web.Response:
    return web.Response(status=status, body=body, headers={"Content-Type": content_type})


_REASONS = {502: "Bad Gateway", 504: "Gateway Time-out"}


def _nginx(status: int) -> web.Response:
    return web.Response(
        status=status, body=nginx_page(status), headers={"Content-Type": "text/html"}
    )


def nginx_page(status: int) -> bytes:
    """What nginx says of a failure of its own."""
    title = f"{status} {_REASONS[status]}"
    text = (
        f"<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n"
        f"<center><h1>{title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
    )
    return text.encode()
