"""The worker's resources: /invocations and /ping, in falcon."""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import falcon
import requests

from sagemaker_serving.local.server.attributes import (
    CUSTOM_ATTRIBUTES_HEADER,
    BadAttribute,
    UnreadableAttributes,
)
from sagemaker_serving.local.server.contract import HandlerRules
from sagemaker_serving.local.server.conversion import CSV_TYPE, JSON_TYPES, media_type
from sagemaker_serving.local.server.handler.context import (
    DEFAULT_ACCEPT,
    DEFAULT_CONTENT_TYPE,
    AnyContext,
    Context,
    NoChannel,
)
from sagemaker_serving.local.server.handler.user_code import Handler, HandlerPair

log = logging.getLogger("handler")


class Readable(Protocol):
    """The request's body as handlers get it."""

    def read(self) -> bytes:
        """All of it."""


Answer = tuple[Any, str]
"""What every handler returns: the body (bytes or text) and its content type."""


@dataclass(frozen=True, kw_only=True)
class Upstream:
    """Where the engines are, and how long one may take to answer."""

    rest_ports: Sequence[int]
    grpc_ports: Sequence[int]
    default_model: str
    timeout_seconds: int


def application(
    upstream: Upstream, handlers: Handler | HandlerPair | None, rules: HandlerRules
) -> falcon.App:
    """The falcon application; without handlers, requests go to the engine as they come."""
    app = falcon.App()
    app.add_route("/ping", Ping())
    app.add_route("/invocations", Invocations(upstream, handlers, rules))
    return app


class Ping:
    """GET /ping: this worker runs."""

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """200, empty."""
        response.status = falcon.HTTP_200


class Invocations:
    """/invocations: the user's handlers, or the default one."""

    def __init__(
        self, upstream: Upstream, handlers: Handler | HandlerPair | None, rules: HandlerRules
    ) -> None:
        self._upstream = upstream
        self._rules = rules
        self._session = requests.Session()
        self._checks_content_type = handlers is None and rules.checks_content_type
        self._answer = self._default if handlers is None else self._chosen(handlers)

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """200 and {}, or a 500: in single-model mode there is no list of models to show."""
        if not self._rules.answers_get:
            raise falcon.HTTPInternalServerError
        response.text = "{}"

    def on_post(self, request: falcon.Request, response: falcon.Response) -> None:
        """The answer; 400 for a bad tfs-* attribute, 500 and ``{"error": …}`` for exceptions."""
        try:
            context = self._context(request)
        except BadAttribute as error:
            _fail(response, falcon.HTTP_400, str(error))
            return
        except UnreadableAttributes:
            raise falcon.HTTPInternalServerError from None
        kind = media_type(request.content_type)
        if self._checks_content_type and kind and kind not in JSON_TYPES | {CSV_TYPE}:
            _fail(response, falcon.HTTP_415, f"Unsupported Media Type: {kind}")
            return
        try:
            body, content_type = self._answer(request.stream, context)
            response.data = _bytes(body)
            response.content_type = content_type
        except Exception as error:
            if self._rules.http_errors and isinstance(error, falcon.HTTPError):
                raise
            log.exception("exception handling request: %s", error)
            _fail(response, falcon.HTTP_500, str(error))

    def _context(self, request: falcon.Request) -> AnyContext:
        header = request.get_header(CUSTOM_ATTRIBUTES_HEADER)
        attributes = self._rules.attributes(header)
        instance = random.randrange(len(self._upstream.rest_ports))
        path = attributes.path(self._upstream.default_model)
        context = Context(
            model_name=attributes.model_name,
            model_version=attributes.model_version,
            method=attributes.method,
            rest_uri=f"http://localhost:{self._upstream.rest_ports[instance]}{path}",
            grpc_port=str(self._upstream.grpc_ports[instance]),
            channel=NoChannel(),
            custom_attributes=header,
            request_content_type=request.get_header("Content-Type") or DEFAULT_CONTENT_TYPE,
            accept_header=request.get_header("Accept") or DEFAULT_ACCEPT,
            content_length=request.content_length,
            timeout=self._upstream.timeout_seconds,
        )
        return context if self._rules.has_timeout else context.without_timeout()

    def _chosen(self, handlers: Handler | HandlerPair) -> Callable[[Readable, AnyContext], Answer]:
        if not isinstance(handlers, HandlerPair):
            return handlers

        def around_the_engine(data: Readable, context: AnyContext) -> Answer:
            response = self._post(handlers.input_handler(data, context), context)
            answer: Answer = handlers.output_handler(response, context)
            return answer

        return around_the_engine

    def _default(self, data: Readable, context: AnyContext) -> Answer:
        response = self._post(data.read().decode("utf-8"), context)
        return response.content, context.accept_header

    def _post(self, data: Any, context: AnyContext) -> requests.Response:
        """The engine's answer; where HTTP errors count, one of the engine ends the request."""
        timeout = self._upstream.timeout_seconds if self._rules.has_timeout else None
        response = self._session.post(context.rest_uri, data=data, timeout=timeout)
        if self._rules.http_errors and response.status_code != 200:
            raise falcon.HTTPError(
                str(response.status_code),
                description=response.content.decode("utf-8", "replace"),
            )
        return response


def _bytes(body: Any) -> bytes:
    if isinstance(body, str):
        return body.encode()
    if body is None or isinstance(body, bytes | bytearray | memoryview):
        return bytes(body or b"")
    raise TypeError(
        "a handler must return (body, content type) with a body of bytes or text; "
        f"it returned {type(body).__name__}"
    )


def _fail(response: falcon.Response, status: str, message: str) -> None:
    response.status = status
    response.content_type = falcon.MEDIA_JSON
    response.data = json.dumps({"error": message}).encode()
