"""Alarms that tests of deployments are watched by."""

from __future__ import annotations

from typing import Any

from tests.local_aws.aws import Aws


def alarm_of_errors(aws: Aws, name: str, endpoint: str, variant: str = "v", **more: Any) -> None:
    """An alarm that one 5XX of the endpoint's variant in a minute sets off, or as ``more`` says."""
    counted = {} if "ExtendedStatistic" in more else {"Statistic": "Sum"}
    aws.client("cloudwatch").put_metric_alarm(
        AlarmName=name,
        Namespace="AWS/SageMaker",
        Dimensions=[
            {"Name": "EndpointName", "Value": endpoint},
            {"Name": "VariantName", "Value": variant},
        ],
        **{
            "MetricName": "Invocation5XXErrors",
            "Period": 60,
            "EvaluationPeriods": 1,
            "Threshold": 1,
            "ComparisonOperator": "GreaterThanOrEqualToThreshold",
            "TreatMissingData": "notBreaching",
            **counted,
            **more,
        },
    )
