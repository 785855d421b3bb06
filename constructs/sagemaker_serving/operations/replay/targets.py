"""Where a replay goes, and how an endpoint, or a variant of one, is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from sagemaker_serving.client.aws import Aws
from sagemaker_serving.client.endpoint_facts import look_up
from sagemaker_serving.client.options import Limits
from sagemaker_serving.client.predictor import Predictor
from sagemaker_serving.client.retrying import Retries
from sagemaker_serving.errors import NotFound
from sagemaker_serving.operations.golden import Answer, Request, Send, to_endpoint
from sagemaker_serving.operations.traffic import REPLAYED


@dataclass(frozen=True, kw_only=True)
class Target:
    """What is asked: ``send`` from any thread; ``most_bytes`` is the largest body it takes."""

    name: str
    send: Send
    most_bytes: int


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
