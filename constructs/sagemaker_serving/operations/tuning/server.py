"""Trials on this machine: the model behind its own server, settings by settings."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path

from sagemaker_serving.errors import Failure
from sagemaker_serving.model_server.places import Place
from sagemaker_serving.model_server.process import ModelServer
from sagemaker_serving.operations.bench import BenchInput, Send, VariantReport, load_for
from sagemaker_serving.operations.tuning.search import Settings

START_SECONDS = 480.0
"""How long the server may take until it answers /ping, as long as SageMaker gives it."""


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
    with served(model, settings.variables, container_version=container_version) as place:
        return load_for(seconds, str(settings), lambda: sender(place, inputs), callers=callers)


@contextmanager
def served(
    model: Path, variables: Mapping[str, str], *, container_version: str | None
) -> Iterator[Place]:
    """A server of ``model`` with these environment variables, which answers, and then ends.

    Raises `Failure` when it does not come up.
    """
    with tempfile.TemporaryDirectory(prefix="sagemaker-serving-bench-") as folder:
        server = ModelServer.start(
            model,
            environment=variables,
            log_path=Path(folder, "container.log"),
            container_version=container_version,
        )
        try:
            server.wait_until_healthy(START_SECONDS)
            yield server.place
        finally:
            server.stop()


def sender(place: Place, inputs: Sequence[BenchInput]) -> Send:
    """A caller of the server there, with a connection of its own; inputs are taken in turn."""
    connection = place.connection(70)

    def send(number: int) -> float:
        chosen = inputs[number % len(inputs)]
        sent = time.perf_counter()
        try:
            connection.request(
                "POST", "/invocations", chosen.body, {"Content-Type": chosen.content_type}
            )
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, HTTPException) as error:
            connection.close()
            raise Failure(f"the model server does not answer: {error}") from None
        if answer.status != 200:
            raise Failure(f"{answer.status}: {body[:200].decode(errors='replace')}")
        return time.perf_counter() - sent

    return send
