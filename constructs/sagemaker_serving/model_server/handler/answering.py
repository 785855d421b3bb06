"""One request to the Python service: its Context, its handlers, its answer."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import falcon
import requests

from sagemaker_serving.model_server.attributes import (
    CUSTOM_ATTRIBUTES_HEADER,
    BadAttribute,
    UnreadableAttributes,
)
from sagemaker_serving.model_server.contract import HandlerRules
from sagemaker_serving.model_server.conversion import CSV_TYPE, JSON_TYPES, media_type
from sagemaker_serving.model_server.handler.falcon_answers import Uncaught, give
from sagemaker_serving.model_server.handler.user_code import Handler, HandlerPair

if TYPE_CHECKING:
    import grpc

log = logging.getLogger("handler")

Handlers = Handler | HandlerPair | None
"""The user's; None stands for the container's own."""

Answer = tuple[Any, str]
"""What every handler should return: the body (bytes or text) and its content type."""


class Readable(Protocol):
    """The request's body as handlers get it."""

    def read(self) -> bytes:
        """All of it."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """The engine that a request is for."""

    rest_port: int

    grpc_port: str | int
    """A text, and in multi-model mode a number."""

    default_model: str

    model: str | None = None
    """The one that the path names, in multi-model mode: it wins over the attributes."""

    channel: grpc.Channel | None
    """None in multi-model mode."""


class Answerer:
    """Answers by the rules of a generation; an engine may take ``timeout_seconds`` for a call."""

    def __init__(self, rules: HandlerRules, timeout_seconds: int) -> None:
        self._rules = rules
        self._timeout_seconds = timeout_seconds
        self._session = requests.Session()

    def answer(
        self,
        request: falcon.Request,
        response: falcon.Response,
        target: Target,
        handlers: Handlers,
    ) -> None:
        """The answer; 400 for a bad tfs-* attribute, 500 and ``{"error": …}`` for exceptions."""
        try:
            context = self._context(request, target)
        except BadAttribute as error:
            fail(response, falcon.HTTP_400, str(error))
            return
        except UnreadableAttributes:
            raise Uncaught from None
        kind = media_type(request.content_type)
        checks = handlers is None and self._rules.checks_content_type
        if checks and kind and kind not in JSON_TYPES | {CSV_TYPE}:
            fail(response, falcon.HTTP_415, f"Unsupported Media Type: {kind}")
            return
        try:
            body, content_type = self._answer(handlers, request.stream, context)
        except Exception as error:
            if self._rules.http_errors and isinstance(error, falcon.HTTPError):
                raise
            log.exception("exception handling request: %s", error)
            fail(response, falcon.HTTP_500, str(error))
        else:
            give(response, body, content_type, self._rules.falcon_major)

    def _context(self, request: falcon.Request, target: Target) -> AnyContext:
        header = request.get_header(CUSTOM_ATTRIBUTES_HEADER)
        attributes = self._rules.attributes(header)
        if target.model is not None:
            attributes = replace(attributes, model_name=target.model)
        context = Context(
            model_name=attributes.model_name,
            model_version=attributes.model_version,
            method=attributes.method,
            rest_uri=f"http://localhost:{target.rest_port}{attributes.path(target.default_model)}",
            grpc_port=target.grpc_port,
            channel=target.channel,
            custom_attributes=header,
            request_content_type=request.get_header("Content-Type") or DEFAULT_CONTENT_TYPE,
            accept_header=request.get_header("Accept") or DEFAULT_ACCEPT,
            content_length=request.content_length,
            timeout=self._timeout_seconds,
        )
        return context if self._rules.has_timeout else context.without_timeout()

    def _answer(self, handlers: Handlers, data: Readable, context: AnyContext) -> Answer:
        if handlers is None:
            response = self._post(data.read().decode("utf-8"), context)
            return response.content, context.accept_header
        answer: Answer
        if isinstance(handlers, HandlerPair):
            response = self._post(handlers.input_handler(data, context), context)
            answer = handlers.output_handler(response, context)
        else:
            answer = handlers(data, context)
        return answer

    def _post(self, data: Any, context: AnyContext) -> requests.Response:
        """The engine's answer; where HTTP errors count, one of the engine ends the request."""
        timeout = self._timeout_seconds if self._rules.has_timeout else None
        response = self._session.post(context.rest_uri, data=data, timeout=timeout)
        if self._rules.http_errors and response.status_code != 200:
            raise falcon.HTTPError(
                str(response.status_code),
                description=response.content.decode("utf-8", "replace"),
            )
        return response


def fail(response: falcon.Response, status: str, message: str) -> None:
    """Answer with ``{"error": message}``."""
    response.status = status
    response.content_type = falcon.MEDIA_JSON
    response.data = json.dumps({"error": message}).encode()


DEFAULT_CONTENT_TYPE = "application/json"
DEFAULT_ACCEPT = "application/json"


class Context(NamedTuple):
    """The second argument of every handler since image 2.20."""

    model_name: str | None
    """tfs-model-name of the request; None when it names none."""

    model_version: str | None
    method: str | None

    rest_uri: str
    """Where TensorFlow Serving's REST API answers this request's model and method."""

    grpc_port: str | int
    """Where its gRPC API does; a text, and in multi-model mode a number."""

    channel: grpc.Channel | None
    """An insecure one to that port; None in multi-model mode."""

    custom_attributes: str | None
    request_content_type: str
    accept_header: str
    content_length: int | None
    timeout: int
    """Seconds that a call of ``rest_uri`` may take (SAGEMAKER_TFS_WAIT_TIME_SECONDS)."""

    def without_timeout(self) -> ContextTo219:
        """The same as older images have it."""
        return ContextTo219(*self[:-1])


class ContextTo219(NamedTuple):
    """The second argument of every handler up to image 2.19: ten fields, as in `Context`."""

    model_name: str | None
    model_version: str | None
    method: str | None
    rest_uri: str
    grpc_port: str | int
    channel: grpc.Channel | None
    custom_attributes: str | None
    request_content_type: str
    accept_header: str
    content_length: int | None


AnyContext = Context | ContextTo219
