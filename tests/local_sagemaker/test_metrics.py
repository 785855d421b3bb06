"""Metrics of endpoints and jobs, as CloudWatch answers them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.context import LocalContext
from local_aws.credentials import Credentials
from local_aws.inner_calls import InnerCalls
from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from sagemaker_serving.local_sagemaker.observability.metrics import Metrics
from tests.local_aws.aws import IMAGE, Aws, service_in
from tests.local_sagemaker.alarms import alarm_of_errors


@pytest.fixture(scope="module", autouse=True)
def endpoint(aws: Aws) -> Iterator[None]:
    """Endpoint "m": two requests answered, one refused, one failed, one without an answer."""
    aws.config("m", {"a": aws.model("echo"), "b": aws.model("mute")}, b=0)
    aws.endpoint("m", "m")
    aws.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName="m",
        DesiredWeightsAndCapacities=[{"VariantName": "a", "DesiredInstanceCount": 4}],
    )
    for body in (b"x", b"y", b"refuse", b"fail", b"die"):
        try:
            aws.ask("m", body)
        except ClientError:
            assert body not in (b"x", b"y")
    service_in(aws.gateway, SageMaker).flush()
    yield
    aws.delete("m")


def statistics(aws: Aws, metric: str, namespace: str = "AWS/SageMaker", variant: str = "a") -> Any:
    now = datetime.now(UTC)
    found = aws.client("cloudwatch").get_metric_statistics(
        Namespace=namespace,
        MetricName=metric,
        Dimensions=[
            {"Name": "EndpointName", "Value": "m"},
            {"Name": "VariantName", "Value": variant},
        ],
        StartTime=now - timedelta(hours=1),
        EndTime=now + timedelta(minutes=1),
        Period=3600,
        Statistics=["Sum", "SampleCount", "Minimum", "Maximum", "Average"],
    )["Datapoints"]
    return found[0] if found else None


@pytest.mark.parametrize(
    ("metric", "total"),
    [
        ("Invocations", 5),
        ("Invocation4XXErrors", 1),
        ("Invocation5XXErrors", 2),
        ("InvocationModelErrors", 3),
        ("InvocationsPerInstance", 5 / 4),
    ],
)
def test_every_request_sends_its_one_or_its_zero(aws: Aws, metric: str, total: float) -> None:
    found = statistics(aws, metric)
    assert (found["Sum"], found["SampleCount"], found["Unit"]) == (total, 5, "None")


def test_zeros_are_datapoints_too(aws: Aws) -> None:
    found = statistics(aws, "Invocation4XXErrors")
    assert (found["Minimum"], found["Maximum"], found["Average"]) == (0, 1, 0.2)


@pytest.mark.parametrize("metric", ["ModelLatency", "OverheadLatency"])
def test_latencies_are_microseconds(aws: Aws, metric: str) -> None:
    found = statistics(aws, metric)
    assert (found["Unit"], found["SampleCount"]) == ("Microseconds", 5)
    assert 1 < found["Minimum"] <= found["Average"] <= found["Maximum"] < 60e6


def test_requests_at_once_are_counted_and_those_that_are_not_there(aws: Aws) -> None:
    found = statistics(aws, "ConcurrentRequestsPerModel")
    assert (found["Minimum"], found["Maximum"]) == (0, 1)
    unasked = statistics(aws, "ConcurrentRequestsPerModel", variant="b")
    assert (unasked["Minimum"], unasked["Maximum"]) == (0, 0)


def test_a_variant_that_was_not_asked_has_no_datapoints(aws: Aws) -> None:
    assert statistics(aws, "Invocations", variant="b") is None


@pytest.mark.parametrize("metric", ["CPUUtilization", "MemoryUtilization", "DiskUtilization"])
def test_instances_are_measured_whether_asked_or_not(aws: Aws, metric: str) -> None:
    found = statistics(aws, metric, "/aws/sagemaker/Endpoints", variant="b")
    assert found["Unit"] == "Percent"
    assert 0 <= found["Average"] < 6400
    if metric == "MemoryUtilization":
        assert 0 < found["Average"] < 100


def test_metric_data_queries_see_them(aws: Aws) -> None:
    now = datetime.now(UTC)
    (answer,) = aws.client("cloudwatch").get_metric_data(
        StartTime=now - timedelta(hours=1),
        EndTime=now + timedelta(hours=1),
        MetricDataQueries=[
            {
                "Id": "errors",
                "MetricStat": {
                    "Metric": {
                        "Namespace": "AWS/SageMaker",
                        "MetricName": "Invocation5XXErrors",
                        "Dimensions": [
                            {"Name": "EndpointName", "Value": "m"},
                            {"Name": "VariantName", "Value": "a"},
                        ],
                    },
                    "Period": 7200,
                    "Stat": "Sum",
                },
            }
        ],
    )["MetricDataResults"]
    assert answer["Values"] == [2]


def test_an_alarm_over_them_goes_off(aws: Aws) -> None:
    cloudwatch = aws.client("cloudwatch")
    alarm_of_errors(aws, "m-errors", "m", "a", Statistic="Average", Period=3600, Threshold=0.3)
    service_in(aws.gateway, SageMaker).flush()
    (alarm,) = cloudwatch.describe_alarms(AlarmNames=["m-errors"])["MetricAlarms"]
    assert alarm["StateValue"] == "ALARM"


def test_a_role_that_may_not_put_metrics_has_none_of_its_instances(aws: Aws) -> None:
    reader = {"Effect": "Allow", "Action": ["s3:*", "ecr:*"], "Resource": "*"}
    role = aws.role("reads-only", "sagemaker", reader)
    container = {"Image": IMAGE, "ModelDataUrl": "s3://models/model.tar.gz"}
    aws.sagemaker.create_model(ModelName="quiet", ExecutionRoleArn=role, PrimaryContainer=container)
    aws.config("quiet", {"v": "quiet"})
    assert aws.endpoint("quiet", "quiet")["EndpointStatus"] == "InService"
    aws.ask("quiet", b"x")
    service_in(aws.gateway, SageMaker).flush()
    listed = aws.client("cloudwatch").list_metrics(
        Dimensions=[{"Name": "EndpointName", "Value": "quiet"}]
    )["Metrics"]
    assert {metric["Namespace"] for metric in listed} == {"AWS/SageMaker"}
    aws.delete("quiet")


def test_counting_asks_nobody() -> None:
    asked: list[str] = []

    @lru_cache
    def clients(keys: object, service: str, region: str) -> Any:
        asked.append(service)

    context = LocalContext(
        url="http://localhost:1",
        state_dir=Path(),
        credentials=Credentials.made(),
        clients=clients,
        inner_calls=InnerCalls(),
    )
    metrics = Metrics(context, list)
    for _ in range(1000):
        metrics.record(
            "eu-west-1",
            "e",
            "v",
            status=200,
            model_seconds=0.01,
            overhead_seconds=0.001,
            instance_count=1,
            concurrent=3,
        )
    assert asked == []
