"""What scaling is told: what scales, by which metric, in which steps."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from aws_cdk import aws_applicationautoscaling as autoscaling

from sagemaker_serving.errors import Mistake

INSTANCES = "sagemaker:variant:DesiredInstanceCount"
PROVISIONED = "sagemaker:variant:DesiredProvisionedConcurrency"
COPIES = "sagemaker:inference-component:DesiredCopyCount"

_ENDPOINTS = "AWS/SageMaker"


@dataclass(frozen=True, kw_only=True)
class ScalingMetric:
    """A metric of CloudWatch, minute by minute; without ``dimensions`` that of what is scaled."""

    metric_name: str
    namespace: str = _ENDPOINTS
    statistic: Literal["Average", "Maximum", "Minimum", "SampleCount", "Sum"] = "Average"
    dimensions: Mapping[str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class ScalingStep:
    """A change of capacity while a metric is from ``lower`` up to ``upper``; None: without end."""

    change: int
    lower: float | None = None
    upper: float | None = None


@dataclass(frozen=True, kw_only=True)
class Scaled:
    """What is scaled, in the words of Application Auto Scaling, and its predefined metrics.

    ``waking_metric`` tells that requests find no capacity at all; its dimensions are
    ``waking_dimensions``.
    """

    resource_id: str
    dimension: str
    dimensions: Mapping[str, str]
    invocations: str | None = None
    concurrent_requests: str | None = None
    waking_metric: ScalingMetric | None = None


def pascal(name: str) -> str:
    """A user's name as a part of a construct's id."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^a-zA-Z0-9]+", name))


def first_bound(path: str, name: str, steps: Sequence[ScalingStep]) -> tuple[bool, float]:
    """Whether the steps add capacity, and the value from which on the first one is taken.

    Raises `Mistake`, which begins with ``path``, when they go both ways or have no such value.
    """
    changes = [step.change for step in steps]
    upwards = all(change >= 0 for change in changes)
    bounds = [step.lower if upwards else step.upper for step in steps]
    one_way = upwards or all(change <= 0 for change in changes)
    if not steps or not one_way or all(bound is None for bound in bounds):
        raise Mistake(
            f"{path}: the steps of {name!r} must all add, each from a lower bound, or "
            "all remove, each below an upper one; write two policies for both"
        )
    return upwards, (min if upwards else max)(bound for bound in bounds if bound is not None)


def stepwise(
    steps: Sequence[ScalingStep], edge: float, cooldown: int
) -> autoscaling.CfnScalingPolicy.StepScalingPolicyConfigurationProperty:
    """The steps as Application Auto Scaling takes them: counted from the alarm's threshold."""
    policy = autoscaling.CfnScalingPolicy
    return policy.StepScalingPolicyConfigurationProperty(
        adjustment_type="ChangeInCapacity",
        metric_aggregation_type="Average",
        cooldown=cooldown,
        step_adjustments=[
            policy.StepAdjustmentProperty(
                scaling_adjustment=step.change,
                metric_interval_lower_bound=None if step.lower is None else step.lower - edge,
                metric_interval_upper_bound=None if step.upper is None else step.upper - edge,
            )
            for step in steps
        ],
    )
