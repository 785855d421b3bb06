"""Alarms that tests of deployments are watched by."""

from __future__ import annotations

from tests.local_aws.aws import Aws


def alarm_of_errors(aws: Aws, name: str, endpoint: str) -> None:
    """An alarm that one 5XX of the endpoint's variant "v" in a minute sets off."""
    aws.client("cloudwatch").put_metric_alarm(
        AlarmName=name,
        Namespace="AWS/SageMaker",
        MetricName="Invocation5XXErrors",
        Dimensions=[
            {"Name": "EndpointName", "Value": endpoint},
            {"Name": "VariantName", "Value": "v"},
        ],
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=1,
        ComparisonOperator="GreaterThanOrEqualToThreshold",
        TreatMissingData="notBreaching",
    )
