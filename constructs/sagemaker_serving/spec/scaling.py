"""How many instances, copies or warm workers there are, by load and by the clock.

Source: SageMaker developer guide, "Automatic scaling", "Autoscale an asynchronous endpoint",
"Scale an endpoint to zero instances", "Automatically scale Provisioned Concurrency";
Application Auto Scaling user guide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from sagemaker_serving.log_groups import ENDPOINTS
from sagemaker_serving.spec.aws import Aws
from sagemaker_serving.spec.base import Spec

INSTANCES = "sagemaker:variant:DesiredInstanceCount"
PROVISIONED = "sagemaker:variant:DesiredProvisionedConcurrency"
COPIES = "sagemaker:inference-component:DesiredCopyCount"
BACKLOG = "ApproximateBacklogSizePerInstance"
"""No predefined metric; of asynchronous endpoints only."""


@dataclass(frozen=True)
class Holds:
    """The metric that a field holds at its value, by the dimension that scales: all but `BACKLOG`
    are predefined ones. Source: Application Auto Scaling API, PredefinedMetricSpecification."""

    metrics: Mapping[str, str]


class Metric(Spec):
    """A metric of CloudWatch, minute by minute; without ``dimensions`` that of what is scaled."""

    metric_name: str
    """The metric's name, such as ``CPUUtilization``."""

    namespace: str = "AWS/SageMaker"
    """The metric's namespace; utilization is in ``/aws/sagemaker/Endpoints``."""

    statistic: Literal["Average", "Maximum", "Minimum", "SampleCount", "Sum"] = "Average"
    """How the values of a minute are combined."""

    dimensions: Annotated[dict[str, str] | None, Aws()] = None
    """The metric's dimensions; left out: the endpoint's and the variant's names, or the
    inference component's."""


class TrackedMetric(Metric):
    """Any metric of CloudWatch, held at a value by adding and removing capacity."""

    namespace: str = ENDPOINTS
    """The metric's namespace; invocations are in ``AWS/SageMaker``."""

    target: float
    """The value to hold, over 0."""


class Step(Spec):
    """A change of capacity while the metric lies between two bounds."""

    lower: Annotated[float | None, Aws("MetricIntervalLowerBound")] = None
    """The metric's value from which the step is taken; left out: whatever is below ``upper``."""

    upper: Annotated[float | None, Aws("MetricIntervalUpperBound")] = None
    """The metric's value up to which the step is taken; left out: whatever is above ``lower``."""

    change: Annotated[int, Aws("ScalingAdjustment")]
    """The instances, copies or workers to add; negative: to remove."""

    def counted_from(self, edge: float) -> Step:
        """The same with bounds as a policy has them, which counts from its alarm's threshold."""
        bounds = {"lower": self.lower, "upper": self.upper}
        given = {end: bound - edge for end, bound in bounds.items() if bound is not None}
        return self.model_copy(update=given)


def alarm_of(steps: Sequence[tuple[float | None, float | None, float]]) -> tuple[str, float] | None:
    """The comparison and threshold of the alarm that sets steps off, each lower, upper and change.

    None where they go both ways, or have no first bound.
    """
    upwards = all(change >= 0 for _, _, change in steps)
    bounds = [lower if upwards else upper for lower, upper, _ in steps]
    known = [bound for bound in bounds if bound is not None]
    if not known or not (upwards or all(change <= 0 for _, _, change in steps)):
        return None
    if upwards:
        return "GreaterThanOrEqualToThreshold", min(known)
    return "LessThanOrEqualToThreshold", max(known)


class StepPolicy(Metric):
    """Steps of capacity by the value of a metric."""

    steps: Annotated[
        list[Step],
        Aws(
            "StepAdjustments",
            also={"AdjustmentType": "ChangeInCapacity", "MetricAggregationType": "Average"},
        ),
    ]
    """1 to 20 adjacent steps, all upwards or all downwards."""

    evaluation_minutes: Annotated[int, Aws("EvaluationPeriods")] = 1
    """How many minutes in a row the metric has to be beyond the first step, at least 1."""

    cooldown_seconds: Annotated[int, Aws("Cooldown")] = 300
    """Seconds until the next step, 0 or more."""


class Schedule(Spec):
    """Other bounds from a point in time on."""

    name: Annotated[str, Aws("ScheduledActionName")]
    """The schedule's name."""

    schedule: str
    """``"cron(0 8 ? * MON-FRI *)"``, ``rate(1 day)`` or ``"at(2027-01-01T00:00:00)"``; in quotes,
    because some of these characters have a meaning in YAML."""

    timezone: str | None = None
    """The time zone of a cron or at expression, such as ``Europe/Berlin``; left out: UTC."""

    min: Annotated[int | None, Aws("ScalableTargetAction.MinCapacity")] = None
    """The fewest from then on; left out: as before."""

    max: Annotated[int | None, Aws("ScalableTargetAction.MaxCapacity")] = None
    """The most from then on; left out: as before."""


class Scaling(Spec):
    """Bounds for one variant or inference component, and the policies that scale it.

    ``min`` may be 0 for an asynchronous variant and for a component. A step policy then starts the
    first instance or copy: on the backlog (HasBacklogWithoutCapacity), or on refused requests
    (NoCapacityInvocationFailures).
    """

    min: Annotated[int, Aws("MinCapacity")]
    """The fewest instances, copies of a component, or provisioned workers of a serverless
    variant."""

    max: Annotated[int, Aws("MaxCapacity")]
    """The most of them, at least ``min``; equal to ``min``, it is a fixed number."""

    invocations_per_instance: Annotated[
        float | None,
        Aws(),
        Holds(
            {
                INSTANCES: "SageMakerVariantInvocationsPerInstance",
                COPIES: "SageMakerInferenceComponentInvocationsPerCopy",
            }
        ),
    ] = None
    """Requests per minute for each instance, or copy of a component, over 0."""

    concurrent_requests: Annotated[
        float | None,
        Aws(),
        Holds(
            {
                INSTANCES: "SageMakerVariantConcurrentRequestsPerModelHighResolution",
                COPIES: "SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution",
            }
        ),
    ] = None
    """Requests at the same time for each instance, or copy of a component, over 0; measured every
    ten seconds by high-resolution metrics."""

    backlog_per_instance: Annotated[float | None, Aws(), Holds({INSTANCES: BACKLOG})] = None
    """Waiting requests for each instance of an asynchronous endpoint, over 0."""

    provisioned_concurrency_utilization: Annotated[
        float | None,
        Aws(),
        Holds({PROVISIONED: "SageMakerVariantProvisionedConcurrencyUtilization"}),
    ] = None
    """The share of a serverless variant's provisioned workers that are busy, over 0 and up to 1."""

    tracked_metrics: Annotated[list[TrackedMetric], Aws()] = Field(default_factory=list)
    """Other metrics, each held at a target."""

    step_policies: Annotated[list[StepPolicy], Aws()] = Field(default_factory=list)
    """Policies that scale by steps of a metric."""

    schedules: Annotated[list[Schedule], Aws("ScheduledActions")] = Field(default_factory=list)
    """Other bounds at certain times."""

    scale_in_cooldown_seconds: Annotated[int, Aws("ScaleInCooldown")] = 300
    """Seconds after a removal until the next one, 0 or more."""

    scale_out_cooldown_seconds: Annotated[int, Aws("ScaleOutCooldown")] = 300
    """Seconds after an addition until the next one, 0 or more."""


HELD: Mapping[str, Mapping[str, str]] = {
    name: mark.metrics
    for name, field in Scaling.model_fields.items()
    for mark in field.metadata
    if isinstance(mark, Holds)
}
"""The fields that hold a metric of SageMaker's, each with `Holds`'s metrics."""

DIMENSION_OF = {metric: of for held in HELD.values() for of, metric in held.items()}
"""Each of these metrics, and what may be scaled by it."""
