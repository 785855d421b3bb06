"""TorchServe's management API, as far as SageMaker uses it: list, load, describe and unload models.

Source: ``ManagementRequestHandler`` and ``ApiUtils`` of TorchServe 0.12.0. Texts are what 0.12.0,
0.11.0, 0.8.2 and 0.6.1 answered on 2026-11-23, but of JSON that is none. Of a description there is
what is known here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import psutil

from sagemaker_serving.model_server.mms.models import Model, Models, NotLoaded
from sagemaker_serving.model_server.toolkit.contract import toolkit_contract
from sagemaker_serving.model_server.toolkit.service import Answer, document, indented

VERSION = "1.0"
"""Of a model whose archive names none."""

_PAGE = 100


def listing(models: Models, parameters: Mapping[str, str]) -> Answer:
    """A page of the models, with the next page's token where a page is full."""
    first = max(_integer(parameters.get("next_page_token"), 0), 0)
    limit = _integer(parameters.get("limit"), _PAGE)
    every = models.all()
    last = first + (limit if 0 <= limit <= _PAGE else _PAGE)
    page = [{"modelName": each.name, "modelUrl": each.url} for each in every[first:last]]
    token = {"nextPageToken": str(last)} if last <= len(every) else {}
    return _told({**token, "models": page})


def description(models: Models, name: str) -> Answer:
    """What is known of one model."""
    model = models.get(name)
    return not_found(name) if model is None else _told([_described(model)])


async def register(
    models: Models, content_type: str, body: bytes, parameters: Mapping[str, str]
) -> Answer:
    """Load a model: ``model_name`` and ``url``, in a JSON document or in the query.

    Of the rest that TorchServe takes, ``initial_workers`` counts.
    """
    given: Any = parameters
    if content_type.partition(";")[0].strip().lower() == "application/json":
        try:
            given = json.loads(body)
        except ValueError:
            given = None
        if not isinstance(given, dict):
            return document(500, "JsonSyntaxException", "Expected BEGIN_OBJECT")
    name, url = given.get("model_name"), given.get("url")
    if url is None:
        return document(400, "BadRequestException", "Parameter url is required.")
    if ".." in str(url):
        message = f"Relative path is not allowed in url: {url}"
        return document(404, "ModelNotFoundException", message)
    place = models.place(str(url))
    if place is None:
        message = f"Model not found at: {url}" if url else "empty url"
        return document(404, "ModelNotFoundException", message)
    if name is None:
        return document(400, "InvalidModelException", "Model name is not defined.")
    if models.get(str(name)) is not None:
        message = f"Model version {VERSION} is already registered for model {name}"
        return document(409, "ConflictStatusException", message)
    workers = _integer(given.get("initial_workers"), models.container.settings.workers)
    try:
        await models.load(str(name), str(url), place, max(workers, 1))
    except NotLoaded as failed:
        message = f"Failed to start workers for model {name} version: {VERSION}"
        status = 507 if failed.has_no_memory else 500
        return document(status, "InternalServerException", message)
    contract = models.container.contract or toolkit_contract(None)
    return _told({"status": contract.loaded.format(name, max(workers, 1))})


async def unregister(models: Models, name: str) -> Answer:
    """Unload one model."""
    if models.get(name) is None:
        return not_found(name)
    await models.unload(name)
    return _told({"status": f'Model "{name}" unregistered'})


def scaling(models: Models, name: str) -> Answer:
    """Workers are not scaled here, and nothing says that they were."""
    if models.get(name) is None:
        return not_found(name)
    return document(
        501,
        "NotImplementedException",
        "sagemaker-serving starts as many workers as SAGEMAKER_MODEL_SERVER_WORKERS says, and "
        "scales none; SageMaker does not ask for it.",
    )


def not_found(name: str) -> Answer:
    """404 for a model that is not registered."""
    return document(404, "ModelNotFoundException", f"Model not found: {name}")


def _described(model: Model) -> dict[str, object]:
    pids = [] if model.workers is None else model.workers.pids()
    return {
        "modelName": model.name,
        "modelVersion": VERSION,
        "modelUrl": model.url,
        "runtime": "python",
        "minWorkers": model.worker_count,
        "maxWorkers": model.worker_count,
        "batchSize": 1,
        "loadedAtStartup": model.at_start,
        "workers": [_worker(model, number, pid) for number, pid in enumerate(pids)],
    }


def _worker(model: Model, number: int, pid: int) -> dict[str, object]:
    try:
        taken = psutil.Process(pid).memory_info().rss
    except psutil.NoSuchProcess:
        taken = 0
    return {
        "id": str(9000 + number),
        "startTime": f"{model.since:%Y-%m-%dT%H:%M:%S}.{model.since.microsecond // 1000:03}Z",
        "status": "READY",
        "memoryUsage": taken,
        "pid": pid,
        "gpu": False,
        "gpuUsage": "N/A",
    }


def _integer(given: object, default: int) -> int:
    """A parameter that is a number, as TorchServe forgives those that are none."""
    try:
        return int(str(given))
    except ValueError:
        return default


def _told(facts: object) -> Answer:
    return Answer(status=200, body=indented(facts), content_type="application/json")
