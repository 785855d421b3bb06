"""Every metric by the name, the unit's statistic and the dimensions that SageMaker publishes."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Template

from sagemaker_serving.infra import EndpointMetrics, InferenceComponentMetrics

METRICS = EndpointMetrics(endpoint_name="prod-digits", variant_name="gpu")
COMPONENT = InferenceComponentMetrics(inference_component_name="cats")

REQUESTS = [
    ("invocations", "Invocations", "Sum"),
    ("invocations_per_instance", "InvocationsPerInstance", "Sum"),
    ("invocation_4xx_errors", "Invocation4XXErrors", "Sum"),
    ("invocation_5xx_errors", "Invocation5XXErrors", "Sum"),
    ("invocation_5xx_rate", "Invocation5XXErrors", "Average"),
    ("invocation_model_errors", "InvocationModelErrors", "Sum"),
    ("model_latency", "ModelLatency", "p99"),
    ("overhead_latency", "OverheadLatency", "p99"),
    ("concurrent_requests_per_model", "ConcurrentRequestsPerModel", "Maximum"),
    ("model_setup_time", "ModelSetupTime", "p99"),
    ("serverless_concurrent_executions_utilization", "ServerlessConcurrentExecutionsUtilization",
     "Maximum"),
    ("serverless_provisioned_concurrency_utilization",
     "ServerlessProvisionedConcurrencyUtilization", "Maximum"),
    ("serverless_provisioned_concurrency_spillover_invocations",
     "ServerlessProvisionedConcurrencySpilloverInvocations", "Sum"),
    ("model_loading_wait_time", "ModelLoadingWaitTime", "p99"),
    ("model_downloading_time", "ModelDownloadingTime", "Average"),
    ("model_loading_time", "ModelLoadingTime", "Average"),
    ("model_unloads", "ModelUnloadingTime", "SampleCount"),
    ("model_cache_hit_rate", "ModelCacheHit", "Average"),
    ("invocation_failures", "InvocationFailures", "Sum"),
    ("invocations_processed", "InvocationsProcessed", "Sum"),
    ("expired_requests", "ExpiredRequests", "Sum"),
    ("time_in_backlog", "TimeInBacklog", "p99"),
]  # fmt: skip
INSTANCES = [
    ("cpu_utilization", "CPUUtilization", "Average"),
    ("memory_utilization", "MemoryUtilization", "Average"),
    ("disk_utilization", "DiskUtilization", "Average"),
    ("gpu_utilization", "GPUUtilization", "Average"),
    ("gpu_memory_utilization", "GPUMemoryUtilization", "Average"),
    ("loaded_model_count", "LoadedModelCount", "Sum"),
]
BACKLOG = [
    ("approximate_backlog_size", "ApproximateBacklogSize", "Maximum"),
    ("approximate_backlog_size_per_instance", "ApproximateBacklogSizePerInstance", "Average"),
    ("has_backlog_without_capacity", "HasBacklogWithoutCapacity", "Average"),
    ("approximate_age_of_oldest_request", "ApproximateAgeOfOldestRequest", "Maximum"),
]
OF_COMPONENTS = [
    ("invocations", "AWS/SageMaker", "Invocations", "Sum"),
    ("invocations_per_copy", "AWS/SageMaker", "InvocationsPerCopy", "Sum"),
    ("invocation_5xx_rate", "AWS/SageMaker", "Invocation5XXErrors", "Average"),
    ("model_latency", "AWS/SageMaker", "ModelLatency", "p99"),
    ("concurrent_requests_per_copy", "AWS/SageMaker", "ConcurrentRequestsPerCopy", "Maximum"),
    ("cpu_utilization", "/aws/sagemaker/InferenceComponents", "CPUUtilization", "Average"),
    ("memory_utilization", "/aws/sagemaker/InferenceComponents", "MemoryUtilization", "Average"),
    ("gpu_utilization", "/aws/sagemaker/InferenceComponents", "GPUUtilization", "Average"),
]

VARIANT = {"EndpointName": "prod-digits", "VariantName": "gpu"}


def facts(metric: Any) -> tuple[str, str, str, dict[str, str]]:
    return metric.namespace, metric.metric_name, metric.statistic, dict(metric.dimensions)


@pytest.mark.parametrize(("method", "name", "statistic"), REQUESTS)
def test_metrics_of_requests(method: str, name: str, statistic: str) -> None:
    metric = getattr(METRICS, method)()
    assert facts(metric) == ("AWS/SageMaker", name, statistic, VARIANT)


@pytest.mark.parametrize(("method", "name", "statistic"), INSTANCES)
def test_metrics_of_instances(method: str, name: str, statistic: str) -> None:
    metric = getattr(METRICS, method)()
    assert facts(metric) == ("/aws/sagemaker/Endpoints", name, statistic, VARIANT)


@pytest.mark.parametrize(("method", "name", "statistic"), BACKLOG)
def test_the_backlog_has_no_variant(method: str, name: str, statistic: str) -> None:
    metric = getattr(METRICS, method)()
    assert facts(metric) == ("AWS/SageMaker", name, statistic, {"EndpointName": "prod-digits"})


@pytest.mark.parametrize(("method", "namespace", "name", "statistic"), OF_COMPONENTS)
def test_metrics_of_inference_components(
    method: str, namespace: str, name: str, statistic: str
) -> None:
    metric = getattr(COMPONENT, method)()
    assert facts(metric) == (namespace, name, statistic, {"InferenceComponentName": "cats"})


def test_every_metric_is_in_these_tables() -> None:
    listed = {method for method, *_ in (*REQUESTS, *INSTANCES, *BACKLOG)}
    assert {name for name in vars(EndpointMetrics) if not name.startswith("_")} == {
        *listed,
        "metric",
        "of_each_instance",
    }
    assert {name for name in vars(InferenceComponentMetrics) if not name.startswith("_")} == {
        *(method for method, *_ in OF_COMPONENTS),
        "alarm_on_errors",
    }


def test_an_alarm_on_a_components_errors_takes_updates_back_and_tells_nobody() -> None:
    stack = cdk.Stack()
    COMPONENT.alarm_on_errors(stack, "Errors")
    (alarm,) = Template.from_stack(stack).find_resources("AWS::CloudWatch::Alarm").values()
    said = alarm["Properties"]
    assert (said["AlarmName"], said["MetricName"], said["Threshold"]) == (
        *("cats-invocation-5xx-errors", "Invocation5XXErrors"),
        0.01,
    )
    assert "AlarmActions" not in said


def test_a_period_is_a_minute_unless_told_and_ten_seconds_for_concurrency() -> None:
    assert METRICS.invocations().period.to_seconds() == 60
    assert METRICS.concurrent_requests_per_model().period.to_seconds() == 10
    every_five = EndpointMetrics(
        endpoint_name="e", variant_name="v", period=cdk.Duration.minutes(5)
    )
    assert every_five.model_latency().period.to_seconds() == 300
