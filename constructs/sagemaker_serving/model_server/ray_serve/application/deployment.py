"""A PyTorch model behind Ray Serve: ``inference.py`` is called as AWS's PyTorch image calls it.

Packed beside the model by ``sagemaker-serving package --for ray-serve``, with the modules that it
imports. It has a replica for each GPU, or as many as SAGEMAKER_MODEL_SERVER_WORKERS says.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

from ray import serve
from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from sagemaker_serving.model_server.pytorch.service import load
from sagemaker_serving.model_server.toolkit.service import Request
from sagemaker_serving.model_server.toolkit.settings import read_settings


def _gpus() -> int:
    """How many GPUs there are, as the image's entry point counts them for Ray."""
    if shutil.which("nvidia-smi") is None:
        return 0
    listed = subprocess.run(
        ["nvidia-smi", "--list-gpus"], capture_output=True, text=True, check=False
    )
    return len(listed.stdout.splitlines())


_GPUS = _gpus()
_REPLICAS = max(_GPUS, read_settings(os.environ).workers)


class PyTorchModel:
    """The model, loaded, behind the functions of ``inference.py``."""

    def __init__(self) -> None:
        folder = Path(os.environ["SM_MODEL_DIR"])
        os.chdir(folder)  # where TorchServe's workers are, too
        self._model = load(folder, read_settings(os.environ))

    async def __call__(self, http: HttpRequest) -> Response:
        """The answer to one request."""
        request = Request(headers=dict(http.headers), body=await http.body())
        answer = await asyncio.to_thread(self._model.answer, request)
        return Response(answer.body, answer.status, media_type=answer.content_type)


app = serve.deployment(
    PyTorchModel,
    num_replicas=_REPLICAS,
    max_ongoing_requests=1,  # of each, as TorchServe's workers
    ray_actor_options={"num_gpus": _GPUS / _REPLICAS},
).bind()
