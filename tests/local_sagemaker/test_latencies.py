"""Percentiles of latencies, for alarms."""

from __future__ import annotations

import time
from typing import Any

import pytest

from sagemaker_serving.local_sagemaker.observability.metrics import LATEST, Latencies

DIMENSIONS = (("EndpointName", "e"), ("VariantName", "v"))


def alarm(statistic: str, **more: Any) -> dict[str, Any]:
    return {
        "Namespace": "AWS/SageMaker",
        "MetricName": "ModelLatency",
        "ExtendedStatistic": statistic,
        "Dimensions": [
            {"Name": "VariantName", "Value": "v"},
            {"Name": "EndpointName", "Value": "e"},
        ],
        **more,
    }


def filled(number: int) -> Latencies:
    latencies = Latencies()
    for value in range(1, number + 1):
        latencies.add("eu-west-1", DIMENSIONS, {"ModelLatency": float(value)})
    return latencies


@pytest.mark.parametrize(
    ("statistic", "expected"), [("p99", 99.0), ("p50", 50.0), ("p100", 100.0), ("p99.9", 100.0)]
)
def test_a_percentile_is_by_nearest_rank(statistic: str, expected: float) -> None:
    now = time.time()
    latencies = filled(100)
    assert latencies.percentile("eu-west-1", alarm(statistic), now - 60, now + 60) == expected


def test_only_what_lies_between_the_times_counts() -> None:
    now = time.time()
    latencies = filled(100)
    assert latencies.percentile("eu-west-1", alarm("p99"), now - 60, now - 30) is None
    assert latencies.percentile("us-east-1", alarm("p99"), now - 60, now + 60) is None
    other = alarm("p99", Dimensions=[{"Name": "EndpointName", "Value": "other"}])
    assert latencies.percentile("eu-west-1", other, now - 60, now + 60) is None


def test_the_latest_are_kept() -> None:
    now = time.time()
    latencies = filled(LATEST + 500)
    found = latencies.percentile("eu-west-1", alarm("p1"), now - 600, now + 600)
    assert found is not None
    assert found > 500


@pytest.mark.parametrize(
    ("given", "known"),
    [
        (alarm("p99"), True),
        (alarm("tm90"), False),
        (alarm("p99", MetricName="ModelSetupTime"), False),
        (alarm("p99", Namespace="Own"), False),
        ({"Namespace": "AWS/SageMaker", "MetricName": "ModelLatency", "Statistic": "Sum"}, False),
    ],
)
def test_what_is_known_is_said(given: dict[str, Any], known: bool) -> None:
    assert Latencies().knows(given) is known
