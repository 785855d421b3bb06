"""A container's life: listen, load the model, watch it, end all; or wait to be told of models."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NoReturn

from sagemaker_serving.archive.handlers import place_of_script
from sagemaker_serving.model_server import neo
from sagemaker_serving.model_server.mms.front import Front
from sagemaker_serving.model_server.mms.loading import contract_of, largest_of
from sagemaker_serving.model_server.mms.models import Model, Models
from sagemaker_serving.model_server.mms.view import show
from sagemaker_serving.model_server.mms.workers import Container, Workers
from sagemaker_serving.model_server.modeldir import open_folder_of_models, open_model
from sagemaker_serving.model_server.programs import Program
from sagemaker_serving.model_server.racing import first_of
from sagemaker_serving.model_server.requirements import code_environment
from sagemaker_serving.model_server.supervisor import http_server
from sagemaker_serving.model_server.toolkit.contract import API_VARIABLE, loads_models
from sagemaker_serving.model_server.toolkit.settings import TIMEOUT, read_settings

log = logging.getLogger("front")

IMAGE_MODEL = "/opt/ml/model"
IMAGE_CODE = f"{IMAGE_MODEL}/code"
_SHIMS = Path(neo.__file__).parent / "shims"


async def serve(
    model: Path,
    public: socket.socket,
    scratch: Path,
    stopping: asyncio.Event,
    *,
    program: Program,
    container_version: str | None,
) -> None:
    """Serve ``model`` as ``program`` on the listening socket ``public`` until ``stopping`` is set.

    With SAGEMAKER_MULTI_MODEL it is a folder of models, none of which is loaded yet. It ends as
    `sagemaker_serving.model_server.supervisor.serve` does.
    """
    front = Front()
    try:
        contract = contract_of(program, container_version)
        container = Container(
            program=program,
            contract=contract,
            container_version=container_version,
            settings=read_settings(os.environ, contract, largest=largest_of(program)),
            scratch=scratch,
        )
        async with http_server(front.handle, public) as accept:
            await first_of(_run(container, front, model, accept), stopping.wait())
    finally:
        await front.close()


async def _run(
    container: Container, front: Front, model: Path, accept: Callable[[], Awaitable[None]]
) -> NoReturn:
    _log_what_is_ignored(container)
    if container.settings.multi_model:
        front.open(await _no_model_yet(container, model))
        await accept()
        log.info("serving /ping, /models and /models/NAME/invoke")
        await asyncio.Event().wait()
    models, workers = await _the_one(container, model)
    front.open(models)
    await accept()
    log.info("serving /ping and /invocations")
    failed = await workers.death()
    if models.get(DEFAULT_MODEL) is None:  # unloaded, as older images let one do
        await asyncio.Event().wait()
    raise failed


DEFAULT_MODEL = "model"
"""What the toolkit calls the one model."""


async def _no_model_yet(container: Container, folder: Path) -> Models:
    opened = open_folder_of_models(folder)
    # Of all models: the code beside them, which is the only requirements.txt that is read.
    environment = await code_environment(opened, container.scratch, [])
    return Models(container, opened, environment)


async def _the_one(container: Container, path: Path) -> tuple[Models, Workers]:
    """The model of ``path``, loaded, in its registry; raises `ReportedError`."""
    scratch = container.scratch
    view = scratch / "view"
    opened = await asyncio.to_thread(open_model, path, scratch)
    show(opened, view, container.program, unwraps=container.unwraps)
    shims = [_SHIMS] if container.program is Program.NEO_PYTORCH else []
    paths = [view / "code", view, *shims]
    environment = await code_environment(opened, scratch, paths)
    model = Model(
        name=DEFAULT_MODEL,
        url=IMAGE_MODEL,
        at_start=True,
        worker_count=container.settings.workers,
    )
    model.workers = await Workers.start(
        container,
        name=model.name,
        count=model.worker_count,
        view=view,
        scratch=scratch,
        environment={**environment, "SM_MODEL_DIR": str(view)},
    )
    models = Models(container, opened, environment)
    models.add(model)
    return models, model.workers


def _log_what_is_ignored(container: Container) -> None:
    place = place_of_script(os.environ)
    reads_it = container.program in (Program.NEO_ONNX, Program.SKLEARN, Program.XGBOOST)
    if not reads_it and place != IMAGE_CODE:
        log.warning(
            "SAGEMAKER_SUBMIT_DIRECTORY is %r; this image does not read it: "
            "the code that is used is the model's code/",
            place,
        )
    if "SAGEMAKER_TS_BATCH_SIZE" in os.environ:
        log.warning(
            "SAGEMAKER_TS_BATCH_SIZE changes nothing here: the toolkit asks the model once for "
            "each request of a batch, and so does this server"
        )
    contract = container.contract
    if contract is None or container.program is not Program.PYTORCH:
        return
    log.info(
        "container of PyTorch %s: TorchServe %s, sagemaker-pytorch-inference %s "
        "(sagemaker-serving docs container-contract)",
        contract.images,
        contract.server,
        contract.toolkit,
    )
    if TIMEOUT in os.environ and not contract.reads_timeout:
        log.warning(
            "%s changes nothing: a fault of this image's toolkit, %s, loses it; "
            "TS_DEFAULT_RESPONSE_TIMEOUT sets the time of one request",
            TIMEOUT,
            contract.toolkit,
        )
    if container.settings.multi_model and not loads_models(contract, os.environ):
        log.error(
            "no model can be loaded: the properties file of this image's toolkit, %s, ends without "
            "a line break, so TorchServe answers POST /models with 405, here as there; add %s=true "
            "to the environment, or use an image up to 2.3",
            contract.toolkit,
            API_VARIABLE,
        )
