"""What the container answers on its one public port: nginx, in other words."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable
from typing import Protocol

import aiohttp

from sagemaker_serving.model_server.attributes import (
    CUSTOM_ATTRIBUTES_HEADER,
    Attributes,
    BadAttribute,
)
from sagemaker_serving.model_server.contract import Contract
from sagemaker_serving.model_server.conversion import ScriptFailed, UnsupportedMediaType
from sagemaker_serving.model_server.link import LinkClient, LinkLost, Reply
from sagemaker_serving.model_server.nginx.messages import Answer, Lines, Request, page
from sagemaker_serving.model_server.nginx.paths import escaped
from sagemaker_serving.model_server.worker import Worker

log = logging.getLogger("front")

INLINE_BYTES = 1024 * 1024
"""Bodies up to this size are converted at once: that holds up nobody for long."""

HOP_BY_HOP = frozenset(
    {
        *("connection", "keep-alive", "host", "transfer-encoding", "content-length", "upgrade"),
        *("te", "expect", "date", "server"),
    }
)
"""What nginx passes on in neither direction, or writes itself (ngx_http_proxy_headers,
ngx_http_upstream_hide_headers)."""

_MODEL_IN_PATH = re.compile(r"/models/[^,]+/invoke")
_BELOW_TFS = re.compile(r"/tfs(/.*)")


class Backend(Protocol):
    """What stands behind /ping, /invocations and /models."""

    async def ping(self, request: Request) -> Answer:
        """Whether the container is healthy: 200 or not."""

    async def invocations(self, request: Request) -> Answer:
        """A prediction."""

    async def models(self, request: Request) -> Answer:
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
        """The answer of the engine whose turn it is.

        Raises `ConnectionError` when none is there or it dies, `TimeoutError` when it is late.
        """
        return await self._next().request(method, path, body)

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
    """Answers every request to the public port; made into a server by `nginx.server.HttpServer`.

    After `close` every path but a 404 answers 502, as nginx does when nothing listens behind it.
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

    async def handle(self, request: Request) -> Answer:
        """Route by prefix, as nginx's locations do, whatever the method."""
        path = request.head.path
        if not path.startswith(("/ping", "/invocations", "/models", "/tfs")):
            return Answer(status=404, body=b'{"error": "Not Found"}')
        if self._backend is None:
            return Answer(status=502)
        try:
            if path.startswith("/invocations"):
                return await self._backend.invocations(request)
            if path.startswith("/ping"):
                return await self._backend.ping(request)
            if path.startswith("/models"):
                return await self._backend.models(request)
            if self._engines is None:
                return Answer(status=502)
            return await _to_engine(self._engines, request)
        except TimeoutError:
            return Answer(status=504)
        except (aiohttp.ClientError, ConnectionError):
            return Answer(status=502)


class WithoutCode:
    """No code in the model: bodies are converted and go to the engines."""

    def __init__(self, engines: Engines, default_model: str, contract: Contract) -> None:
        self._engines = engines
        self._default_model = default_model
        self._contract = contract

    async def ping(self, request: Request) -> Answer:
        """200 when the model is available, which may be one that the attributes name.

        Otherwise nginx's page of a 502; 400 for attributes that are judged.
        """
        try:
            attributes = self._attributes(request, judges_method=False)
        except BadAttribute as error:
            return self._error(400, str(error))
        reply = await self._asked("GET", attributes.model_path(self._model(request)))
        if reply.status == 200 and b'"AVAILABLE"' in reply.body:
            return Answer(status=200, body=b"")
        log.error("failed ping%s", reply.body.decode(errors="replace"))
        return Answer(status=502)

    async def invocations(self, request: Request) -> Answer:
        """A prediction by any method; 400 and 415 are this process's, the rest the engine's."""
        conversion = self._contract.conversion
        try:
            document = await self._converted(self._header(request, "content-type"), request.body)
            attributes = self._attributes(request)
        except UnsupportedMediaType as error:
            return self._error(415, str(error))
        except BadAttribute as error:
            return self._error(400, str(error))
        except ScriptFailed:
            return Answer(status=500)
        reply = await self._asked("POST", attributes.path(self._model(request)), document)
        answer = reply.body
        if reply.status == 400:
            answer = answer.replace(rb"\'instances\'", b"'instances'", 1)
        body, kind = conversion.accepted(self._header(request, "accept"), answer)
        return Answer(status=reply.status, body=body, lines=(("Content-Type", kind),))

    async def models(self, request: Request) -> Answer:
        """Nothing manages models here."""
        return Answer(status=502)

    async def _asked(self, method: str, path: str, body: bytes = b"") -> Reply:
        """The engines' answer to a subrequest, which may be nginx's page of a 502 or a 504."""
        try:
            return await self._engines.request(method, path, body)
        except TimeoutError:
            return Reply(504, page(504, self._contract.nginx))
        except ConnectionError:
            return Reply(502, page(502, self._contract.nginx))

    async def _converted(self, content_type: str | None, body: bytes | None) -> bytes:
        convert = self._contract.conversion.to_tfs_json
        if body is None or len(body) <= INLINE_BYTES:
            return convert(content_type, body)
        return await asyncio.to_thread(convert, content_type, body)

    def _attributes(self, request: Request, *, judges_method: bool = True) -> Attributes:
        header = self._header(request, CUSTOM_ATTRIBUTES_HEADER.lower())
        return self._contract.front_attributes(header, judges_method=judges_method)

    def _header(self, request: Request, name: str) -> str | None:
        """A header as JavaScript has it: of a Content-Type only the first counts."""
        head = request.head
        value = head.get(name) if name == "content-type" else head.joined(name)
        if value is None:
            return None
        return self._contract.conversion.text(value.encode(errors="surrogateescape"))

    def _model(self, request: Request) -> str:
        """The model where the attributes name none: a path may, by accident, for every path does
        that has ``/models/…/invoke`` in it (parse_custom_attributes in tensorflowServing.js)."""
        path = request.head.path
        if not _MODEL_IN_PATH.search(path):
            return self._default_model
        return path.replace("/models/", "", 1).replace("/invoke", "", 1)

    def _error(self, status: int, message: str) -> Answer:
        text = self._contract.conversion.error(message)
        # What of a header was no UTF-8 goes back as JavaScript has it.
        return Answer(status=status, body=text.encode(errors="surrogateescape"))


class WithCode:
    """The model brings code: everything is the handler worker's answer.

    In single-model mode it has none for /models, which is a 404.
    """

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    async def invocations(self, request: Request) -> Answer:
        """The worker's answer."""
        head = request.head
        reply = await self._worker.request(
            head.method,
            _proxied(request),
            headers=_end_to_end(head.lines),
            body=request.body,
        )
        return Answer(
            status=reply.status, body=reply.body, lines=_end_to_end(reply.headers.items())
        )

    ping = models = invocations


def _proxied(request: Request) -> str:
    """The path as a ``proxy_pass`` to one writes it (ngx_http_proxy_create_request)."""
    head = request.head
    is_quoted = "%" in head.target.partition("?")[0]
    path = _escaped(head.path) if is_quoted else head.path
    return f"{path}?{head.arguments}" if head.arguments else path


def _escaped(path: str) -> str:
    return escaped(path.encode(errors="surrogateescape")).decode()


async def _to_engine(engines: Engines, request: Request) -> Answer:
    """What lies below /tfs/, up to a line break, without any header of the request."""
    head = request.head
    path, arguments = head.target, ""
    found = _BELOW_TFS.match(head.path)
    if found:
        path, arguments = _escaped(found[1]), head.arguments
    path = f"{path}?{arguments}" if arguments else path
    reply = await engines.request(head.method, path, request.body or b"")
    return Answer(
        status=reply.status, body=reply.body, lines=(("Content-Type", reply.content_type),)
    )


def _end_to_end(lines: Iterable[tuple[str, str]]) -> Lines:
    return tuple((name, value) for name, value in lines if name.lower() not in HOP_BY_HOP)
