"""The variables that TorchServe, Multi Model Server and the toolkit read.

Source of names and defaults: sagemaker-pytorch-inference 2.0.25
(``environment.py``, ``ts_environment.py``, ``torchserve.py``), TorchServe 0.12.0 and
multi-model-server's docs/configuration.md. Which of them wins was asked of
TorchServe's GET /models/model on 2026-11-23, with 2.0.24 and 2.0.25.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sagemaker_serving.archive.handlers import module_of_script
from sagemaker_serving.catalog.servers import TORCHSERVE_LARGEST
from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.toolkit.contract import ToolkitContract

STARTUP_SECONDS = 120
"""TorchServe's startupTimeout: how long a worker may take to load its model."""

JSON = "application/json"

TIMEOUT = "SAGEMAKER_MODEL_SERVER_TIMEOUT"
"""Seconds for one request, where an image reads it."""

MEMORY_LIMIT = "SAGEMAKER_SERVING_MEMORY_LIMIT_MB"
"""A variable of this server alone, as TensorFlow's has it."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """One container's settings.

    ``module`` is the user's script ("inference"); ``workers`` is the number of
    processes with the model in each; ``response_timeout_seconds`` is how long one
    request may take before its worker is ended.
    """

    module: str
    default_accept: str
    workers: int
    response_timeout_seconds: int
    largest_request_bytes: int
    largest_response_bytes: int
    queue_size: int
    multi_model: bool
    memory_limit_mb: int | None
    """What the models of multi-model mode may take together; None: no limit."""


def read_settings(
    environ: Mapping[str, str],
    contract: ToolkitContract | None = None,
    *,
    largest: int = TORCHSERVE_LARGEST,
) -> Settings:
    """The settings in ``environ``; what is absent has the default of ``contract``'s image.

    ``contract`` None is what Neo's images and scikit-learn's have. The number of workers is
    another: the images start one for each processor, here it is one unless a variable says so.
    ``largest`` are a body's bytes where no variable says them.
    Raises `Mistake` for a value that the container would not start with.
    """
    multi_model = has_many(environ)
    if multi_model and contract is None:
        raise Mistake(
            "SAGEMAKER_MULTI_MODEL is 'true'; here this image's container serves one model"
        )
    module = module_of_script(environ)
    assert module is not None  # an environment of texts names one, or the default
    return Settings(
        module=module,
        default_accept=environ.get("SAGEMAKER_DEFAULT_INVOCATIONS_ACCEPT", JSON),
        workers=_workers(environ, multi_model=multi_model),
        response_timeout_seconds=_timeout(environ, contract, multi_model=multi_model),
        largest_request_bytes=_size(environ, "MAX_REQUEST_SIZE", largest),
        largest_response_bytes=_size(environ, "MAX_RESPONSE_SIZE", largest),
        queue_size=_number(environ, "TS_JOB_QUEUE_SIZE", "MMS_JOB_QUEUE_SIZE", default=100),
        multi_model=multi_model,
        memory_limit_mb=_number(environ, MEMORY_LIMIT, default=0) or None,
    )


def has_many(environ: Mapping[str, str]) -> bool:
    """Whether requests load and unload the models."""
    return environ.get("SAGEMAKER_MULTI_MODEL") == "true"


_OF_ONE_MODEL = tuple(
    f"SAGEMAKER_TS_{name}"
    for name in ("BATCH_SIZE", "MAX_BATCH_DELAY", "MIN_WORKERS", "MAX_WORKERS", "RESPONSE_TIMEOUT")
)
"""Any of these makes the toolkit write a configuration of the one model, which wins over all."""


def _workers(environ: Mapping[str, str], *, multi_model: bool) -> int:
    if not multi_model and any(name in environ for name in _OF_ONE_MODEL):
        return _number(environ, "SAGEMAKER_TS_MIN_WORKERS", default=1)
    names = ("TS_DEFAULT_WORKERS_PER_MODEL", "SAGEMAKER_MODEL_SERVER_WORKERS")
    return _number(environ, *names, default=1)


def _timeout(
    environ: Mapping[str, str], contract: ToolkitContract | None, *, multi_model: bool
) -> int:
    if contract is None:
        names = ("MMS_DEFAULT_RESPONSE_TIMEOUT", TIMEOUT)
        return _number(environ, *names, default=60)
    # Read in any case: the toolkit ends when it is no number.
    toolkit_s = _number(environ, TIMEOUT, default=60)
    if not multi_model and any(name in environ for name in _OF_ONE_MODEL):
        return _number(environ, "SAGEMAKER_TS_RESPONSE_TIMEOUT", default=60)
    default = toolkit_s if contract.reads_timeout else 120
    return _number(environ, "TS_DEFAULT_RESPONSE_TIMEOUT", default=default)


def _size(environ: Mapping[str, str], name: str, default: int) -> int:
    return _number(environ, f"TS_{name}", f"MMS_{name}", default=default)


def _number(environ: Mapping[str, str], *names: str, default: int) -> int:
    """The first of ``names`` that is there."""
    for name in names:
        text = environ.get(name)
        if text is None:
            continue
        if not re.fullmatch(r"\s*\d+\s*", text, re.ASCII) or int(text) < 1:
            raise Mistake(f"{name} must be a whole number of at least 1; it is {text!r}")
        return int(text)
    return default
