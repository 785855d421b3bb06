"""CloudWatch's figures of an endpoint, for tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from tests.local_aws.aws import Aws, service_in


def figures(
    aws: Aws,
    metric: str,
    endpoint: str,
    variant: str | None = "v",
    namespace: str = "AWS/SageMaker",
) -> Any:
    """Sum, SampleCount, Minimum, Maximum and Unit of the last hour; None without a datapoint."""
    service_in(aws.gateway, SageMaker).flush(instances=False)
    now = datetime.now(UTC)
    dimensions = [{"Name": "EndpointName", "Value": endpoint}]
    if variant is not None:
        dimensions.append({"Name": "VariantName", "Value": variant})
    found = aws.client("cloudwatch").get_metric_statistics(
        Namespace=namespace,
        MetricName=metric,
        Dimensions=dimensions,
        StartTime=now - timedelta(hours=1),
        EndTime=now + timedelta(minutes=1),
        Period=7200,
        Statistics=["Sum", "SampleCount", "Minimum", "Maximum"],
    )["Datapoints"]
    return found[0] if found else None
