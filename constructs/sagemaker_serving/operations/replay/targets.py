"""Where a replay goes: an endpoint, a variant of one, or a model that is served on this machine."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from sagemaker_serving.catalog.request_sizes import REAL_TIME
from sagemaker_serving.client.aws import Aws
from sagemaker_serving.client.endpoint_facts import look_up
from sagemaker_serving.client.options import Limits
from sagemaker_serving.client.predictor import Predictor
from sagemaker_serving.client.retrying import Retries
from sagemaker_serving.errors import NotFound
from sagemaker_serving.operations.golden import Answer, Request, Send, to_endpoint, to_server
from sagemaker_serving.operations.traffic import REPLAYED

START_SECONDS = 480.0
"""How long a model may take until it answers /ping, as long as SageMaker gives it."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """What is asked: ``send`` from any thread; ``most_bytes`` is the largest body it takes."""

    name: str
    send: Send
    most_bytes: int


@dataclass(frozen=True, kw_only=True)
class Served:
    """A model on this machine, and how its container is told to be.

    ``program`` is one of `model_server.programs.Program`.
    """

    model: Path
    name: str
    program: str
    environment: Mapping[str, str] = field(default_factory=dict)
    container_version: str | None = None


@contextmanager
def endpoint(name: str, aws: Aws, *, variant: str | None, concurrency: int) -> Iterator[Target]:
    """An endpoint, or one variant of it. Raises `NotFound` for a variant that it has not.

    Nothing is tried again but what boto3 tries: a request that fails is a result.
    """
    facts = look_up(aws, name)
    if variant is not None and facts.variants and variant not in facts.variants:
        raise NotFound(f"{name} has no variant {variant!r}; it has {', '.join(facts.variants)}")
    limits, once = Limits(concurrency=concurrency), Retries(deadline_seconds=0)
    with Predictor(name, aws, limits=limits, retries=once, facts=facts) as predictor:
        send = to_endpoint(predictor)

        def send_to(request: Request) -> Answer:
            marked = replace(request, target_variant=variant, inference_id=REPLAYED)
            return send(marked)

        yield Target(
            name=name if variant is None else f"{name}, variant {variant}",
            send=send_to,
            most_bytes=facts.limits(variant).most,
        )


@contextmanager
def served(what: Served) -> Iterator[Target]:
    """A model behind a server of its own, which ends with the block.

    Raises `Failure` with the last lines of its log when it does not come up.
    """
    from sagemaker_serving.model_server.process import ModelServer

    with tempfile.TemporaryDirectory(prefix="sagemaker-serving-replay-") as folder:
        server = ModelServer.start(
            what.model,
            environment=what.environment,
            log_path=Path(folder, "container.log"),
            container_version=what.container_version,
            program=what.program,
        )
        try:
            server.wait_until_healthy(START_SECONDS)
            yield Target(
                name=what.name,
                send=to_server(server.place.connection),
                most_bytes=REAL_TIME.most,
            )
        finally:
            server.stop()
