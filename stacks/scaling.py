"""What the file says of scaling, put on variants and components."""

from __future__ import annotations

from collections.abc import Mapping

from sagemaker_serving.infra import InferenceComponent, MovedEndpoint, Scaling
from sagemaker_serving.spec import Model, ServerlessVariant
from sagemaker_serving.spec import Scaling as ScalingSpec


def scale(
    model: Model, endpoint: MovedEndpoint, components: Mapping[str, InferenceComponent]
) -> None:
    """Registers every target that the file names, each with its policies and schedules."""
    serverless = {v.name for v in model.variants if isinstance(v, ServerlessVariant)}
    for name, spec in model.scaling.items():
        if name in components:
            target = components[name].scale_copies(min_capacity=spec.min, max_capacity=spec.max)
        elif name in serverless:
            target = endpoint.scale_provisioned_concurrency(
                name, min_capacity=spec.min, max_capacity=spec.max
            )
        else:
            target = endpoint.scale_instances(name, min_capacity=spec.min, max_capacity=spec.max)
        _add_tracking(target, spec)
        for number, policy in enumerate(spec.step_policies, start=1):
            target.scale_on_metric(
                f"Steps{number}",
                policy,
                policy.steps,
                evaluation_minutes=policy.evaluation_minutes,
                cooldown=policy.cooldown_seconds,
            )
        for schedule in spec.schedules:
            target.scale_on_schedule(
                schedule.name,
                schedule.schedule,
                time_zone=schedule.timezone,
                min_capacity=schedule.min,
                max_capacity=schedule.max,
            )


def _add_tracking(target: Scaling, spec: ScalingSpec) -> None:
    cooldowns = {
        "scale_in_cooldown": spec.scale_in_cooldown_seconds,
        "scale_out_cooldown": spec.scale_out_cooldown_seconds,
    }
    for value, track in (
        (spec.invocations_per_instance, target.scale_on_invocations),
        (spec.concurrent_requests, target.scale_on_concurrent_requests),
        (spec.backlog_per_instance, target.scale_on_backlog),
        (spec.provisioned_concurrency_utilization, target.scale_on_utilization),
    ):
        if value is not None:
            track(value, **cooldowns)
    for number, tracked in enumerate(spec.tracked_metrics, start=1):
        target.scale_to_track_metric(f"Tracked{number}", tracked, tracked.target, **cooldowns)
