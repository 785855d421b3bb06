"""A simulation of one variant of an environment file under traffic."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from local_aws.suggest import nearest
from sagemaker_serving.errors import Mistake, NotFound
from sagemaker_serving.extras import need
from sagemaker_serving.operations.simulation.curve import ServiceCurve
from sagemaker_serving.operations.simulation.fleet import Fleet, FleetPlan
from sagemaker_serving.operations.simulation.instance import ServerLimits
from sagemaker_serving.operations.simulation.limits import limits_of
from sagemaker_serving.operations.simulation.report import Minute, SimulationReport
from sagemaker_serving.operations.simulation.scaling import followed
from sagemaker_serving.operations.simulation.traffic import Traffic
from sagemaker_serving.spec import Container, Environment, InstanceVariant, Model, Scaling

START_SECONDS = 300.0
"""Until a new instance answers, where nobody said: no measurement of AWS is behind it."""


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What is simulated: a fleet, what scales it, and its share of the traffic.

    ``assumptions`` are sentences on what was taken to be so.
    """

    title: str
    plan: FleetPlan
    instance_type: str
    scaling: Scaling | None = None
    share: float = 1.0
    assumptions: tuple[str, ...] = ()
    price: float | None = None
    currency: str = "USD"


def simulate(
    setup: Setup,
    traffic: Traffic,
    *,
    seed: int = 0,
    goal_seconds: float | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> SimulationReport:
    """Plays ``traffic`` on what ``setup`` describes; with the same ``seed`` always the same.

    ``progress`` is told how many of how many minutes have passed. Raises `Mistake` without the
    extra ``simulation``.
    """
    need("simulation")
    import simpy

    random = Random(seed)
    minutes = [Minute() for _ in range(math.ceil(traffic.seconds / 60))]
    scaled = followed(setup.scaling, setup.plan.instances, minutes, traffic.start)
    environment = simpy.Environment()
    plan = replace(setup.plan, instances=scaled.target.capacity)
    fleet = Fleet(environment, plan, minutes, random)

    def arrive() -> Generator[simpy.Event, Any, None]:
        for at in traffic.arrivals(random):
            if setup.share < 1 and random.random() >= setup.share:
                continue
            if at > environment.now:
                yield environment.timeout(at - environment.now)
            fleet.arrive()

    environment.process(arrive())
    environment.process(fleet.follow(scaled.target, lambda passed: progress(passed, len(minutes))))
    environment.run()
    return SimulationReport(
        title=setup.title,
        start=traffic.start,
        minutes=minutes,
        changes=fleet.changes,
        assumptions=(*setup.assumptions, *scaled.not_simulated),
        instance_hours=fleet.paid_seconds / 3600,
        mean_outstanding=fleet.waited_seconds / (60 * len(minutes)),
        instance_type=setup.instance_type,
        goal_seconds=goal_seconds,
        price=setup.price,
        currency=setup.currency,
    )


def setup_of(
    environment: Environment,
    model: str,
    curve: ServiceCurve,
    *,
    variant: str | None = None,
    scale: float | None = None,
    start_seconds: float | None = None,
    instances: int | None = None,
) -> Setup:
    """What an environment file says of a variant of ``model``, by default of its only one.

    ``scale`` is how fast an instance is beside what ``curve`` was measured on; ``instances`` a
    fixed number of them, in place of the file's and of its scaling. Raises `NotFound` for a model
    or a variant that the file has not, and `Mistake` for what is no real-time endpoint on
    instances with one container.
    """
    spec, chosen = _variant(environment, model, variant)
    container = spec.container(chosen)
    limits = limits_of(container, chosen.instance_type)
    total = sum(each.weight for each in spec.variants if isinstance(each, InstanceVariant))
    share = chosen.weight / total if total else 0.0
    scaling = spec.scaling.get(chosen.name) if instances is None else None
    return Setup(
        title=f"{environment.endpoint_name(model)}, {chosen.name}",
        plan=FleetPlan(
            curve=curve,
            limits=limits,
            instances=chosen.initial_instance_count if instances is None else instances,
            routing=chosen.routing_strategy or "RANDOM",
            scale=1.0 if scale is None else scale,
            start_seconds=START_SECONDS if start_seconds is None else start_seconds,
        ),
        instance_type=chosen.instance_type,
        scaling=scaling,
        share=share,
        assumptions=(
            *_of_the_curve(curve, container, chosen.instance_type, scale),
            *_of_the_fleet(chosen, limits, start_seconds, scaling),
        ),
    )


def _of_the_curve(
    curve: ServiceCurve, container: Container, instance: str, scale: float | None
) -> Iterator[str]:
    yield (
        f"one {instance} answers {1.0 if scale is None else scale:g} times as fast as "
        f"{curve.of} on {curve.where} ({curve.measured[:10]})"
        + ("; nobody said so: give --scale, or the curve of one" if scale is None else "")
    )
    if curve.levels[-1].per_second >= curve.highest:
        yield (
            f"more than {curve.levels[-1].callers} callers get no more answers than "
            f"{curve.highest:.0f} a second, since the curve ends there, still rising"
        )
    yield "requests are alike, and callers send each once, independently of one another"
    there = {
        name: block.model_dump(exclude_none=True)
        for name, block in (("batching", container.batching), ("server", container.server))
        if block is not None
    }
    for name in dict.fromkeys((*there, *curve.settings)):
        ours, theirs = there.get(name, {}), curve.settings.get(name, {})
        different = [each for each in theirs if ours.get(each) != theirs[each]]
        if different or bool(ours) != bool(theirs):
            yield (
                f"the curve was measured with {name} {dict(theirs) or 'left out'}, and the file "
                f"says {ours or 'nothing'}: measure it with the file's settings"
            )


def _of_the_fleet(
    variant: InstanceVariant,
    limits: ServerLimits,
    start_seconds: float | None,
    scaling: Scaling | None,
) -> Iterator[str]:
    if scaling is not None:
        seconds = START_SECONDS if start_seconds is None else start_seconds
        said = "; nobody said so: give --start-seconds" if start_seconds is None else ""
        yield f"an instance takes requests {seconds:g} s after it was asked for{said}"
    yield (
        f"after {limits.timeout_seconds:g} s a request has failed, and its server works on it "
        "all the same"
    )
    if limits.batching is None:
        yield "no server refuses a request, however many wait"
    if variant.routing_strategy == "PREFIX_AWARE":
        yield "PREFIX_AWARE routing is taken as RANDOM"


def _variant(
    environment: Environment, model: str, name: str | None
) -> tuple[Model, InstanceVariant]:
    if model not in environment.models:
        raise _unknown(f"{environment.name} has no model {model!r}", model, environment.models)
    spec = environment.models[model]
    others = {
        "asynchronous": spec.asynchronous,
        "inference_components": spec.inference_components,
        "multi_model": spec.multi_model,
        "containers": spec.containers,
    }
    for field, value in others.items():
        if value:
            raise Mistake(
                f"{environment.name}: {model} has {field}; only real-time endpoints with one "
                "container are simulated"
            )
    variants = {each.name: each for each in spec.variants}
    if not variants:
        raise Mistake(f"{environment.name}: {model} has no variants, so no endpoint")
    if name is None and len(variants) > 1:
        raise Mistake(
            f"{environment.name}: {model} has the variants {', '.join(variants)}; "
            "name one with --variant"
        )
    chosen = next(iter(variants)) if name is None else name
    if chosen not in variants:
        raise _unknown(f"{model} has no variant {chosen!r}", chosen, variants)
    variant = variants[chosen]
    if not isinstance(variant, InstanceVariant):
        raise Mistake(
            f"{environment.name}: {model}'s {chosen} is serverless; only instances are simulated"
        )
    return spec, variant


def _unknown(what: str, name: str, known: Mapping[str, object]) -> NotFound:
    close = nearest(name, known)
    return NotFound(f"{what}; " + (f"did you mean {close}" if close else f"it has {list(known)}"))
