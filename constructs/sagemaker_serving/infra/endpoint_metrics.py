"""The CloudWatch metrics of an endpoint, each with the statistic that tells something."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch

_INVOCATIONS = "AWS/SageMaker"
_INSTANCES = "/aws/sagemaker/Endpoints"


class EndpointMetrics:
    """Makes the metrics that SageMaker publishes for one variant of an endpoint.

    Dimensions are ``EndpointName`` and ``VariantName``. Sums for counts,
    averages for utilization and, unless told otherwise, p99 for latencies,
    which are in microseconds. Source: SageMaker developer guide, "Monitor
    SageMaker AI with CloudWatch"; read 2026-11-21.
    """

    def __init__(
        self, *, endpoint_name: str, variant_name: str, period: cdk.Duration | None = None
    ) -> None:
        self._dimensions = {"EndpointName": endpoint_name, "VariantName": variant_name}
        self._period = period if period is not None else cdk.Duration.minutes(1)

    def metric(
        self, metric_name: str, *, statistic: str, namespace: str = _INVOCATIONS
    ) -> cloudwatch.Metric:
        """Any metric of the variant, by the name that SageMaker gives it."""
        return cloudwatch.Metric(
            namespace=namespace,
            metric_name=metric_name,
            dimensions_map=self._dimensions,
            statistic=statistic,
            period=self._period,
        )

    def invocations(self) -> cloudwatch.Metric:
        """Requests that reached the variant."""
        return self.metric("Invocations", statistic="Sum")

    def invocations_per_instance(self) -> cloudwatch.Metric:
        """Requests divided by the instances that took them; what scaling usually tracks."""
        return self.metric("InvocationsPerInstance", statistic="Sum")

    def invocation_4xx_errors(self) -> cloudwatch.Metric:
        """Requests that the model refused."""
        return self.metric("Invocation4XXErrors", statistic="Sum")

    def invocation_5xx_errors(self) -> cloudwatch.Metric:
        """Requests that the model failed on."""
        return self.metric("Invocation5XXErrors", statistic="Sum")

    def model_latency(self, statistic: str = "p99") -> cloudwatch.Metric:
        """Microseconds that the container took."""
        return self.metric("ModelLatency", statistic=statistic)

    def overhead_latency(self, statistic: str = "p99") -> cloudwatch.Metric:
        """Microseconds that SageMaker added to the container's."""
        return self.metric("OverheadLatency", statistic=statistic)

    def cpu_utilization(self) -> cloudwatch.Metric:
        """Percent of one core, so up to 100 for each core of the instance."""
        return self._utilization("CPUUtilization")

    def memory_utilization(self) -> cloudwatch.Metric:
        """Percent of the instance's memory."""
        return self._utilization("MemoryUtilization")

    def disk_utilization(self) -> cloudwatch.Metric:
        """Percent of the storage volume."""
        return self._utilization("DiskUtilization")

    def gpu_utilization(self) -> cloudwatch.Metric:
        """Percent of one GPU, so up to 100 for each GPU of the instance."""
        return self._utilization("GPUUtilization")

    def gpu_memory_utilization(self) -> cloudwatch.Metric:
        """Percent of one GPU's memory, so up to 100 for each GPU of the instance."""
        return self._utilization("GPUMemoryUtilization")

    def _utilization(self, metric_name: str) -> cloudwatch.Metric:
        return self.metric(metric_name, statistic="Average", namespace=_INSTANCES)
