"""What an environment file says of scaling, in the facts that templates give, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from local_aws.template import Unknown
from sagemaker_serving.rules.facts import ABSENT, Fact
from sagemaker_serving.rules.facts.kinds import (
    MetricFacts,
    ScalingStepsFacts,
    ScheduleFacts,
    SchedulesFacts,
    host_type,
    in_aws_words,
    is_serverless,
)
from sagemaker_serving.rules.facts.resources import ScalingFacts
from sagemaker_serving.rules.scaling.targets import keeps_one
from sagemaker_serving.spec.scaling import (
    COPIES,
    HELD,
    INSTANCES,
    PROVISIONED,
    Metric,
    Scaling,
    StepPolicy,
    TrackedMetric,
    alarm_of,
)


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
                    dimension=Fact(dimension, scaling.where),
                    target=target,
                    metric=Fact(tracked, target.where),
                    asynchronous=asynchronous,
                )
        for policy in scaling.get("step_policies").items():
            stepping = in_aws_words(policy, StepPolicy)
            yield ScalingStepsFacts(
                members=stepping, one_alarm=True, evaluation=stepping.get("EvaluationPeriods")
            )
            yield _metric(policy, StepPolicy, (name, dimension, instance_type))
        for followed in scaling.get("tracked_metrics").items():
            yield _metric(followed, TrackedMetric, (name, dimension, instance_type))
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


def _metric(
    followed: Fact, spec: type[Metric], scaled: tuple[str, str | None, Fact]
) -> MetricFacts:
    """What a policy follows, with what it is where the file leaves it out.

    ``scaled`` is the variant's or component's name, its dimension, and the type of its instances.
    """
    name, dimension, instance_type = scaled
    own: dict[str, Any] = {"EndpointName": Unknown(), "VariantName": name}
    if dimension == COPIES:
        own = {"InferenceComponentName": Unknown()}
    dimensions = followed.get("dimensions")
    bound, comparison = followed.get("target"), "GreaterThanThreshold"
    if spec is StepPolicy:
        bound, comparison = _first_bound(followed)
    return MetricFacts(
        where=followed.where,
        name=followed.get("metric_name"),
        namespace=_given(followed, spec, "namespace"),
        dimensions=tuple(
            (Fact(each, value.where), value)
            for each, value in (
                dimensions if dimensions.given else Fact(own, followed.where)
            ).entries()
        ),
        statistic=_given(followed, spec, "statistic"),
        bound=bound,
        comparison=comparison,
        hosts=(instance_type,) if dimension == INSTANCES else (),
    )


def _first_bound(policy: Fact) -> tuple[Fact, str]:
    """What the alarm of a step policy waits for."""
    steps = list(policy.get("steps").items())
    numbers = [[step.get(name).number for name in ("lower", "upper", "change")] for step in steps]
    alarm = alarm_of([(lower, upper, change or 0) for lower, upper, change in numbers])
    if alarm is None:
        return ABSENT, ""
    comparison, threshold = alarm
    end = "lower" if comparison.startswith("Greater") else "upper"
    return next(one for step in steps if (one := step.get(end)).number == threshold), comparison


def _given(followed: Fact, spec: type[Metric], field: str) -> Fact:
    usual = Fact(spec.model_fields[field].default, followed.where / field)
    return followed.get(field).or_else(usual)
