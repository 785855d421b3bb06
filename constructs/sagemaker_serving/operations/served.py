"""Models behind servers of their own on this machine, and how long their answers take."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING

from sagemaker_serving.errors import Failure
from sagemaker_serving.operations.bench.load import Send

if TYPE_CHECKING:
    from sagemaker_serving.model_server.places import Place

START_SECONDS = 480.0
"""How long a model may take until it answers /ping, as long as SageMaker gives it."""


@contextmanager
def serving(
    models: Mapping[str, Path],
    *,
    program: str,
    environment: Mapping[str, str],
    container_version: str | None,
) -> Iterator[Mapping[str, Place]]:
    """A server for each model, by its name; they end with the block.

    Raises `Failure` with the last lines of its log when one does not come up.
    """
    from sagemaker_serving.model_server.process import ModelServer

    with (
        tempfile.TemporaryDirectory(prefix="sagemaker-serving-log-") as logs,
        ExitStack() as ending,
    ):
        servers: dict[str, ModelServer] = {}
        for name, model in models.items():
            servers[name] = ModelServer.start(
                model,
                environment=environment,
                log_path=Path(logs, f"{name}.log"),
                container_version=container_version,
                program=program,
            )
            ending.callback(servers[name].stop)
        for server in servers.values():
            server.wait_until_healthy(START_SECONDS)
        yield {name: server.place for name, server in servers.items()}


def taking_times(
    place: Place,
    requests: Sequence[tuple[bytes, Mapping[str, str]]],
    refusal: Callable[[int, bytes], str],
) -> Send:
    """A caller of the server there, with a connection of its own; ``requests``, bodies with their
    headers, are taken in turn. ``refusal`` is what is said of a status other than 200, and a body.
    """
    connection = place.connection(70)

    def send(number: int) -> float:
        body, headers = requests[number % len(requests)]
        sent = time.perf_counter()
        try:
            connection.request("POST", "/invocations", body, headers)
            answer = connection.getresponse()
            came = answer.read()
        except (OSError, HTTPException) as error:
            connection.close()
            raise Failure(f"the model server does not answer: {error}") from None
        if answer.status != 200:
            raise Failure(refusal(answer.status, came))
        return time.perf_counter() - sent

    return send
