"""Scaling: capacity that follows the load, or the clock, between two bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_applicationautoscaling as autoscaling
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.scaling.values import Scaled, ScalingMetric, ScalingStep
from sagemaker_serving.infra.synth.fields import properties_of
from sagemaker_serving.infra.synth.tokens import stands_in
from sagemaker_serving.spec.aws import aws_values
from sagemaker_serving.spec.scaling import BACKLOG, Metric, Schedule, Step, StepPolicy, alarm_of
from sagemaker_serving.spec.scaling import Scaling as Fields

_SERVICE = "sagemaker"


class Scaling(Construct):
    """Bounds for the instances of a variant, copies of a component, or warm workers.

    Made by `Endpoint.scale_instances`, `Endpoint.scale_provisioned_concurrency`
    and `InferenceComponent.scale_copies`. With bounds alone the number only
    moves when something else moves it. Application Auto Scaling acts under its
    own service-linked role.

    A policy's cooldowns are in seconds, 0 or more. A variant with a target
    keeps its instance type, and stays: SageMaker refuses another type, and to
    remove it, until the target is gone. CloudFormation removes the target only
    after the endpoint's update, so either change takes a deploy without its
    scaling before. Source: SageMaker developer guide, automatic scaling, and
    Application Auto Scaling user guide, SageMaker.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        scaled: Scaled,
        min_capacity: int,
        max_capacity: int,
    ) -> None:
        super().__init__(scope, construct_id)
        stands_in(self, scope)
        bounds = (min_capacity, max_capacity)
        is_possible = 0 <= min_capacity <= max_capacity and max_capacity >= 1
        if not is_possible and not any(map(cdk.Token.is_unresolved, bounds)):
            raise Mistake(
                f"{self.node.path}: min_capacity is {min_capacity} and max_capacity is "
                f"{max_capacity}; max_capacity is at least 1 and at least min_capacity"
            )
        self._scaled = scaled
        self._schedules: list[dict[str, Any]] = []
        self._target = autoscaling.CfnScalableTarget(
            self,
            "Resource",
            service_namespace=_SERVICE,
            scalable_dimension=scaled.dimension,
            resource_id=scaled.resource_id,
            **properties_of(aws_values(Fields, {"min": min_capacity, "max": max_capacity})),
        )
        self._wakes = False
        if min_capacity == 0:
            self.wake_from_zero()

    def scale_on_invocations(
        self, per_minute: float, *, scale_in_cooldown: int = 300, scale_out_cooldown: int = 300
    ) -> None:
        """Holds the requests of each instance, or copy, at ``per_minute``."""
        cooldowns = (scale_in_cooldown, scale_out_cooldown)
        self._hold("Invocations", "invocations_per_instance", per_minute, *cooldowns)

    def scale_on_concurrent_requests(
        self, at_once: float, *, scale_in_cooldown: int = 300, scale_out_cooldown: int = 300
    ) -> None:
        """Holds the requests that each instance, or copy, has at once; seen every ten seconds."""
        cooldowns = (scale_in_cooldown, scale_out_cooldown)
        self._hold("ConcurrentRequests", "concurrent_requests", at_once, *cooldowns)

    def scale_on_utilization(
        self, share: float, *, scale_in_cooldown: int = 300, scale_out_cooldown: int = 300
    ) -> None:
        """Holds the busy share of warm serverless workers, over 0 and up to 1."""
        cooldowns = (scale_in_cooldown, scale_out_cooldown)
        self._hold("Utilization", "provisioned_concurrency_utilization", share, *cooldowns)

    def scale_on_backlog(
        self, per_instance: float, *, scale_in_cooldown: int = 300, scale_out_cooldown: int = 300
    ) -> None:
        """Holds the requests that wait for each instance of an asynchronous endpoint."""
        endpoint = {"EndpointName": self._scaled.dimensions["EndpointName"]}
        self.scale_to_track_metric(
            "Backlog",
            ScalingMetric(metric_name=BACKLOG, dimensions=endpoint),
            per_instance,
            scale_in_cooldown=scale_in_cooldown,
            scale_out_cooldown=scale_out_cooldown,
        )

    def scale_to_track_metric(
        self,
        name: str,
        metric: Metric,
        target: float,
        *,
        scale_in_cooldown: int = 300,
        scale_out_cooldown: int = 300,
    ) -> None:
        """Holds any metric at ``target``; it has to fall as capacity grows. ``name`` is an id."""
        self._track(
            name,
            target,
            {"CustomizedMetricSpecification": self._members(metric)},
            scale_in_cooldown,
            scale_out_cooldown,
        )

    def scale_on_metric(
        self,
        name: str,
        metric: Metric,
        steps: Sequence[Step],
        *,
        evaluation_minutes: int = 1,
        cooldown: int = 300,
    ) -> None:
        """Adds or removes capacity in steps, by how far the metric is from the first of them.

        The steps stand beside one another, and all add or all remove. An alarm
        looks at the metric each minute, and sets the policy off once it was
        beyond the first step for ``evaluation_minutes`` in a row.

        Raises `Mistake` for steps of both directions, or without a first bound.
        """
        alarm = alarm_of([(step.lower, step.upper, step.change) for step in steps])
        if alarm is None:
            raise Mistake(
                f"{self.node.path}: the steps of {name!r} must all add, each from a lower bound, "
                "or all remove, each below an upper one; write two policies for both"
            )
        comparison, edge = alarm
        counted = [step.counted_from(edge) for step in steps]
        stepping = aws_values(StepPolicy, {"steps": counted, "cooldown_seconds": cooldown})
        policy = self._policy(name, "StepScaling", stepping)
        cloudwatch.CfnAlarm(
            self,
            f"{name}Alarm",
            alarm_description=f"Scales {self._scaled.resource_id} by {metric.metric_name}",
            **properties_of(
                {
                    **self._members(metric),
                    **aws_values(StepPolicy, {"evaluation_minutes": evaluation_minutes}),
                }
            ),
            period=60,
            threshold=edge,
            comparison_operator=comparison,
            treat_missing_data="notBreaching",
            alarm_actions=[policy.ref],
        )

    def wake_from_zero(self) -> None:
        """Adds one when requests find nothing to answer them: what leads out of 0.

        Target tracking alone never does, since no capacity tells no metric. A ``min_capacity`` of 0
        does it by itself; it is to be called where something else leads to 0.
        Raises `Mistake` for what has no such metric.
        """
        if self._wakes:
            return
        self._wakes = True
        if self._scaled.waking_metric is None:
            raise Mistake(
                f"{self.node.path}: only asynchronous variants and inference components wake from 0"
            )
        self.scale_on_metric(
            "WakeUp", self._scaled.waking_metric, [ScalingStep(lower=1, change=1)], cooldown=60
        )

    def scale_on_schedule(
        self,
        name: str,
        schedule: str,
        *,
        time_zone: str | None = None,
        min_capacity: int | None = None,
        max_capacity: int | None = None,
    ) -> None:
        """Other bounds from a point in time on: ``cron(…)``, ``rate(…)`` or ``at(…)``."""
        schedule_of = {
            "name": name,
            "schedule": schedule,
            "timezone": time_zone,
            "min": min_capacity,
            "max": max_capacity,
        }
        self._schedules.append(aws_values(Schedule, schedule_of))
        actions = properties_of({"ScheduledActions": self._schedules})
        self._target.scheduled_actions = actions["scheduled_actions"]

    def _hold(
        self, name: str, field: str, target: float, scale_in_cooldown: int, scale_out_cooldown: int
    ) -> None:
        metric = self._scaled.holding(field)
        if metric is None:
            raise Mistake(f"{self.node.path}: {self._scaled.dimension} has no metric of {name}")
        specification = {"PredefinedMetricSpecification": {"PredefinedMetricType": metric}}
        self._track(name, target, specification, scale_in_cooldown, scale_out_cooldown)

    def _track(
        self,
        name: str,
        target: float,
        specification: Mapping[str, Any],
        scale_in_cooldown: int,
        scale_out_cooldown: int,
    ) -> None:
        cooldowns = {
            "scale_in_cooldown_seconds": scale_in_cooldown,
            "scale_out_cooldown_seconds": scale_out_cooldown,
        }
        tracking = {"TargetValue": target, **aws_values(Fields, cooldowns), **specification}
        self._policy(name, "TargetTrackingScaling", tracking)

    def _policy(
        self, name: str, kind: str, configuration: Mapping[str, Any]
    ) -> autoscaling.CfnScalingPolicy:
        members = {
            "PolicyName": name,
            "PolicyType": kind,
            "ScalingTargetId": self._target.ref,
            f"{kind}PolicyConfiguration": dict(configuration),
        }
        return autoscaling.CfnScalingPolicy(self, name, **properties_of(members))

    def _members(self, metric: Metric) -> dict[str, Any]:
        given = metric.dimensions
        dimensions = self._scaled.dimensions if given is None else given
        named = [{"Name": name, "Value": value} for name, value in dimensions.items()]
        return {**aws_values(Metric, vars(metric)), "Dimensions": named}
