"""``python -m sagemaker_serving.model_server.stub``: no model, and every answer says so."""

from __future__ import annotations

import shutil
import socket
import sys
from pathlib import Path

from aiohttp import web

from sagemaker_serving.model_server.entry import container_arguments, run
from sagemaker_serving.model_server.supervisor import listen_http, stop_event

ATTRIBUTES = "X-Amzn-SageMaker-Custom-Attributes"
"""The one header of a container that InvokeEndpoint hands on."""

SAYS = "local-aws-stub=true"
STUB = {
    "stub": "no model has answered: a stub of the local AWS stands in for this image, as "
    "`sagemaker-serving local up --engine REPOSITORY=stub` says"
}


async def serve(
    model: Path, public: socket.socket, scratch: Path, *, parent_fd: int | None
) -> None:
    """Answer on the listening socket ``public`` until told to stop; ``model`` is not looked at.

    /ping is a 200 without a body, all else one with `STUB` and the header `ATTRIBUTES`.
    """
    stopping = stop_event(parent_fd)
    server = await listen_http(_answer, public)
    try:
        await stopping.wait()
    finally:
        await server.cleanup()
        shutil.rmtree(scratch, ignore_errors=True)


async def _answer(request: web.BaseRequest) -> web.Response:
    if request.path == "/ping":
        return web.Response()
    return web.json_response(STUB, headers={ATTRIBUTES: SAYS})


if __name__ == "__main__":
    sys.exit(run(container_arguments("sagemaker_serving.model_server.stub").parse_args(), serve))
