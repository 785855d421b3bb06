"""How much of AWS an environment takes: at least, at most, and while it is updated."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sagemaker_serving.spec.environment import Environment, Model
from sagemaker_serving.spec.update import RollingUpdate
from sagemaker_serving.spec.variants import InstanceVariant, ServerlessVariant

Thing = Literal[
    "endpoint-instances", "transform-instances", "endpoints", "serverless-endpoints",
    "serverless-concurrency", "provisioned-concurrency",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Need:
    """How much of one thing one part of an environment takes.

    ``floor`` is taken at all times, and by the first deploy; ``ceiling`` when
    scaling went up, or a batch runs; ``peak`` while the endpoint moves to a new
    version at that size: blue/green updates keep both fleets for a while.
    ``path`` is where the environment file says so.
    """

    thing: Thing
    model: str
    path: tuple[str | int, ...]
    name: str = ""
    instance_type: str | None = None
    floor: int
    ceiling: int
    peak: int


def needs(environment: Environment) -> list[Need]:
    """What every model of ``environment`` takes, in the order of the file."""
    return [need for name, model in environment.models.items() for need in _of_model(name, model)]


def _of_model(name: str, model: Model) -> Iterator[Need]:
    place = ("models", name)
    serverless = any(isinstance(variant, ServerlessVariant) for variant in model.variants)
    if model.variants:
        yield Need(
            thing="serverless-endpoints" if serverless else "endpoints",
            model=name,
            path=place,
            floor=1,
            ceiling=1,
            peak=1,
        )
    for field, variants in (
        ("variants", model.variants),
        ("shadow_variants", model.shadow_variants),
    ):
        for index, variant in enumerate(variants):
            path = (*place, field, index)
            if isinstance(variant, InstanceVariant):
                yield _instances(name, model, variant, path)
            else:
                yield from _concurrency(name, model, variant, path)
    batch = model.batch_transform
    if batch is not None:
        jobs = batch.max_concurrent_jobs
        if batch.arrivals is not None:  # an object is one job, and a manifest has many objects
            each = 1 if batch.arrivals == "objects" else jobs
            jobs = max(jobs, each * batch.max_concurrent_executions)
        most = batch.instance_count * jobs
        yield Need(
            thing="transform-instances",
            model=name,
            path=(*place, "batch_transform"),
            instance_type=batch.instance_type,
            floor=0,
            ceiling=most,
            peak=most,
        )


def _instances(
    name: str, model: Model, variant: InstanceVariant, path: tuple[str | int, ...]
) -> Need:
    managed = variant.managed_instance_scaling
    scaling = model.scaling.get(variant.name)
    low = high = variant.initial_instance_count
    if managed is not None:
        low, high = managed.min_instance_count, managed.max_instance_count
    elif scaling is not None:
        low, high = scaling.min, scaling.max
    ceiling = max(high, variant.initial_instance_count)
    return Need(
        thing="endpoint-instances",
        model=name,
        name=variant.name,
        path=path,
        instance_type=variant.instance_type,
        floor=low,
        ceiling=ceiling,
        peak=ceiling + _beside(model, ceiling),
    )


def _beside(model: Model, instances: int) -> int:
    """Instances of the new version beside the old ones: a batch when rolling, else all of them.

    Source: SageMaker developer guide, "Blue/Green deployments", "Use rolling
    deployments".
    """
    if isinstance(model.move, RollingUpdate):
        return math.ceil(instances * model.move.rolling_percent / 100)
    return instances


def _concurrency(
    name: str, model: Model, variant: ServerlessVariant, path: tuple[str | int, ...]
) -> Iterator[Need]:
    yield Need(
        thing="serverless-concurrency",
        model=name,
        name=variant.name,
        path=path,
        floor=variant.max_concurrency,
        ceiling=variant.max_concurrency,
        peak=variant.max_concurrency,
    )
    scaling = model.scaling.get(variant.name)
    given = variant.provisioned_concurrency
    low, high = (scaling.min, scaling.max) if scaling is not None else (given, given)
    if low is not None and high is not None:
        yield Need(
            thing="provisioned-concurrency",
            model=name,
            name=variant.name,
            path=path,
            floor=low,
            ceiling=high,
            peak=high,
        )
