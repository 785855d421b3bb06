"""Application Auto Scaling's targets of an endpoint, as the field ``scaling``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from local_aws.template import Unknown
from sagemaker_serving.catalog.endpoint_metrics import OF_WAITING
from sagemaker_serving.operations.adoption.draft import Path
from sagemaker_serving.operations.adoption.members import Reading, is_unknown, open_, plain, take
from sagemaker_serving.rules.template.marks import MARK, text_with_marks
from sagemaker_serving.rules.template.resources import Resource
from sagemaker_serving.spec.scaling import HELD, Metric, Scaling, StepPolicy, TrackedMetric

TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"
POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"
ALARM = "AWS::CloudWatch::Alarm"
_FIELD_OF = {metric: field for field, held in HELD.items() for metric in held.values()}


def read_scaling(reading: Reading, resource_id: str, path: Path) -> None:
    """Writes bounds, policies and schedules of what Application Auto Scaling calls ``resource_id``.

    A logical id stands for a name that only a deploy knows.
    """
    for target in reading.of(TARGET):
        text = text_with_marks(target.properties.get("ResourceId").value)
        if text is not None and text.replace(MARK, "") == resource_id:
            _target(reading, target, path)


def _target(reading: Reading, target: Resource, path: Path) -> None:
    members = plain(reading.resources.numbered(target.properties).value)
    reading.by_fields(Scaling, members, path)
    for policy in reading.of(POLICY):
        if _is_of(policy, target):
            _policy(reading, policy, path)


def _is_of(policy: Resource, target: Resource) -> bool:
    reference = policy.properties.get("ScalingTargetId").value
    if reference is not None:
        return isinstance(reference, Unknown) and reference.name == target.logical_id
    return all(
        text_with_marks(policy.properties.get(name).value)
        == text_with_marks(target.properties.get(name).value)
        for name in ("ResourceId", "ScalableDimension")
    )


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
    reading.by_fields(Scaling, tracking, path)
    if tracking.get("DisableScaleIn") is True:
        reading.draft.remark(path, "the policy never scaled in; here it does")
    held = _FIELD_OF.get(str(predefined or metric.get("MetricName")))
    if held is not None:
        reading.draft.set((*path, held), tracking["TargetValue"])
    elif metric.get("MetricName") is not None:
        at = _next(reading, (*path, "tracked_metrics"))
        _metric(reading, TrackedMetric, metric, at)
        reading.draft.set((*at, "target"), tracking["TargetValue"])
    else:
        reading.draft.remark(path, f"the metric {predefined or 'of a formula'} has no field")


def _next(reading: Reading, field: Path) -> Path:
    """Where the next entry of a list stands."""
    return (*field, len(reading.draft.get(field) or ()))


def _metric(reading: Reading, spec: type[Metric], members: Any, at: Path) -> None:
    """Writes a metric; dimensions that name the endpoint itself are those that are left out."""
    reading.by_fields(spec, members, at)
    dimensions = {
        one.get("Name"): one.get("Value")
        for one in members.get("Dimensions") or ()
        if one.get("Name") not in ("EndpointName", "VariantName", "InferenceComponentName")
    }
    if dimensions:
        reading.draft.set((*at, "dimensions"), dimensions)


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
    for step in stepping.get("StepAdjustments") or ():
        for bound in {"MetricIntervalLowerBound", "MetricIntervalUpperBound"} & step.keys():
            step[bound] += alarm.get("Threshold") or 0
    changed, _ = (take(stepping, name) for name in ("AdjustmentType", "MetricAggregationType"))
    if changed != "ChangeInCapacity":
        reading.draft.remark(path, f"{called} changed by {changed}")
    at = _next(reading, (*path, "step_policies"))
    _metric(reading, StepPolicy, alarm, at)
    reading.by_fields(StepPolicy, stepping, at)


def _alarms(reading: Reading, policy: Resource) -> Iterator[dict[str, Any]]:
    for alarm in reading.of(ALARM):
        actions = alarm.properties.get("AlarmActions").items()
        if any(getattr(one.value, "name", None) == policy.logical_id for one in actions):
            yield plain(reading.resources.numbered(alarm.properties).value)
