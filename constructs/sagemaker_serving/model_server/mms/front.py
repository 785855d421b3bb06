"""What TorchServe answers on its one port."""

from __future__ import annotations

import json
import logging

import aiohttp
from aiohttp import web

from sagemaker_serving.model_server.bodies import read_body
from sagemaker_serving.model_server.toolkit.service import Answer, document
from sagemaker_serving.model_server.toolkit.settings import Settings
from sagemaker_serving.model_server.worker import Worker

log = logging.getLogger("front")

_HEADER = "X-Headers-As-Sent"

_HEALTH = "application/json"
_NOT_FOUND = document(
    404,
    "ResourceNotFoundException",
    "Requested resource is not found, please refer to API document.",
)
_WORKER_DIED = document(500, "InternalServerException", "Worker died.")
_NO_WORKER = document(
    503,
    "ServiceUnavailableException",
    'Model "model" has no worker to serve inference request. Please use scale workers API to add '
    "workers. If this is a sequence inference, please check if it is closed, or expired; or "
    "exceeds maxSequenceJobQueueSize",
)


class Front:
    """Answers every request to the public port; made into a server by `aiohttp.web.Server`."""

    def __init__(self) -> None:
        self._worker: Worker | None = None
        self._settings: Settings | None = None
        self._under_way = 0

    def open(self, worker: Worker, settings: Settings) -> None:
        """Let requests through."""
        self._worker, self._settings = worker, settings

    def close(self) -> None:
        """Let no more requests through."""
        self._worker = None

    async def handle(self, request: web.BaseRequest) -> web.Response:
        """Route by the path, whatever the method."""
        path = request.raw_path.partition("?")[0]
        if path == "/ping":
            return _health(is_healthy=self._worker is not None)
        if path != "/invocations":
            return _response(_NOT_FOUND)
        if self._worker is None or self._settings is None:
            return _response(_NO_WORKER)
        return await self._invocation(self._worker, self._settings, request)

    async def _invocation(
        self, worker: Worker, settings: Settings, request: web.BaseRequest
    ) -> web.Response:
        body = await read_body(request)
        if len(body) > settings.largest_request_bytes:
            return web.Response(status=413)
        if self._under_way >= settings.queue_size:
            return _response(_NO_WORKER)
        self._under_way += 1
        try:
            reply = await worker.request(
                "POST", "/", headers={_HEADER: _as_sent(request)}, body=body
            )
        except (aiohttp.ClientError, ConnectionError, TimeoutError):
            log.error("the worker died, or exceeded the time of one request")
            return _response(_WORKER_DIED)
        finally:
            self._under_way -= 1
        if len(reply.body) > settings.largest_response_bytes:
            log.error("the answer has %d bytes, too many for the server", len(reply.body))
            return _response(_WORKER_DIED)
        kind = reply.headers.get("Content-Type")
        return _response(Answer(status=reply.status, body=reply.body, content_type=kind))


def _as_sent(request: web.BaseRequest) -> str:
    """The caller's headers in JSON, as they were spelt; of one that comes twice, the last."""
    return json.dumps(
        {name.decode("latin-1"): text.decode("latin-1") for name, text in request.raw_headers}
    )


def _health(*, is_healthy: bool) -> web.Response:
    text = json.dumps({"status": "Healthy" if is_healthy else "Unhealthy"}, indent=2)
    return web.Response(
        status=200 if is_healthy else 500, body=f"{text}\n".encode(), content_type=_HEALTH
    )


def _response(answer: Answer) -> web.Response:
    headers = {} if answer.content_type is None else {"Content-Type": answer.content_type}
    return web.Response(status=answer.status, body=answer.body, headers=headers)
