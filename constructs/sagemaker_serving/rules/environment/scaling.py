"""What an environment file says of scaling, in the facts that templates give, too."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.rules.facts import ABSENT, Fact
from sagemaker_serving.rules.facts.kinds import (
    MetricFacts,
    ScalingStepsFacts,
    ScheduleFacts,
    SchedulesFacts,
    host_type,
    in_aws_words,
    is_serverless,
    renamed,
)
from sagemaker_serving.rules.facts.resources import ScalingFacts
from sagemaker_serving.rules.scaling.targets import keeps_one
from sagemaker_serving.spec.scaling import COPIES, HELD, INSTANCES, PROVISIONED, Scaling


def scaling_of(model: Fact) -> Iterator[object]:
    """Bounds, policies and schedules of every variant and component that the file scales."""
    for name, scaling in model.get("scaling").entries():
        dimension, instance_type = _scaled(model, name)
        asynchronous = model.get("asynchronous").given
        members = in_aws_words(scaling, Scaling)
        yield ScalingFacts(
            where=scaling.where,
            minimum=members.get("MinCapacity"),
            maximum=members.get("MaxCapacity"),
            resource_id=ABSENT,
            dimension=Fact(dimension, scaling.where),
            scale_in_cooldown=members.get("ScaleInCooldown"),
            scale_out_cooldown=members.get("ScaleOutCooldown"),
            instance_type=instance_type,
            asynchronous=asynchronous,
        )
        for target, tracked in _tracked(scaling, dimension):
            if target.given:
                yield ScalingFacts(
                    where=target.where,
                    minimum=ABSENT,
                    maximum=ABSENT,
                    resource_id=ABSENT,
                    dimension=Fact(dimension, scaling.where),
                    target=target,
                    metric=Fact(tracked, target.where),
                    asynchronous=asynchronous,
                )
        for policy in scaling.get("step_policies").items():
            yield _steps(policy)
        for named in ("step_policies", "tracked_metrics"):
            for followed in scaling.get(named).items():
                yield _metric(followed)
        yield SchedulesFacts(
            minimum=members.get("MinCapacity"),
            maximum=members.get("MaxCapacity"),
            keeps_one=keeps_one(Fact(dimension, scaling.where), asynchronous=asynchronous),
            each=tuple(map(ScheduleFacts, members.get("ScheduledActions").items())),
        )


def _scaled(model: Fact, name: str) -> tuple[str | None, Fact]:
    """The dimension that ``name`` scales by, and the type of its instances."""
    if model.get("inference_components").get(name).given:
        return COPIES, ABSENT
    for variant in model.get("variants").items():
        if variant.get("name").text == name:
            if is_serverless(variant):
                return PROVISIONED, ABSENT
            return INSTANCES, host_type(variant)
    return None, ABSENT


def _tracked(scaling: Fact, dimension: str | None) -> Iterator[tuple[Fact, str | None]]:
    for field, metrics in HELD.items():
        other = next(iter(metrics.values()))  # which does not suit the dimension, and is named
        yield scaling.get(field), metrics.get(dimension, other) if dimension else None
    for tracked in scaling.get("tracked_metrics").items():
        yield tracked.get("target"), None


def _steps(policy: Fact) -> ScalingStepsFacts:
    steps = policy.get("steps")
    return ScalingStepsFacts(
        where=policy.where,
        steps=steps,
        each=tuple(
            renamed(step, {name: name for name in ("lower", "upper", "change")})
            for step in steps.items()
        ),
        one_alarm=True,
        evaluation=policy.get("evaluation_minutes"),
        cooldown=policy.get("cooldown_seconds"),
    )


def _metric(followed: Fact) -> MetricFacts:
    return MetricFacts(
        where=followed.where,
        name=followed.get("metric_name"),
        namespace=followed.get("namespace"),
        dimensions=tuple(
            (Fact(name, value.where), value) for name, value in followed.get("dimensions").entries()
        ),
        statistic=followed.get("statistic"),
        bound=followed.get("target"),
    )
