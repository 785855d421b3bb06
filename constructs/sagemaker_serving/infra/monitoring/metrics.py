"""The CloudWatch metrics of an endpoint, each with the statistic that tells something."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from sagemaker_serving.infra.synth.acknowledge import NO_ALARM_ACTION, acknowledge
from sagemaker_serving.log_groups import ENDPOINTS, INFERENCE_COMPONENTS

_INVOCATIONS = "AWS/SageMaker"
_HIGH_RESOLUTION_SECONDS = 10


class EndpointMetrics:
    """Makes the metrics that SageMaker publishes for one variant of an endpoint.

    Dimensions are ``EndpointName`` and ``VariantName``, and ``EndpointName``
    alone for the backlog of an asynchronous endpoint. ``endpoint_config_name`` is a third: only
    the instances that run this config count, and not what an update replaces. Sums for counts,
    averages for shares and utilization and, unless told otherwise, p99 for
    latencies, which are in microseconds. A period is a minute unless given.

    A metric that the endpoint's kind does not publish has no data: serverless
    and asynchronous endpoints have fewer than those on instances. Sources:
    SageMaker developer guide, "Amazon SageMaker AI metrics in Amazon
    CloudWatch", "Alarms and logs for tracking metrics from serverless
    endpoints", the same "from asynchronous endpoints", and "Auto-Rollback Configuration
    and Monitoring".
    """

    def __init__(
        self,
        *,
        endpoint_name: str,
        variant_name: str,
        endpoint_config_name: str | None = None,
        period: cdk.Duration | None = None,
    ) -> None:
        self._endpoint = {"EndpointName": endpoint_name}
        self._variant = {**self._endpoint, "VariantName": variant_name}
        if endpoint_config_name is not None:
            self._variant["EndpointConfigName"] = endpoint_config_name
        self._period = period if period is not None else cdk.Duration.minutes(1)

    def metric(
        self,
        metric_name: str,
        *,
        statistic: str,
        namespace: str = _INVOCATIONS,
        of_endpoint: bool = False,
        period: cdk.Duration | None = None,
    ) -> cloudwatch.Metric:
        """Any metric by the name that SageMaker gives it, of the variant or of the endpoint."""
        return cloudwatch.Metric(
            namespace=namespace,
            metric_name=metric_name,
            dimensions_map=self._endpoint if of_endpoint else self._variant,
            statistic=statistic,
            period=period if period is not None else self._period,
        )

    # Requests, of every kind of endpoint but where said.

    def invocations(self) -> cloudwatch.Metric:
        """Requests that reached the variant; not told of asynchronous endpoints."""
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

    def invocation_5xx_rate(self) -> cloudwatch.Metric:
        """The share of requests that the model failed on, 0 to 1: each sends a 1 or a 0."""
        return self.metric("Invocation5XXErrors", statistic="Average")

    def invocation_model_errors(self) -> cloudwatch.Metric:
        """Requests without an answer of 2XX, whatever the reason."""
        return self.metric("InvocationModelErrors", statistic="Sum")

    def model_latency(self, statistic: str = "p99") -> cloudwatch.Metric:
        """Microseconds that the container took."""
        return self.metric("ModelLatency", statistic=statistic)

    def overhead_latency(self, statistic: str = "p99") -> cloudwatch.Metric:
        """Microseconds that SageMaker added; of serverless variants, cold starts included."""
        return self.metric("OverheadLatency", statistic=statistic)

    def concurrent_requests_per_model(self) -> cloudwatch.Metric:
        """Most requests at once, by ten seconds: scaling sees a rush within them."""
        return self.metric(
            "ConcurrentRequestsPerModel",
            statistic="Maximum",
            period=cdk.Duration.seconds(_HIGH_RESOLUTION_SECONDS),
        )

    # Instances.

    def cpu_utilization(self) -> cloudwatch.Metric:
        """Percent of one core, so up to 100 for each core of the instance."""
        return self._utilization("CPUUtilization")

    def memory_utilization(self) -> cloudwatch.Metric:
        """Percent of the instance's memory, or of a serverless variant's."""
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

    # Serverless variants.

    def model_setup_time(self, statistic: str = "p99") -> cloudwatch.Metric:
        """Microseconds until new compute had fetched the model and started its container."""
        return self.metric("ModelSetupTime", statistic=statistic)

    def serverless_concurrent_executions_utilization(self) -> cloudwatch.Metric:
        """Requests at once, as a share of max_concurrency, 0 to 1."""
        return self.metric("ServerlessConcurrentExecutionsUtilization", statistic="Maximum")

    def serverless_provisioned_concurrency_utilization(self) -> cloudwatch.Metric:
        """Requests at once, as a share of provisioned_concurrency, 0 to 1."""
        return self.metric("ServerlessProvisionedConcurrencyUtilization", statistic="Maximum")

    def serverless_provisioned_concurrency_spillover_invocations(self) -> cloudwatch.Metric:
        """Requests that found none of it free, and were taken on demand."""
        return self.metric("ServerlessProvisionedConcurrencySpilloverInvocations", statistic="Sum")

    # Multi-model endpoints.

    def model_loading_wait_time(self, statistic: str = "p99") -> cloudwatch.Metric:
        """Microseconds that a request waited for its model to be fetched, loaded, or both."""
        return self.metric("ModelLoadingWaitTime", statistic=statistic)

    def model_downloading_time(self, statistic: str = "Average") -> cloudwatch.Metric:
        """Microseconds that fetching a model from S3 took."""
        return self.metric("ModelDownloadingTime", statistic=statistic)

    def model_loading_time(self, statistic: str = "Average") -> cloudwatch.Metric:
        """Microseconds that the container took to load a model."""
        return self.metric("ModelLoadingTime", statistic=statistic)

    def model_unloads(self) -> cloudwatch.Metric:
        """Models that were put out of memory; many of them mean that memory is too small."""
        return self.metric("ModelUnloadingTime", statistic="SampleCount")

    def model_cache_hit_rate(self) -> cloudwatch.Metric:
        """The share of requests whose model was loaded already, 0 to 1."""
        return self.metric("ModelCacheHit", statistic="Average")

    def loaded_model_count(self) -> cloudwatch.Metric:
        """Models in memory, on all instances together."""
        return self.metric("LoadedModelCount", statistic="Sum", namespace=ENDPOINTS)

    # Asynchronous endpoints.

    def approximate_backlog_size(self) -> cloudwatch.Metric:
        """Requests of the endpoint that wait or are worked on."""
        return self.metric("ApproximateBacklogSize", statistic="Maximum", of_endpoint=True)

    def approximate_backlog_size_per_instance(self) -> cloudwatch.Metric:
        """The same divided by the instances; what scaling tracks, as long as there is one."""
        return self.metric(
            "ApproximateBacklogSizePerInstance", statistic="Average", of_endpoint=True
        )

    def has_backlog_without_capacity(self) -> cloudwatch.Metric:
        """1 while requests wait and there is no instance at all; what scaling from zero tracks."""
        return self.metric("HasBacklogWithoutCapacity", statistic="Average", of_endpoint=True)

    def approximate_age_of_oldest_request(self) -> cloudwatch.Metric:
        """Seconds that the oldest request of the endpoint has waited."""
        return self.metric("ApproximateAgeOfOldestRequest", statistic="Maximum", of_endpoint=True)

    def invocation_failures(self) -> cloudwatch.Metric:
        """Asynchronous requests that failed, for whatever reason."""
        return self.metric("InvocationFailures", statistic="Sum")

    def invocations_processed(self) -> cloudwatch.Metric:
        """Asynchronous requests that were worked on."""
        return self.metric("InvocationsProcessed", statistic="Sum")

    def expired_requests(self) -> cloudwatch.Metric:
        """Asynchronous requests that waited longer than they might."""
        return self.metric("ExpiredRequests", statistic="Sum")

    def time_in_backlog(self, statistic: str = "p99") -> cloudwatch.Metric:
        """Milliseconds that an asynchronous request waited."""
        return self.metric("TimeInBacklog", statistic=statistic)

    def of_each_instance(self, metric_name: str, *, statistic: str) -> cloudwatch.MathExpression:
        """A line for each instance, of those metrics that enhanced metrics tell so.

        Instances come and go, so they are searched for by their dimension. Source: SageMaker
        developer guide, "Amazon SageMaker AI enhanced metrics for inference endpoints"; CloudWatch
        user guide, "Search expression syntax".
        """
        wanted = " ".join(f'{name}="{value}"' for name, value in self._variant.items())
        seconds = self._period.to_seconds()
        return cloudwatch.MathExpression(
            expression=(
                f"SEARCH('MetricName=\"{metric_name}\" {wanted} InstanceId', "
                f"'{statistic}', {seconds:g})"
            ),
            label="",
            using_metrics={},
            period=self._period,
        )

    def _utilization(self, metric_name: str) -> cloudwatch.Metric:
        return self.metric(metric_name, statistic="Average", namespace=ENDPOINTS)


class InferenceComponentMetrics:
    """Makes the metrics of one inference component; the dimension is ``InferenceComponentName``.

    Statistics and units as in `EndpointMetrics`. Source: SageMaker developer
    guide, "SageMaker AI inference component metrics".
    """

    def __init__(
        self, *, inference_component_name: str, period: cdk.Duration | None = None
    ) -> None:
        self._dimensions = {"InferenceComponentName": inference_component_name}
        self._period = period if period is not None else cdk.Duration.minutes(1)

    def invocations(self) -> cloudwatch.Metric:
        """Requests that reached the component."""
        return self._metric("Invocations", "Sum")

    def invocations_per_copy(self) -> cloudwatch.Metric:
        """Requests divided by the copies that took them; what scaling tracks."""
        return self._metric("InvocationsPerCopy", "Sum")

    def invocation_5xx_rate(self) -> cloudwatch.Metric:
        """The share of requests that the model failed on, 0 to 1."""
        return self._metric("Invocation5XXErrors", "Average")

    def alarm_on_errors(self, scope: Construct, construct_id: str) -> cloudwatch.Alarm:
        """Goes off when the component fails on over 1 % of its requests, and tells no topic: with
        its name in `Guardrails.watching` an update is taken back."""
        name = self._dimensions["InferenceComponentName"]
        alarm = cloudwatch.Alarm(
            scope,
            construct_id,
            alarm_name=f"{name}-invocation-5xx-errors",
            alarm_description=f"{name}: 5XX answers over 1 % of requests",
            metric=self.invocation_5xx_rate(),
            threshold=0.01,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
            evaluation_periods=3,
            datapoints_to_alarm=2,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        acknowledge(
            alarm, NO_ALARM_ACTION, "It takes updates back; the endpoint's own alarms tell a topic"
        )
        return alarm

    def model_latency(self, statistic: str = "p99") -> cloudwatch.Metric:
        """Microseconds that the container took."""
        return self._metric("ModelLatency", statistic)

    def concurrent_requests_per_copy(self) -> cloudwatch.Metric:
        """Most requests at once for each copy, by ten seconds."""
        return self._metric(
            "ConcurrentRequestsPerCopy",
            "Maximum",
            period=cdk.Duration.seconds(_HIGH_RESOLUTION_SECONDS),
        )

    def cpu_utilization(self) -> cloudwatch.Metric:
        """Percent of one core, so up to 100 for each core that the component has."""
        return self._metric("CPUUtilization", "Average", namespace=INFERENCE_COMPONENTS)

    def memory_utilization(self) -> cloudwatch.Metric:
        """Percent of the memory that the component has."""
        return self._metric("MemoryUtilization", "Average", namespace=INFERENCE_COMPONENTS)

    def gpu_utilization(self) -> cloudwatch.Metric:
        """Percent of one GPU, so up to 100 for each GPU that the component has."""
        return self._metric("GPUUtilization", "Average", namespace=INFERENCE_COMPONENTS)

    def _metric(
        self,
        metric_name: str,
        statistic: str,
        *,
        namespace: str = _INVOCATIONS,
        period: cdk.Duration | None = None,
    ) -> cloudwatch.Metric:
        return cloudwatch.Metric(
            namespace=namespace,
            metric_name=metric_name,
            dimensions_map=self._dimensions,
            statistic=statistic,
            period=period if period is not None else self._period,
        )
