"""The variables that TorchServe, Multi Model Server and the toolkit read.

Source of names and defaults: sagemaker-pytorch-inference 2.0.25
(``environment.py``, ``ts_environment.py``, ``torchserve.py``), TorchServe 0.12.0 and
multi-model-server's docs/configuration.md, read 2026-11-21.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sagemaker_serving.errors import Mistake

LARGEST_MESSAGE_BYTES = 6_553_500
"""max_request_size and max_response_size of both servers."""

STARTUP_SECONDS = 120
"""TorchServe's startupTimeout: how long a worker may take to load its model."""

JSON = "application/json"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """One container's settings.

    ``program`` is the user's script ("inference.py"); ``workers`` is the number of
    processes with the model in each; ``response_timeout_seconds`` is how long one
    request may take before its worker is ended.
    """

    program: str
    default_accept: str
    workers: int
    response_timeout_seconds: int
    largest_request_bytes: int
    largest_response_bytes: int
    queue_size: int

    @property
    def module(self) -> str:
        """The module that the script is imported as."""
        return self.program.removesuffix(".py")


def read_settings(environ: Mapping[str, str]) -> Settings:
    """The settings in ``environ``; what is absent has the image's default.

    But for the number of workers: the images start one for each processor, here it
    is one unless a variable says otherwise. Raises `Mistake` for a value that the
    container would not start with.
    """
    if environ.get("SAGEMAKER_MULTI_MODEL") == "true":
        raise Mistake(
            "SAGEMAKER_MULTI_MODEL is 'true'; this machine serves several models in one container "
            "for TensorFlow only"
        )
    has_own = any(name.startswith("SAGEMAKER_TS_") for name in environ)
    return Settings(
        program=environ.get("SAGEMAKER_PROGRAM") or "inference.py",
        default_accept=environ.get("SAGEMAKER_DEFAULT_INVOCATIONS_ACCEPT", JSON),
        workers=_number(
            environ,
            *(["SAGEMAKER_TS_MAX_WORKERS"] if has_own else ["SAGEMAKER_MODEL_SERVER_WORKERS"]),
            default=1,
        ),
        response_timeout_seconds=_number(
            environ,
            "TS_DEFAULT_RESPONSE_TIMEOUT",
            "MMS_DEFAULT_RESPONSE_TIMEOUT",
            *(["SAGEMAKER_TS_RESPONSE_TIMEOUT"] if has_own else []),
            "SAGEMAKER_MODEL_SERVER_TIMEOUT",
            default=60,
        ),
        largest_request_bytes=_size(environ, "MAX_REQUEST_SIZE"),
        largest_response_bytes=_size(environ, "MAX_RESPONSE_SIZE"),
        queue_size=_number(environ, "TS_JOB_QUEUE_SIZE", "MMS_JOB_QUEUE_SIZE", default=100),
    )


def _size(environ: Mapping[str, str], name: str) -> int:
    return _number(environ, f"TS_{name}", f"MMS_{name}", default=LARGEST_MESSAGE_BYTES)


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
