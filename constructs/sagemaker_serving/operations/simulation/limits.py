"""How much a server of an environment file works on, queues and refuses, by its own settings."""

from __future__ import annotations

from collections.abc import Mapping

from sagemaker_serving.catalog import instance_type
from sagemaker_serving.model_server.settings import read_settings
from sagemaker_serving.operations.simulation.instance import (
    INVOKE_SECONDS,
    Batching,
    ServerLimits,
)
from sagemaker_serving.spec import Container

_LIMITED = ("sync", "gthread")
"""gunicorn's workers that handle as many requests as they have threads; the container's default,
gevent, takes 1,000 connections each (gunicorn's settings, worker_connections; read 2026-11-25)."""


def limits_of(container: Container, instance: str) -> ServerLimits:
    """Those of TensorFlow's container on that type; of others only InvokeEndpoint's time is known.

    Raises `Mistake` for a variable that the container would not start with.
    """
    if container.framework != "tensorflow":
        return ServerLimits()
    return limits_of_variables(container.variables, processors=instance_type(instance).vcpus or 1)


def limits_of_variables(variables: Mapping[str, str], *, processors: int) -> ServerLimits:
    """By the container's environment variables, where it sees so many processors."""
    on_it = {
        "SAGEMAKER_TFS_NUM_BATCH_THREADS": str(processors),
        "SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES": str(processors),
    }
    settings = read_settings({**on_it, **variables})
    gunicorn, batching = settings.gunicorn, settings.batching
    return ServerLimits(
        workers=gunicorn.workers * gunicorn.threads if gunicorn.worker_class in _LIMITED else None,
        batching=None
        if batching is None
        else Batching(
            max_batch_size=batching.max_batch_size,
            batch_timeout_seconds=batching.batch_timeout_micros / 1e6,
            num_batch_threads=batching.num_batch_threads,
            max_enqueued_batches=batching.max_enqueued_batches,
        ),
        timeout_seconds=min(INVOKE_SECONDS, settings.proxy_read_timeout_seconds),
    )
