"""Model servers of several models at once, and requests to them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from http.client import HTTPException
from pathlib import Path

from sagemaker_serving.answers.bodies import Answer
from sagemaker_serving.answers.golden_file import Request
from sagemaker_serving.errors import Failure
from sagemaker_serving.model_server.places import Place
from sagemaker_serving.model_server.process import ModelServer
from sagemaker_serving.operations.bench.load import Send, load
from sagemaker_serving.operations.bench.report import VariantReport

START_SECONDS = 480.0
"""How long a server may take until it answers /ping, as long as SageMaker gives it."""

_ROUNDS = 5
"""The models take turns, so that whatever else the machine does meets all of them."""


@contextmanager
def serving(
    models: Mapping[str, Path],
    logs: Path,
    *,
    program: str,
    container_version: str | None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[dict[str, Place]]:
    """A server for each model, by its name; they end with the block.

    Raises `Failure` when one does not come up.
    """
    with ExitStack() as ending:
        servers: dict[str, ModelServer] = {}
        for name, model in models.items():
            servers[name] = ModelServer.start(
                model,
                environment=environment or {},
                log_path=logs / f"{name}.log",
                container_version=container_version,
                program=program,
            )
            ending.callback(servers[name].stop)
        for server in servers.values():
            server.wait_until_healthy(START_SECONDS)
        yield {name: server.place for name, server in servers.items()}


def measured(
    places: Mapping[str, Place], requests: Sequence[Request], *, count: int, callers: int
) -> dict[str, VariantReport]:
    """The times of ``count`` requests to each server, of ``callers`` at once, taken by turns."""
    rounds: dict[str, list[VariantReport]] = {name: [] for name in places}
    for _ in range(_ROUNDS):
        for name, place in places.items():
            rounds[name].append(
                load(
                    name,
                    lambda place=place: _sender(place, requests),  # type: ignore[misc]
                    callers=callers,
                    more=lambda number: number < max(count // _ROUNDS, 1),
                )
            )
    return {
        name: VariantReport(
            name=name,
            seconds=[second for each in done for second in each.seconds],
            duration_seconds=sum(each.duration_seconds for each in done),
            errors={text: times for each in done for text, times in each.errors.items()},
        )
        for name, done in rounds.items()
    }


def answers(place: Place, requests: Sequence[Request]) -> list[Answer]:
    """What a server answers to each request, one after the other."""
    from sagemaker_serving.operations.golden.senders import to_server

    send = to_server(place.connection)
    return [send(request) for request in requests]


def _sender(place: Place, requests: Sequence[Request]) -> Send:
    connection = place.connection(70)

    def send(number: int) -> float:
        request = requests[number % len(requests)]
        headers = {"Content-Type": request.content_type, "Accept": request.accept}
        given = {name: value for name, value in headers.items() if value}
        sent = time.perf_counter()
        try:
            connection.request("POST", "/invocations", request.body, given)
            answer = connection.getresponse()
            answer.read()
        except (OSError, HTTPException) as error:
            connection.close()
            raise Failure(f"the model server does not answer: {error}") from None
        if answer.status != 200:
            raise Failure(f"the model answered {answer.status}")
        return time.perf_counter() - sent

    return send
