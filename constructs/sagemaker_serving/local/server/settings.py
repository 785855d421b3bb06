"""The container's environment variables, read and judged as the container does.

Source of names and defaults: aws/deep-learning-containers e0ecede (image
2.20), read 2026-11-21. They are those of every generation but for the time a
model may take to load.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from sagemaker_serving.errors import Mistake

BATCH_TRANSFORM_ENQUEUED_BATCHES = 100_000_000
"""SAGEMAKER_BATCH, set by batch transform to any value, lifts the queue limit to this."""


@dataclass(frozen=True, kw_only=True)
class Batching:
    """TensorFlow Serving's batching parameters, in the order of the batching file."""

    max_batch_size: int
    batch_timeout_micros: int
    num_batch_threads: int
    max_enqueued_batches: int

    def config(self) -> str:
        """The text of the container's ``batching-config.cfg``, line by line as it writes it."""
        return "".join(f"{name} {{ value: {value} }}\n" for name, value in vars(self).items())


@dataclass(frozen=True, kw_only=True)
class Gunicorn:
    """How gunicorn runs ``inference.py``."""

    worker_class: str
    workers: int
    threads: int
    timeout_seconds: int
    loglevel: str


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything the container reads from its environment."""

    default_model_name: str | None
    """None: the first model found."""

    batching: Batching | None
    """None: every request is one call of the model."""

    instance_count: int
    """Engine processes."""

    inter_op_parallelism: int
    intra_op_parallelism: int
    """Threads; 0 lets TensorFlow choose."""

    wait_time_seconds: int | None
    """How long the model may take to load, counted from TensorFlow's own start.

    None: the default of the image's generation (`contract`).
    """

    port_range: tuple[int, int] | None
    gunicorn: Gunicorn

    proxy_read_timeout_seconds: int
    """How long the front waits for the handler worker; never under gunicorn's own timeout."""

    def rest_port(self, instance: int) -> int | None:
        """The REST port that SAGEMAKER_SAFE_PORT_RANGE gives an engine; None without a range."""
        return None if self.port_range is None else self.port_range[0] + 2 * instance + 1

    def grpc_port(self, instance: int) -> int:
        """The gRPC port handlers are told; nothing listens there on this machine."""
        return 9000 if self.port_range is None else self.port_range[0] + 2 * instance


def read_settings(environ: Mapping[str, str]) -> Settings:
    """The settings in ``environ``; what is absent has the container's default.

    Raises `Mistake` for the first value that the container would not start
    with. Multi-model mode is not served yet and is refused by name.
    """
    if _flag(environ, "SAGEMAKER_MULTI_MODEL"):
        raise Mistake(
            "SAGEMAKER_MULTI_MODEL is 'true'; multi-model mode is not served on this machine yet, "
            "leave the variable out"
        )
    instance_count = _integer(environ, "SAGEMAKER_TFS_INSTANCE_COUNT", default=1, least=1)
    gunicorn = _gunicorn(environ)
    _share(environ, "SAGEMAKER_TFS_FRACTIONAL_GPU_MEM_MARGIN")
    name = environ.get("SAGEMAKER_TFS_DEFAULT_MODEL_NAME", "None")
    return Settings(
        default_model_name=None if name == "None" else name,
        batching=_batching(environ),
        instance_count=instance_count,
        inter_op_parallelism=_integer(environ, "SAGEMAKER_TFS_INTER_OP_PARALLELISM", default=0),
        intra_op_parallelism=_integer(environ, "SAGEMAKER_TFS_INTRA_OP_PARALLELISM", default=0),
        wait_time_seconds=_given_integer(environ, "SAGEMAKER_TFS_WAIT_TIME_SECONDS", least=1),
        port_range=_port_range(environ, instance_count),
        gunicorn=gunicorn,
        proxy_read_timeout_seconds=max(
            gunicorn.timeout_seconds,
            _integer(environ, "SAGEMAKER_NGINX_PROXY_READ_TIMEOUT_SECONDS", default=60, least=1),
        ),
    )


def _batching(environ: Mapping[str, str]) -> Batching | None:
    if not _flag(environ, "SAGEMAKER_TFS_ENABLE_BATCHING"):
        return None
    processors = os.cpu_count() or 1
    enqueued = BATCH_TRANSFORM_ENQUEUED_BATCHES if "SAGEMAKER_BATCH" in environ else processors
    return Batching(
        max_batch_size=_integer(environ, "SAGEMAKER_TFS_MAX_BATCH_SIZE", default=8, least=1),
        batch_timeout_micros=_integer(environ, "SAGEMAKER_TFS_BATCH_TIMEOUT_MICROS", default=1000),
        num_batch_threads=_integer(
            environ, "SAGEMAKER_TFS_NUM_BATCH_THREADS", default=processors, least=1
        ),
        max_enqueued_batches=_integer(
            environ, "SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES", default=enqueued, least=1
        ),
    )


def _gunicorn(environ: Mapping[str, str]) -> Gunicorn:
    return Gunicorn(
        worker_class=environ.get("SAGEMAKER_GUNICORN_WORKER_CLASS", "gevent"),
        workers=_integer(environ, "SAGEMAKER_GUNICORN_WORKERS", default=1, least=1),
        threads=_integer(environ, "SAGEMAKER_GUNICORN_THREADS", default=1, least=1),
        timeout_seconds=_integer(
            environ, "SAGEMAKER_GUNICORN_TIMEOUT_SECONDS", default=30, least=1
        ),
        loglevel=environ.get("SAGEMAKER_GUNICORN_LOGLEVEL", "info"),
    )


def _port_range(environ: Mapping[str, str], instance_count: int) -> tuple[int, int] | None:
    text = environ.get("SAGEMAKER_SAFE_PORT_RANGE")
    if text is None:
        return None
    match = re.fullmatch(r"(\d+)-(\d+)", text)
    if match is None:
        raise Mistake(
            f"SAGEMAKER_SAFE_PORT_RANGE is {text!r}; it must be two ports like '9000-9999'"
        )
    low, high = int(match[1]), int(match[2])
    if low + 2 * instance_count > high:
        raise Mistake(
            f"not enough ports available in SAGEMAKER_SAFE_PORT_RANGE ({text}): "
            f"SAGEMAKER_TFS_INSTANCE_COUNT={instance_count} takes {2 * instance_count}"
        )
    return low, high


def _flag(environ: Mapping[str, str], name: str) -> bool:
    text = environ.get(name, "false")
    if text.lower() not in ("true", "false"):
        raise Mistake(f"{name} must be 'true' or 'false'; it is {text!r}")
    return text.lower() == "true"


def _integer(environ: Mapping[str, str], name: str, *, default: int, least: int = 0) -> int:
    given = _given_integer(environ, name, least=least)
    return default if given is None else given


def _given_integer(environ: Mapping[str, str], name: str, *, least: int) -> int | None:
    text = environ.get(name)
    if text is None:
        return None
    if not re.fullmatch(r"\s*\d+\s*", text, re.ASCII) or int(text) < least:
        raise Mistake(f"{name} must be a whole number of at least {least}; it is {text!r}")
    return int(text)


def _share(environ: Mapping[str, str], name: str) -> None:
    text = environ.get(name, "0.2")
    try:
        fits = 0 <= float(text) <= 1
    except ValueError:
        fits = False
    if not fits:
        raise Mistake(f"{name} must be a number from 0 to 1; it is {text!r}")
