"""Requests and other values, counted until they are put into CloudWatch."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from sagemaker_serving.catalog.endpoint_metrics import OF_SERVERLESS

Datum = dict[str, Any]
"""One entry of PutMetricData."""

_ERRORS_AND_LATENCY = ("Invocation4XXErrors", "Invocation5XXErrors", "ModelLatency")
REAL_TIME = frozenset(
    {
        *_ERRORS_AND_LATENCY,
        "Invocations",
        "InvocationModelErrors",
        "InvocationsPerInstance",
        "OverheadLatency",
        "ConcurrentRequestsPerModel",
    }
)
SERVERLESS = REAL_TIME & OF_SERVERLESS
ASYNCHRONOUS = frozenset(_ERRORS_AND_LATENCY)
COMPONENT = frozenset(
    {
        *_ERRORS_AND_LATENCY,
        "Invocations",
        "InvocationModelErrors",
        "InvocationsPerCopy",
        "OverheadLatency",
        "ConcurrentRequestsPerCopy",
    }
)
"""What is published of each request, by the kind of its variant: the developer guide's lists for
serverless and asynchronous endpoints are exhaustive (serverless-endpoints-monitoring.html and
async-inference-monitor.html). Of inference components it lists the two by copy;
that the others have their dimension, too, is what it says of all."""


class Spread:
    """Values in one figure: how many, their sum, the least and the most."""

    __slots__ = ("least", "most", "number", "total")

    def __init__(self) -> None:
        self.number = 0
        self.total = 0.0
        self.least = float("inf")
        self.most = float("-inf")

    def add(self, value: float) -> None:
        """Take one more value into it."""
        self.number += 1
        self.total += value
        self.least = min(self.least, value)
        self.most = max(self.most, value)

    def statistics(self) -> dict[str, float]:
        """As a StatisticSet has them."""
        return _statistics(self.number, self.total, self.least, self.most)


class Count:
    """The requests of one variant since the last time they were published."""

    __slots__ = (
        "client_errors",
        "concurrent",
        "model",
        "model_errors",
        "overhead",
        "per_instance",
        "published",
        "requests",
        "server_errors",
    )

    def __init__(self, published: Collection[str]) -> None:
        self.published = published
        self.requests = self.client_errors = self.server_errors = self.model_errors = 0
        self.model, self.overhead = Spread(), Spread()
        self.concurrent, self.per_instance = Spread(), Spread()

    def add(
        self,
        *,
        status: int,
        model_seconds: float,
        overhead_seconds: float,
        instance_count: int,
        concurrent: int,
    ) -> None:
        """Count one request, as `Metrics.record` is told of it."""
        self.requests += 1
        self.client_errors += 400 <= status < 500
        self.server_errors += status >= 500 or status == 0
        self.model_errors += not 200 <= status < 300
        self.model.add(model_seconds * 1e6)
        self.overhead.add(overhead_seconds * 1e6)
        self.concurrent.add(concurrent)
        self.per_instance.add(1 / max(instance_count, 1))

    def data(self, dimensions: Mapping[str, str]) -> list[Datum]:
        """The metrics that are published of the requests."""
        concurrent, per_instance = self.concurrent.statistics(), self.per_instance.statistics()
        each = {
            "Invocations": ("None", _of_ones(self.requests, self.requests)),
            "Invocation4XXErrors": ("None", _of_ones(self.client_errors, self.requests)),
            "Invocation5XXErrors": ("None", _of_ones(self.server_errors, self.requests)),
            "InvocationModelErrors": ("None", _of_ones(self.model_errors, self.requests)),
            "InvocationsPerInstance": ("None", per_instance),
            "InvocationsPerCopy": ("None", per_instance),
            "ModelLatency": ("Microseconds", self.model.statistics()),
            "OverheadLatency": ("Microseconds", self.overhead.statistics()),
            "ConcurrentRequestsPerModel": ("None", concurrent),
            "ConcurrentRequestsPerCopy": ("None", concurrent),
        }
        return [
            datum(name, dimensions, unit, StatisticValues=statistics)
            for name, (unit, statistics) in each.items()
            if name in self.published
        ]


def _of_ones(ones: int, number: int) -> dict[str, float]:
    """Each request sends 1 or 0: how many sent which."""
    return _statistics(number, ones, float(ones == number), float(ones > 0))


def _statistics(number: int, total: float, least: float, most: float) -> dict[str, float]:
    return {"SampleCount": number, "Sum": total, "Minimum": least, "Maximum": most}


def datum(name: str, dimensions: Mapping[str, str], unit: str, **value: object) -> Datum:
    """One metric's figures of now; ``value`` is Value or StatisticValues."""
    return {
        "MetricName": name,
        "Dimensions": [{"Name": key, "Value": is_} for key, is_ in dimensions.items()],
        "Timestamp": datetime.now(UTC),
        "Unit": unit,
        **value,
    }
