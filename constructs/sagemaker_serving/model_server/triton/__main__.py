"""``python -m sagemaker_serving.model_server.triton``: AWS's image of Triton as a program."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import sys
from pathlib import Path

from aiohttp import web

from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.bodies import read_body
from sagemaker_serving.model_server.entry import container_arguments, run
from sagemaker_serving.model_server.modeldir import open_folder_of_models, open_model
from sagemaker_serving.model_server.racing import first_of
from sagemaker_serving.model_server.supervisor import http_server
from sagemaker_serving.model_server.triton.models import (
    OnnxRuntimeModel,
    TritonError,
    load_default,
    load_target,
)
from sagemaker_serving.model_server.triton.protocol import infer

log = logging.getLogger("front")

_TARGET = "X-Amzn-SageMaker-Target-Model"


async def serve(model: Path, public: socket.socket, scratch: Path, stopping: asyncio.Event) -> None:
    """Serve ``model``, a model repository, on the socket ``public`` until ``stopping`` is set.

    With SAGEMAKER_MULTI_MODEL it begins without a model. Raises `ReportedError` when the start
    fails.
    """
    front = _Front()
    async with http_server(front.handle, public) as accept:
        await first_of(_start(front, model, scratch), stopping.wait())
        if not stopping.is_set():
            await accept()
            await stopping.wait()


async def _start(front: _Front, model: Path, scratch: Path) -> None:
    kind = os.environ.get("SAGEMAKER_TRITON_INFERENCE_TYPE", "infer")
    if kind != "infer":
        raise Mistake(
            f"SAGEMAKER_TRITON_INFERENCE_TYPE is {kind!r}; the local AWS has infer alone, and AWS "
            "generate and generate_stream, too"
        )
    for variable in ("SAGEMAKER_TRITON_ADDITIONAL_ARGS", "SAGEMAKER_TRITON_OVERRIDE_PING_MODE"):
        if variable in os.environ:
            log.warning("%s is %r; it is not read here", variable, os.environ[variable])
    if os.environ.get("SAGEMAKER_MULTI_MODEL") == "true":
        open_folder_of_models(model)
    else:
        folder = await asyncio.to_thread(open_model, model, scratch)
        front.default = await asyncio.to_thread(load_default, folder, os.environ)
    log.info("serving /ping and /invocations")


class _Front:
    """Answers what comes to the image's port; models of many by the names that SageMaker gives."""

    def __init__(self) -> None:
        self.default: OnnxRuntimeModel | None = None
        self._models: dict[str, tuple[str, OnnxRuntimeModel]] = {}

    async def handle(self, request: web.BaseRequest) -> web.Response:
        """Route as ``SagemakerAPIServer::Handle`` does; what it does not know is a bare 400."""
        try:
            return await self._routed(request)
        except TritonError as error:
            return _refused(str(error), error.status)

    async def _routed(self, request: web.BaseRequest) -> web.Response:
        root, name, action, *more = (*request.path.split("/")[1:], "", "")
        if request.path == "/ping":
            if request.method != "GET":
                return _refused("Method Not Allowed", 405)
            return web.Response(status=200)
        if request.path == "/invocations":
            if request.method != "POST":
                return _refused("Method Not Allowed", 405)
            if self.default is None:
                return web.Response(status=400)
            return await _answer(self.default, request)
        if root != "models" or any(more) or action not in ("", "invoke"):
            return web.Response(status=400)
        return await self._of_many(request, name, action)

    async def _of_many(self, request: web.BaseRequest, name: str, action: str) -> web.Response:
        """The contract of containers with many models: list, look, load, invoke and unload."""
        if request.method == "GET" and not name:
            found = [
                {"modelName": each, "modelUrl": url} for each, (url, _) in self._models.items()
            ]
            return web.json_response({"models": found})
        if request.method == "POST" and not name:
            return await self._load(request)
        if name not in self._models:
            return web.Response(status=404)
        url, model = self._models[name]
        if request.method == "GET":
            return web.json_response({"modelName": name, "modelUrl": url})
        if request.method == "POST" and action:
            return await _answer(model, request)
        if request.method == "DELETE":
            del self._models[name]
            return web.Response()
        return web.Response(status=400)

    async def _load(self, request: web.BaseRequest) -> web.Response:
        try:
            asked = json.loads(await read_body(request))
            name, url = str(asked["model_name"]), str(asked["url"])
        except (ValueError, TypeError, KeyError):
            return web.Response(status=400)
        if name in self._models:
            return _refused(f"model {name!r} is loaded already", 409)
        shown = request.headers.get(_TARGET, name)
        try:
            model = await asyncio.to_thread(load_target, Path(url), shown)
        except Mistake as mistake:
            return _refused(str(mistake), 400)
        self._models[name] = url, model
        return web.Response()


async def _answer(model: OnnxRuntimeModel, request: web.BaseRequest) -> web.Response:
    body = await read_body(request)
    kind = request.headers.get("Content-Type")
    answer, content_type = await asyncio.to_thread(infer, model, kind, body)
    return web.Response(body=answer, headers={"Content-Type": content_type})


def _refused(message: str, status: int) -> web.Response:
    body = json.dumps({"error": message}, separators=(",", ":")).encode()
    return web.Response(body=body, status=status, headers={"Content-Type": "application/json"})


if __name__ == "__main__":
    arguments = container_arguments("sagemaker_serving.model_server.triton").parse_args()
    sys.exit(run(arguments, serve))
