"""The two alarms of a target tracking policy, which Application Auto Scaling makes and deletes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

from local_aws.protocol import AwsError
from local_aws.scaling import ScalableDimension, TrackedMetric
from local_aws.scaling.policies import TargetTracking
from local_aws.services.autoscaling.store import Record

_PERIODS = {60: (3, 15), 10: (3, 90)}
"""How many periods of so many seconds are above the target, or below 90 % of it, before something
is done. Of a metric of 10 seconds, AlarmLow's 90 are measured: huggingface/skills,
hf-cloud-sagemaker-deployment; that AlarmHigh has 3, too, is inferred."""


def alarms_of(policy: Record, dimension: ScalableDimension | None) -> Iterator[Mapping[str, Any]]:
    """What PutMetricAlarm is to be given: first AlarmHigh, then AlarmLow, named anew.

    None for metrics of services that do not scale here, and for metric math. Raises `AwsError`.
    """
    metric = _metric_of(policy, dimension)
    if metric is None:
        return
    tracking = TargetTracking.of(policy)
    above, below = _PERIODS[metric.period_seconds]
    for kind, operator, threshold, periods in (
        ("AlarmHigh", "GreaterThanThreshold", tracking.target, above),
        ("AlarmLow", "LessThanThreshold", tracking.low, below),
    ):
        yield {
            "AlarmName": f"TargetTracking-{policy['ResourceId']}-{kind}-{uuid4()}",
            "AlarmDescription": "DO NOT EDIT OR DELETE. For TargetTrackingScaling policy "
            f"{policy['PolicyARN']}.",
            "AlarmActions": [policy["PolicyARN"]],
            "Namespace": metric.namespace,
            "MetricName": metric.name,
            "Dimensions": [
                {"Name": name, "Value": value} for name, value in metric.dimensions.items()
            ],
            "Statistic": metric.statistic,
            "Period": metric.period_seconds,
            "EvaluationPeriods": periods,
            "Threshold": threshold,
            "ComparisonOperator": operator,
        }


def _metric_of(policy: Record, dimension: ScalableDimension | None) -> TrackedMetric | None:
    config = policy["TargetTrackingScalingPolicyConfiguration"]
    own = config.get("CustomizedMetricSpecification", {})
    if "MetricName" in own:
        return TrackedMetric(
            namespace=own["Namespace"],
            name=own["MetricName"],
            dimensions={each["Name"]: each["Value"] for each in own.get("Dimensions", [])},
            statistic=own["Statistic"],
        )
    kind = config.get("PredefinedMetricSpecification", {}).get("PredefinedMetricType")
    if kind is None or dimension is None:
        return None
    known = dimension.metrics(policy["ResourceId"])
    if kind not in known:
        raise AwsError(
            "ValidationException",
            f"PredefinedMetricType '{kind}' is none of {policy['ScalableDimension']}; "
            f"it has {', '.join(known)}",
        )
    return known[kind]
