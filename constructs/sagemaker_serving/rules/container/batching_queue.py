"""Rules on concurrent requests and TensorFlow Serving's queue of batches."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sagemaker_serving.errors import Where
from sagemaker_serving.rules.engine import Finding, warning
from sagemaker_serving.rules.facts import ContainerFacts, EndpointConfigFacts, Fact, TransformFacts
from sagemaker_serving.rules.facts.numbers import whole_number
from sagemaker_serving.rules.hardware.instance_types import known
from sagemaker_serving.spec.batching import (
    BATCHING_VARIABLES,
    DEFAULT_CONCURRENCY,
    MAX_ENQUEUED_BATCHES,
    SERVER_VARIABLES,
)

_SOURCE = (
    "TensorFlow 2.21, core/kernels/batching_util/shared_batch_scheduler.h; aws/"
    "deep-learning-containers, TensorFlow inference e0ecede"
)
_UNBOUNDED = 100_000_000
"""What the container lets wait in batch transform (SAGEMAKER_BATCH) unless it is told otherwise."""


@warning(source=_SOURCE, example="batching: {max_enqueued_batches: 2}   # on ml.c5.large")
def batching_queue(facts: EndpointConfigFacts | TransformFacts) -> Iterator[Finding]:
    """As many requests may run and wait as are sent to an instance at the same time.

    TensorFlow Serving runs num_batch_threads batches and lets max_enqueued_batches wait; the next
    is refused with 503. A request may fill a batch. Smaller ones share batches, so this warns. The
    number of requests at the same time is an asynchronous endpoint's
    max_concurrent_invocations_per_instance, or a transform job's max_concurrent_transforms.
    Otherwise it is the eight of this project's client. Serverless variants take one request and
    refuse none. A handler under gunicorn's sync or gthread workers limits requests by itself.
    """
    if isinstance(facts, TransformFacts):
        if facts.container is not None:
            yield from _judged(facts.container, facts.max_concurrent_transforms, facts.environment)
        return
    asked = facts.asynchronous.get("ClientConfig").get("MaxConcurrentInvocationsPerInstance")
    for variant in (*facts.variants, *facts.shadows):
        at_once = variant.asynchronous or facts.asynchronous.given
        for container in variant.containers if not variant.is_serverless else ():
            yield from _judged(container, asked if at_once else _CLIENT)


_CLIENT = Fact(DEFAULT_CONCURRENCY, Where())
"""The requests at a time that nobody wrote down."""


def _judged(container: ContainerFacts, sent: Fact, job: Fact | None = None) -> Iterator[Finding]:
    """Nothing where the container makes no batches, or nobody knows how many.

    ``job`` are the variables that a transform job lays over the model's, None on an endpoint.
    """

    def said(name: str) -> Fact | None:
        """What wins of a job's variable, the model's, and the typed field."""
        facts = (
            None if job is None else job.get(_VARIABLES[name]),
            container.environment.get(_VARIABLES[name]),
            container.batching.get(name, container.server.get(name)),
        )
        return next((fact for fact in facts if fact is not None and fact.given), None)

    switch, typed = said("enabled"), bool(container.batching)
    workers = container.environment.get("SAGEMAKER_GUNICORN_WORKER_CLASS")
    on = typed if switch is None else switch.flag is True
    if not on or (workers is not None and workers.value != "gevent"):
        return
    kind = known(container.instance_type)
    cpus = None if kind is None else kind.vcpus
    default, by = (cpus, ", one for each CPU") if job is None else (_UNBOUNDED, "")
    if typed and "max_enqueued_batches" not in container.batching:
        default, by = MAX_ENQUEUED_BATCHES, " by default"
    enqueued = said("max_enqueued_batches")
    waiting = _whole(enqueued, default)
    working = _whole(said("num_batch_threads"), cpus)
    servers = _whole(said("instance_count"), 1)
    if waiting is None or working is None or not servers or sent.number is None:
        return
    most = (waiting + working) * servers
    if not most < sent.number < math.inf:
        return
    at_once = f"{sent.name} is {sent.number}"
    if sent is _CLIENT:
        at_once = f"this project's client sends {sent.number} at a time"
    name = "max_enqueued_batches" if typed else _VARIABLES["max_enqueued_batches"]
    wanted = -(-int(sent.number) // servers) - working
    yield (container if enqueued is None else enqueued).finding(
        f"{name} is {waiting}{by if enqueued is None else ''}, and {working} batches are worked on "
        f"at a time, so that request {most + 1} is refused with 503 when each fills a batch; "
        f"{at_once}; use {name} {wanted} or more"
    )


_VARIABLES = {**BATCHING_VARIABLES, **SERVER_VARIABLES}


def _whole(fact: Fact | None, default: int | None) -> int | None:
    """A number, also as a variable spells it; None for what only a deploy knows."""
    if fact is None:
        return default
    number = whole_number(str(fact.value))
    return number if number is not None and number >= 0 else None
