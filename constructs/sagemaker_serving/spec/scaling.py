"""How many instances, copies or warm workers there are, by load and by the clock.

Source: SageMaker developer guide, "Automatic scaling", "Autoscale an asynchronous endpoint",
"Scale an endpoint to zero instances", "Automatically scale Provisioned Concurrency";
Application Auto Scaling user guide.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sagemaker_serving.log_groups import ENDPOINTS
from sagemaker_serving.spec.base import Spec


class TrackedMetric(Spec):
    """Any metric of CloudWatch, held at a value by adding and removing capacity."""

    metric_name: str
    """The metric's name, such as ``CPUUtilization``."""

    namespace: str = ENDPOINTS
    """The metric's namespace; invocations are in ``AWS/SageMaker``."""

    statistic: Literal["Average", "Maximum", "Minimum", "SampleCount", "Sum"] = "Average"
    """How the values of a minute are combined."""

    dimensions: dict[str, str] | None = None
    """The metric's dimensions; left out: the endpoint's and the variant's names, or the
    inference component's."""

    target: float
    """The value to hold, over 0."""


class Step(Spec):
    """A change of capacity while the metric lies between two bounds."""

    lower: float | None = None
    """The metric's value from which the step is taken; left out: whatever is below ``upper``."""

    upper: float | None = None
    """The metric's value up to which the step is taken; left out: whatever is above ``lower``."""

    change: int
    """The instances, copies or workers to add; negative: to remove."""


class StepPolicy(Spec):
    """Steps of capacity by the value of a metric."""

    metric_name: str
    """The metric's name."""

    namespace: str = "AWS/SageMaker"
    """The metric's namespace; utilization is in ``/aws/sagemaker/Endpoints``."""

    statistic: Literal["Average", "Maximum", "Minimum", "SampleCount", "Sum"] = "Average"
    """How the values of a minute are combined."""

    dimensions: dict[str, str] | None = None
    """The metric's dimensions; left out: the endpoint's and the variant's names, or the
    inference component's."""

    steps: list[Step]
    """1 to 20 adjacent steps, all upwards or all downwards."""

    evaluation_minutes: int = 1
    """How many minutes in a row the metric has to be beyond the first step, at least 1."""

    cooldown_seconds: int = 300
    """Seconds until the next step, 0 or more."""


class Schedule(Spec):
    """Other bounds from a point in time on."""

    name: str
    """The schedule's name."""

    schedule: str
    """``"cron(0 8 ? * MON-FRI *)"``, ``rate(1 day)`` or ``"at(2027-01-01T00:00:00)"``; in quotes,
    because some of these characters have a meaning in YAML."""

    timezone: str | None = None
    """The time zone of a cron or at expression, such as ``Europe/Berlin``; left out: UTC."""

    min: int | None = None
    """The fewest from then on; left out: as before."""

    max: int | None = None
    """The most from then on; left out: as before."""


class Scaling(Spec):
    """Bounds for one variant or inference component, and the policies that scale it.

    An asynchronous variant's and a component's ``min`` may be 0: then a step policy is added that
    starts them, on the backlog (HasBacklogWithoutCapacity) and on refused requests
    (NoCapacityInvocationFailures).
    """

    min: int
    """The fewest instances, copies of a component, or provisioned workers of a serverless
    variant."""

    max: int
    """The most of them, at least ``min``; the same as ``min`` is a fixed number."""

    invocations_per_instance: float | None = None
    """Requests per minute for each instance, or copy of a component, over 0."""

    concurrent_requests: float | None = None
    """Requests at the same time for each instance, or copy of a component, over 0; measured every
    ten seconds by high-resolution metrics."""

    backlog_per_instance: float | None = None
    """Waiting requests for each instance of an asynchronous endpoint, over 0."""

    provisioned_concurrency_utilization: float | None = None
    """The busy share of a serverless variant's warm workers, over 0 and up to 1."""

    tracked_metrics: list[TrackedMetric] = Field(default_factory=list)
    """Other metrics, each held at a target."""

    step_policies: list[StepPolicy] = Field(default_factory=list)
    """Policies that scale by steps of a metric."""

    schedules: list[Schedule] = Field(default_factory=list)
    """Other bounds at certain times."""

    scale_in_cooldown_seconds: int = 300
    """Seconds after a removal until the next one, 0 or more."""

    scale_out_cooldown_seconds: int = 300
    """Seconds after an addition until the next one, 0 or more."""
