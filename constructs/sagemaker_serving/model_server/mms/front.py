"""What TorchServe answers on its one port, as far as SageMaker asks it: /ping, /invocations and
/models.

Source: ``InferenceRequestHandler``, ``ManagementRequestHandler`` and ``HttpRequestHandler`` of
TorchServe 0.12.0, asked on 2026-11-23 (`toolkit.contract`).
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs, unquote

import aiohttp
from aiohttp import web

from sagemaker_serving.model_server.bodies import read_body
from sagemaker_serving.model_server.mms import management
from sagemaker_serving.model_server.mms.models import Model, Models
from sagemaker_serving.model_server.toolkit.contract import loads_models
from sagemaker_serving.model_server.toolkit.service import Answer, document, indented

log = logging.getLogger("front")

_HEADER = "X-Headers-As-Sent"

_NOT_FOUND = document(
    404,
    "ResourceNotFoundException",
    "Requested resource is not found, please refer to API document.",
)
_NOT_ALLOWED = document(
    405,
    "MethodNotAllowedException",
    "Requested method is not allowed, please refer to API document.",
)
_WORKER_DIED = document(500, "InternalServerException", "Worker died.")


class Front:
    """Answers every request to the public port; made into a server by `aiohttp.web.Server`."""

    def __init__(self) -> None:
        self._models: Models | None = None

    def open(self, models: Models) -> None:
        """Let requests through."""
        self._models = models

    async def close(self) -> None:
        """Let no more requests through, and end all models."""
        models, self._models = self._models, None
        if models is not None:
            await models.stop()

    async def handle(self, request: web.BaseRequest) -> web.Response:
        """Route by the path, and by the method where there is no model in it to be asked."""
        raw_path, _, query = request.raw_path.partition("?")
        segments = unquote(raw_path).split("/")
        while segments and not segments[-1]:
            del segments[-1]
        parameters = {name: values[0] for name, values in parse_qs(query, True).items()}
        if segments[1:2] == ["ping"]:
            return _response(_health(self._models))
        if self._models is None:
            return _response(_no_worker("model"))
        return await self._routed(self._models, request, segments, parameters)

    async def _routed(
        self,
        models: Models,
        request: web.BaseRequest,
        segments: Sequence[str],
        parameters: Mapping[str, str],
    ) -> web.Response:
        match segments[1:]:
            case []:
                return _response(_NOT_ALLOWED)
            case ["invocations"]:
                name = parameters.get("model_name") or _only_at_start(models)
                return await self._invocation(models, request, name)
            case ["models", name, "invoke"]:
                return await self._invocation(models, request, name)
            case ["models", *rest] if len(rest) < 2:
                return await self._managed(models, request, rest, parameters)
        return _response(_NOT_FOUND)

    async def _managed(
        self,
        models: Models,
        request: web.BaseRequest,
        names: Sequence[str],
        parameters: Mapping[str, str],
    ) -> web.Response:
        method, contract = request.method, models.container.contract
        can_load = contract is not None and loads_models(contract, os.environ)
        match method, names:
            case "GET", []:
                return _response(management.listing(models, parameters))
            case "POST", [] if can_load:
                kind, body = request.headers.get("Content-Type", ""), await read_body(request)
                return _response(await management.register(models, kind, body, parameters))
            case "GET", [name]:
                return _response(management.description(models, name))
            case "PUT", [name]:
                return _response(management.scaling(models, name))
            case "DELETE", [name] if can_load:
                return _response(await management.unregister(models, name))
        return _response(_NOT_ALLOWED)

    async def _invocation(
        self,
        models: Models,
        request: web.BaseRequest,
        name: str | None,
    ) -> web.Response:
        """What the model of that name says."""
        body = await read_body(request)
        if len(body) > models.container.settings.largest_request_bytes:
            return web.Response(status=413)
        if name is None:
            message = "Parameter model_name is required."
            return _response(document(400, "BadRequestException", message))
        model = models.get(name)
        if model is None:
            return _response(management.not_found(name))
        if model.under_way >= models.container.settings.queue_size:
            return _response(_no_worker(name))
        model.under_way += 1
        try:
            await model.is_settled.wait()
            headers = {_HEADER: _as_sent(request)}
            return _response(await _asked(models, model, headers, body))
        finally:
            model.under_way -= 1


async def _asked(models: Models, model: Model, headers: Mapping[str, str], body: bytes) -> Answer:
    if model.workers is None:
        return _no_worker(model.name)
    try:
        reply = await model.workers.connections.request("POST", "/", headers=headers, body=body)
    # RuntimeError: the model was unloaded meanwhile, and its connections are closed.
    except (aiohttp.ClientError, ConnectionError, TimeoutError, RuntimeError):
        log.error("the worker of %s died, or exceeded the time of one request", model.name)
        return _WORKER_DIED
    if len(reply.body) > models.container.settings.largest_response_bytes:
        log.error("the answer has %d bytes, too many for the server", len(reply.body))
        return _WORKER_DIED
    kind = reply.headers.get("Content-Type")
    return Answer(status=reply.status, body=reply.body, content_type=kind)


def _only_at_start(models: Models) -> str | None:
    """The model that /invocations means: the only one that the container began with."""
    names = [model.name for model in models.all() if model.at_start]
    return names[0] if len(names) == 1 else None


def _as_sent(request: web.BaseRequest) -> str:
    """The caller's headers in JSON, as they were spelt; of one that comes twice, the last."""
    sent = {name.decode("latin-1"): text.decode("latin-1") for name, text in request.raw_headers}
    return json.dumps(sent)


def _health(models: Models | None) -> Answer:
    """Unhealthy until the model of single mode is loaded."""
    is_healthy = models is not None
    body = indented({"status": "Healthy" if is_healthy else "Unhealthy"})
    return Answer(status=200 if is_healthy else 500, body=body, content_type="application/json")


def _no_worker(name: str) -> Answer:
    return document(
        503,
        "ServiceUnavailableException",
        f'Model "{name}" has no worker to serve inference request. Please use scale workers API to '
        "add workers. If this is a sequence inference, please check if it is closed, or expired; "
        "or exceeds maxSequenceJobQueueSize",
    )


def _response(answer: Answer) -> web.Response:
    headers = {} if answer.content_type is None else {"Content-Type": answer.content_type}
    return web.Response(status=answer.status, body=answer.body, headers=headers)
