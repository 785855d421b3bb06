"""The bounds, policies and schedules of an environment file, over what a simulation counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from local_aws.scaling import (
    Bounds,
    Policy,
    ScaledTarget,
    ScheduledAction,
    StepScaling,
    TargetTracking,
)
from sagemaker_serving.operations.simulation.report import Minute
from sagemaker_serving.spec import Scaling, StepPolicy, TrackedMetric

_Of = Callable[[Minute], float | None]

METRICS: Mapping[tuple[str, str], _Of] = {
    ("InvocationsPerInstance", "Sum"): lambda minute: _each(minute, minute.arrived),
    ("Invocations", "Sum"): lambda minute: float(minute.arrived),
    ("Invocation5XXErrors", "Sum"): lambda minute: float(minute.refused),
    ("ConcurrentRequestsPerModel", "Maximum"): lambda minute: minute.most_at_once,
    ("ModelLatency", "Average"): lambda minute: _mean_micros(minute),
    ("ModelLatency", "Maximum"): lambda minute: max(minute.seconds, default=0) * 1e6 or None,
}
"""What is simulated of CloudWatch's metrics of a variant, by name and statistic. (SageMaker
developer guide, "Amazon SageMaker metrics in Amazon CloudWatch", read 2026-11-22.)"""


@dataclass(frozen=True, kw_only=True)
class FollowedScaling:
    """The target, and sentences on what of its policies nothing here can tell."""

    target: ScaledTarget
    not_simulated: Sequence[str]


def followed(
    scaling: Scaling | None, instances: int, minutes: Sequence[Minute], start: datetime
) -> FollowedScaling:
    """What follows ``scaling`` from ``instances`` on; None leaves the number as it is."""
    if scaling is None:
        fixed = ScaledTarget(
            bounds=Bounds(minimum=0, maximum=instances), capacity=instances, policies=()
        )
        return FollowedScaling(target=fixed, not_simulated=())
    bounds = Bounds(minimum=scaling.min, maximum=scaling.max)
    found = list(_policies(scaling, minutes))
    target = ScaledTarget(
        bounds=bounds,
        capacity=bounds.clamped(instances),
        policies=[each for each in found if not isinstance(each, str)],
        actions=list(_actions(scaling)),
        start=start,
    )
    unknown = [
        f"the policy on {each} does nothing here: that metric is not simulated"
        for each in found
        if isinstance(each, str)
    ]
    return FollowedScaling(target=target, not_simulated=unknown)


def _policies(scaling: Scaling, minutes: Sequence[Minute]) -> Iterator[Policy | str]:
    """Each policy, or the name of the metric that is not known."""

    def tracking(name: str, statistic: str, target: float) -> Policy | str:
        of = METRICS.get((name, statistic))
        if of is None:
            return f"{name} ({statistic})"
        return TargetTracking(
            name=name,
            metric=lambda minute, _: of(minutes[minute]),
            target=target,
            in_cooldown_seconds=scaling.scale_in_cooldown_seconds,
            out_cooldown_seconds=scaling.scale_out_cooldown_seconds,
        )

    if scaling.invocations_per_instance is not None:
        yield tracking("InvocationsPerInstance", "Sum", scaling.invocations_per_instance)
    if scaling.concurrent_requests is not None:
        yield tracking("ConcurrentRequestsPerModel", "Maximum", scaling.concurrent_requests)
    for tracked in scaling.tracked_metrics:
        if _is_the_variants(tracked):
            yield tracking(tracked.metric_name, tracked.statistic, tracked.target)
        else:
            yield f"{tracked.namespace} {tracked.metric_name}"
    for policy in scaling.step_policies:
        if _is_the_variants(policy):
            yield _step(policy, minutes)
        else:
            yield f"{policy.namespace} {policy.metric_name}"


def _step(policy: StepPolicy, minutes: Sequence[Minute]) -> Policy | str:
    """As `infra.scaling` writes it: counted from the first bound, the alarm's threshold."""
    of = METRICS.get((policy.metric_name, policy.statistic))
    if of is None:
        return f"{policy.metric_name} ({policy.statistic})"
    upwards = all(step.change >= 0 for step in policy.steps)
    bounds = [step.lower if upwards else step.upper for step in policy.steps]
    edge = (min if upwards else max)(bound for bound in bounds if bound is not None)
    return StepScaling(
        name=policy.metric_name,
        metric=lambda minute, _: of(minutes[minute]),
        alarm={
            "Threshold": edge,
            "EvaluationPeriods": policy.evaluation_minutes,
            "Period": 60,
            "ComparisonOperator": "GreaterThanOrEqualToThreshold"
            if upwards
            else "LessThanOrEqualToThreshold",
        },
        adjustment_type="ChangeInCapacity",
        steps=[
            {
                "ScalingAdjustment": step.change,
                **({} if step.lower is None else {"MetricIntervalLowerBound": step.lower - edge}),
                **({} if step.upper is None else {"MetricIntervalUpperBound": step.upper - edge}),
            }
            for step in policy.steps
        ],
        cooldown_seconds=policy.cooldown_seconds,
    )


def _is_the_variants(metric: TrackedMetric | StepPolicy) -> bool:
    return metric.namespace == "AWS/SageMaker" and metric.dimensions is None


def _actions(scaling: Scaling) -> Iterator[ScheduledAction]:
    for schedule in scaling.schedules:
        yield ScheduledAction.of(
            {
                "ScheduledActionName": schedule.name,
                "Schedule": schedule.schedule,
                "Timezone": schedule.timezone if schedule.timezone is not None else "UTC",
                "ScalableTargetAction": {"MinCapacity": schedule.min, "MaxCapacity": schedule.max},
            }
        )


def _each(minute: Minute, total: float) -> float | None:
    return total / minute.instances if minute.instances else None


def _mean_micros(minute: Minute) -> float | None:
    return sum(minute.seconds) / len(minute.seconds) * 1e6 if minute.seconds else None
