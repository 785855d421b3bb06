"""Application Auto Scaling's targets of an endpoint, as the field ``scaling``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.template import Unknown
from sagemaker_serving.catalog.endpoint_metrics import OF_WAITING
from sagemaker_serving.operations.adoption.draft import Path
from sagemaker_serving.operations.adoption.members import Reading, is_unknown, open_, plain
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.scaling.metrics import BACKLOG
from sagemaker_serving.rules.template.marks import MARK, text_with_marks
from sagemaker_serving.rules.template.resources import Resource

TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"
POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"
ALARM = "AWS::CloudWatch::Alarm"
_PREDEFINED = {
    "SageMakerVariantInvocationsPerInstance": "invocations_per_instance",
    "SageMakerVariantConcurrentRequestsPerModelHighResolution": "concurrent_requests",
    "SageMakerVariantProvisionedConcurrencyUtilization": "provisioned_concurrency_utilization",
    "SageMakerInferenceComponentInvocationsPerCopy": "invocations_per_instance",
    "SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution": "concurrent_requests",
}
_COOLDOWNS = {
    "ScaleInCooldown": "scale_in_cooldown_seconds",
    "ScaleOutCooldown": "scale_out_cooldown_seconds",
}


def read_scaling(reading: Reading, resource_id: str, path: Path) -> None:
    """Writes bounds, policies and schedules of what Application Auto Scaling calls ``resource_id``.

    A logical id stands for a name that only a deploy knows.
    """
    for target in reading.of(TARGET):
        text = text_with_marks(target.properties.get("ResourceId").value)
        if text is not None and text.replace(MARK, "") == resource_id:
            _target(reading, target, path)


def _target(reading: Reading, target: Resource, path: Path) -> None:
    numbers = reading.resources.numbered(target.properties)
    for member, field in (("MinCapacity", "min"), ("MaxCapacity", "max")):
        _number(reading, path, field, numbers.get(member))
    for policy in reading.of(POLICY):
        if _is_of(policy, target):
            _policy(reading, policy, path)
    schedules = [_schedule(action) for action in numbers.get("ScheduledActions").items()]
    if schedules and not is_unknown(schedules):
        reading.draft.set((*path, "schedules"), schedules)
    elif schedules:
        reading.draft.remark((*path, "schedules"), open_("ScheduledActions"))


def _is_of(policy: Resource, target: Resource) -> bool:
    reference = policy.properties.get("ScalingTargetId").value
    if reference is not None:
        return isinstance(reference, Unknown) and reference.name == target.logical_id
    return all(
        text_with_marks(policy.properties.get(name).value)
        == text_with_marks(target.properties.get(name).value)
        for name in ("ResourceId", "ScalableDimension")
    )


def _number(reading: Reading, path: Path, field: str, given: Fact) -> None:
    if given.number is not None:
        reading.draft.set((*path, field), given.number)
    elif given.given:
        reading.draft.remark((*path, field), open_(given.name))


def _schedule(action: Fact) -> dict[str, Any]:
    bounds = action.get("ScalableTargetAction")
    fields = {
        "name": action.get("ScheduledActionName").value,
        "schedule": action.get("Schedule").value,
        "timezone": action.get("Timezone").value,
        "min": bounds.get("MinCapacity").value,
        "max": bounds.get("MaxCapacity").value,
    }
    return {field: value for field, value in fields.items() if value is not None}


def _policy(reading: Reading, policy: Resource, path: Path) -> None:
    numbers = reading.resources.numbered(policy.properties)
    tracking = numbers.get("TargetTrackingScalingPolicyConfiguration")
    if tracking.given:
        _tracking(reading, plain(tracking.value), path)
    elif numbers.get("StepScalingPolicyConfiguration").given:
        _steps(reading, policy, plain(numbers.get("StepScalingPolicyConfiguration").value), path)
    else:
        kind = numbers.get("PolicyType").text
        reading.draft.remark(path, f"a policy of type {kind} has no field; it is left out")


def _tracking(reading: Reading, tracking: Any, path: Path) -> None:
    if is_unknown(tracking.get("TargetValue")):
        reading.draft.remark(path, f"a target of {open_('TargetValue')}")
        return
    predefined = (tracking.get("PredefinedMetricSpecification") or {}).get("PredefinedMetricType")
    metric = tracking.get("CustomizedMetricSpecification") or {}
    for member, field in _COOLDOWNS.items():
        if isinstance(tracking.get(member), int):
            reading.draft.set((*path, field), tracking[member])
    if tracking.get("DisableScaleIn") is True:
        reading.draft.remark(path, "the policy never scaled in; here it does")
    if predefined in _PREDEFINED:
        reading.draft.set((*path, _PREDEFINED[predefined]), tracking["TargetValue"])
    elif metric.get("MetricName") == BACKLOG:
        reading.draft.set((*path, "backlog_per_instance"), tracking["TargetValue"])
    elif metric.get("MetricName") is not None:
        fields = {**_metric(metric), "target": tracking["TargetValue"]}
        earlier = reading.draft.get((*path, "tracked_metrics")) or ()
        reading.draft.set((*path, "tracked_metrics"), [*earlier, fields])
    else:
        reading.draft.remark(path, f"the metric {predefined or 'of a formula'} has no field")


def _metric(metric: Mapping[str, Any]) -> dict[str, Any]:
    """A metric's fields; dimensions that name the endpoint itself are those that are left out."""
    dimensions = {
        one.get("Name"): one.get("Value")
        for one in metric.get("Dimensions") or ()
        if one.get("Name") not in ("EndpointName", "VariantName", "InferenceComponentName")
    }
    fields = {
        "metric_name": metric.get("MetricName"),
        "namespace": metric.get("Namespace"),
        "statistic": metric.get("Statistic"),
        "dimensions": dimensions or None,
    }
    return {field: value for field, value in fields.items() if value is not None}


def _steps(reading: Reading, policy: Resource, stepping: Any, path: Path) -> None:
    alarms = list(_alarms(reading, policy))
    if any(alarm.get("MetricName") in OF_WAITING for alarm in alarms):
        return  # scaling with a min of 0 makes this policy itself
    called = policy.properties.get("PolicyName").text or policy.logical_id
    if len(alarms) != 1 or is_unknown(stepping) or is_unknown(alarms[0].get("Threshold")):
        reading.draft.remark(
            (*path, "step_policies"), f"the alarm of {called} is not beside it; write its steps"
        )
        return
    (alarm,) = alarms
    edge = alarm.get("Threshold") or 0
    steps = [
        {
            field: value
            for field, value in (
                ("lower", _bound(step.get("MetricIntervalLowerBound"), edge)),
                ("upper", _bound(step.get("MetricIntervalUpperBound"), edge)),
                ("change", step.get("ScalingAdjustment")),
            )
            if value is not None
        }
        for step in stepping.get("StepAdjustments") or ()
    ]
    if stepping.get("AdjustmentType") != "ChangeInCapacity":
        reading.draft.remark(path, f"{called} changed by {stepping.get('AdjustmentType')}")
    fields = {**_metric(alarm), "steps": steps}
    for field, value in (
        ("evaluation_minutes", alarm.get("EvaluationPeriods")),
        ("cooldown_seconds", stepping.get("Cooldown")),
    ):
        if isinstance(value, int):
            fields[field] = value
    earlier = reading.draft.get((*path, "step_policies")) or ()
    reading.draft.set((*path, "step_policies"), [*earlier, fields])


def _bound(offset: Any, edge: float) -> float | None:
    return None if offset is None else edge + offset


def _alarms(reading: Reading, policy: Resource) -> Iterator[dict[str, Any]]:
    for alarm in reading.of(ALARM):
        actions = alarm.properties.get("AlarmActions").items()
        if any(getattr(one.value, "name", None) == policy.logical_id for one in actions):
            yield plain(reading.resources.numbered(alarm.properties).value)
