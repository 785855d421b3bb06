"""The policies of the shipped and documented files, played over loads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from aws_cdk.assertions import Template

from local_aws.scaling import (
    Bounds,
    Change,
    Metric,
    ScheduledAction,
    StepScaling,
    TargetTracking,
    simulate,
)
from tests.stacks.kinds import Kinds

PREFIX = "AWS::ApplicationAutoScaling::"


def per_instance(load: Sequence[float]) -> Metric:
    """The load of each instance; without any nothing is told."""
    return lambda minute, capacity: load[minute] / capacity if capacity else None


def without_capacity(load: Sequence[float]) -> Metric:
    """1 while there is load and no instance, as HasBacklogWithoutCapacity tells."""
    return lambda minute, capacity: float(load[minute] > 0 and capacity == 0)


METRICS: dict[str, Callable[[Sequence[float]], Metric]] = {
    "SageMakerVariantInvocationsPerInstance": per_instance,
    "SageMakerVariantConcurrentRequestsPerModelHighResolution": per_instance,
    "ApproximateBacklogSizePerInstance": per_instance,
    "HasBacklogWithoutCapacity": without_capacity,
}


def played(
    template: Template,
    variant: str,
    load: Sequence[float],
    *,
    capacity: int,
    start: datetime | None = None,
) -> list[Change]:
    """The changes that all that is rendered for a variant would have made under ``load``."""
    ((name, target),) = (
        (name, found["Properties"])
        for name, found in template.find_resources(f"{PREFIX}ScalableTarget").items()
        if str(found["Properties"]["ResourceId"]).endswith(f"/variant/{variant}']]}}")
    )
    return simulate(
        bounds=Bounds(minimum=target["MinCapacity"], maximum=target["MaxCapacity"]),
        capacity=capacity,
        policies=list(policies(template, name, load)),
        minutes=len(load),
        actions=[ScheduledAction.of(action) for action in target.get("ScheduledActions", [])],
        start=start,
    )


def policies(
    template: Template, target: str, load: Sequence[float]
) -> Iterator[TargetTracking | StepScaling]:
    for name, resource in template.find_resources(f"{PREFIX}ScalingPolicy").items():
        policy = resource["Properties"]
        if policy["ScalingTargetId"] != {"Ref": target}:
            continue
        if policy["PolicyType"] == "StepScaling":
            alarm = alarm_of(template, name)
            yield StepScaling.of(policy, alarm, METRICS[alarm["MetricName"]](load))
            continue
        tracked = policy["TargetTrackingScalingPolicyConfiguration"]
        known = tracked.get("PredefinedMetricSpecification", {}).get("PredefinedMetricType")
        own = tracked.get("CustomizedMetricSpecification", {}).get("MetricName")
        yield TargetTracking.of(policy, METRICS[known if known is not None else own](load))


def alarm_of(template: Template, policy: str) -> Any:
    """The alarm that sets a policy off."""
    (alarm,) = (
        found["Properties"]
        for found in template.find_resources("AWS::CloudWatch::Alarm").values()
        if {"Ref": policy} in found["Properties"].get("AlarmActions", [])
    )
    return alarm


def moves(changes: Sequence[Change]) -> list[tuple[int, int, int]]:
    return [(change.minute, change.before, change.after) for change in changes]


def test_productions_variant_meets_a_peak_within_its_bounds_and_returns(synthesized: Any) -> None:
    load = [400.0] * 10 + [1500.0] * 20 + [100.0] * 40
    changes = played(synthesized.template("prod", "digits"), "cpu", load, capacity=2)
    assert moves(changes) == [
        (12, 2, 4),  # three minutes above 300 for each of two; five are wanted, four allowed
        (44, 4, 2),  # fifteen minutes below 270, and never fewer than two
    ]


def test_productions_working_hours_begin_with_more_instances(synthesized: Any) -> None:
    monday_in_dublin = datetime(2026, 11, 23, 6, 50, tzinfo=UTC)
    changes = played(
        synthesized.template("prod", "digits"),
        "gpu",
        [10.0] * 13 * 60,
        capacity=2,
        start=monday_in_dublin,
    )
    assert moves(changes) == [
        (10, 2, 4),  # at seven; no load makes it fewer than four
        (730, 4, 2),  # at seven in the evening two are allowed, as the load has long called for
    ]


def test_an_asynchronous_endpoint_wakes_works_and_goes_to_zero_again(kinds: Kinds) -> None:
    load = [0.0] * 5 + [100.0] * 10 + [0.0] * 20
    changes = played(kinds.template("asynchronous"), "cpu", load, capacity=0)
    assert moves(changes) == [
        (5, 0, 1),  # the first request wakes one
        (8, 1, 5),  # three minutes of a backlog of a hundred: ten are wanted
        (29, 5, 0),  # fifteen minutes without
    ]
