"""Every metric by the name and the dimensions that SageMaker publishes, and its statistic."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Template

from sagemaker_serving.catalog.endpoint_metrics import (
    INSTANCES,
    OF_ENDPOINTS,
    REQUESTS,
    namespace_of,
)
from sagemaker_serving.infra import EndpointMetrics, InferenceComponentMetrics
from sagemaker_serving.log_groups import INFERENCE_COMPONENTS

METRICS = EndpointMetrics(endpoint_name="prod-digits", variant_name="gpu")
COMPONENT = InferenceComponentMetrics(inference_component_name="cats")

NOT_IN_THE_CATALOG = {
    "InvocationFailures",
    "InvocationsProcessed",
    "ExpiredRequests",
    "TimeInBacklog",
    "ApproximateAgeOfOldestRequest",
}
"""Those of asynchronous endpoints that no rule asks for (developer guide, "Monitor asynchronous
endpoint")."""

VARIANT = {"EndpointName": "prod-digits", "VariantName": "gpu"}


def made_by(metrics: Any, *but: str) -> dict[str, Any]:
    """Every metric that there is, by its method."""
    methods = {name for name in vars(type(metrics)) if not name.startswith("_")} - {*but}
    assert len(methods) > 7
    return {method: getattr(metrics, method)() for method in methods}


def test_every_metric_is_one_that_sagemaker_publishes_there() -> None:
    for method, metric in made_by(METRICS, "metric", "of_each_instance").items():
        name = metric.metric_name
        namespace = namespace_of(name)
        assert (namespace is None) == (name in NOT_IN_THE_CATALOG), method
        assert metric.namespace == (REQUESTS if namespace is None else namespace), method
        of_endpoint = name in {*OF_ENDPOINTS, "ApproximateAgeOfOldestRequest"}
        dimensions = {"EndpointName": "prod-digits"} if of_endpoint else VARIANT
        assert dict(metric.dimensions) == dimensions, method


def test_every_metric_of_a_component_is_one_that_sagemaker_publishes_there() -> None:
    for method, metric in made_by(COMPONENT, "alarm_on_errors").items():
        published = namespace_of(metric.metric_name)
        ours = INFERENCE_COMPONENTS if published == INSTANCES else published
        assert metric.namespace == ours, method
        assert dict(metric.dimensions) == {"InferenceComponentName": "cats"}, method


@pytest.mark.parametrize(
    ("method", "statistic"),
    [
        ("invocations", "Sum"),
        ("invocation_5xx_errors", "Sum"),
        ("invocation_5xx_rate", "Average"),
        ("model_latency", "p99"),
        ("cpu_utilization", "Average"),
        ("model_unloads", "SampleCount"),
        ("approximate_backlog_size", "Maximum"),
        ("concurrent_requests_per_model", "Maximum"),
    ],
)
def test_each_kind_of_metric_has_the_statistic_that_tells_something(
    method: str, statistic: str
) -> None:
    assert getattr(METRICS, method)().statistic == statistic


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
