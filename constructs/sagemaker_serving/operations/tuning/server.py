"""Trials on this machine: the model behind its own server, settings by settings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sagemaker_serving.model_server.programs import Program
from sagemaker_serving.operations.bench import BenchInput, VariantReport, load_for
from sagemaker_serving.operations.served import serving, taking_times
from sagemaker_serving.operations.tuning.search import Settings


def measure(
    model: Path,
    settings: Settings,
    inputs: Sequence[BenchInput],
    *,
    callers: int,
    seconds: float,
    container_version: str | None,
) -> VariantReport:
    """Starts a server of ``model`` with ``settings``, loads it, ends it.

    Callers and model share this machine's cores, so figures compare with one
    another only. Raises `Failure` when the server does not come up.
    """
    requests = [(each.body, {"Content-Type": each.content_type}) for each in inputs]
    with serving(
        {"container": model},
        program=Program.TENSORFLOW,
        environment=settings.variables,
        container_version=container_version,
    ) as places:
        return load_for(
            seconds,
            str(settings),
            lambda: taking_times(places["container"], requests, _refusal),
            callers=callers,
        )


def _refusal(status: int, body: bytes) -> str:
    return f"{status}: {body[:200].decode(errors='replace')}"
