"""CloudWatch metrics of endpoints: counted as requests are answered, published from a thread."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from sagemaker_serving.local.context import LocalContext
from sagemaker_serving.local.sagemaker.roles import role_client
from sagemaker_serving.local.sagemaker.usage import Usage

INVOCATIONS = "AWS/SageMaker"
ENDPOINT_INSTANCES = "/aws/sagemaker/Endpoints"
TRANSFORM_INSTANCES = "/aws/sagemaker/TransformJobs"
"""Namespaces (docs.aws.amazon.com/sagemaker/latest/dg/monitoring-cloudwatch.html,
read 2026-11-21, as are the metrics' names, units and meanings below)."""

PUBLISH_SECONDS = 5.0
INSTANCE_SECONDS = 60.0
"""How often requests and instances are published; AWS does both once a minute."""

_AT_ONCE = 500
_log = logging.getLogger(__name__)

Datum = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Instance:
    """A variant's or a job's process, and whose metrics it has."""

    namespace: str
    dimensions: Mapping[str, str]
    region: str
    role_arn: str | None
    pid: int
    usage: Usage


class Metrics:
    """Counts requests in memory (microseconds each) and puts the sums into CloudWatch.

    ``instances`` names the processes that serve now. Requests' metrics are
    SageMaker's own, instances' are put in the name of the model's role: one
    that may not has none. ``published`` is called each time they were put.
    """

    def __init__(
        self,
        context: LocalContext,
        instances: Callable[[], Iterable[Instance]],
        published: Callable[[], None] = lambda: None,
    ) -> None:
        self._context = context
        self._instances = instances
        self._published = published
        self._refused: set[str] = set()
        self._counts: dict[tuple[str, str, str], _Count] = {}
        self._lock = threading.Lock()
        self._publishing = threading.Lock()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def record(
        self,
        region: str,
        endpoint: str,
        variant: str,
        *,
        status: int,
        model_seconds: float,
        overhead_seconds: float,
        instance_count: int,
        concurrent: int,
    ) -> None:
        """Count one request; ``status`` is the model's own, 0 when it gave no answer.

        No answer counts among the 5XX: there is no response code, and the
        caller is told of a server's error.
        """
        with self._lock:
            count = self._counts.get((region, endpoint, variant))
            if count is None:
                count = self._counts[region, endpoint, variant] = _Count()
            count.requests += 1
            count.client_errors += 400 <= status < 500
            count.server_errors += status >= 500 or status == 0
            count.model_errors += not 200 <= status < 300
            count.model.add(model_seconds * 1e6)
            count.overhead.add(overhead_seconds * 1e6)
            count.concurrent.add(concurrent)
            count.per_instance.add(1 / max(instance_count, 1))

    def start(self) -> None:
        """Publish from now on; any number of times."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="metrics", daemon=True)
                self._thread.start()

    def flush(self, *, instances: bool = True) -> None:
        """Publish the requests so far and, if asked to, each instance as it is now."""
        self._publish_requests()
        if instances:
            self._publish_instances()
        self._published()

    def close(self) -> None:
        """Publish no more."""
        self._closed.set()

    def _run(self) -> None:
        sampled = time.monotonic()
        while not self._closed.wait(PUBLISH_SECONDS):
            self._publish_requests()
            if time.monotonic() - sampled >= INSTANCE_SECONDS:
                sampled = time.monotonic()
                self._publish_instances()
            self._published()

    def _publish_requests(self) -> None:
        with self._publishing:
            with self._lock:
                counts, self._counts = self._counts, {}
            by_region: dict[str, list[Datum]] = {}
            for (region, endpoint, variant), count in counts.items():
                data = by_region.setdefault(region, [])
                data += count.data({"EndpointName": endpoint, "VariantName": variant})
            for region, data in by_region.items():
                self._put(self._context.client("cloudwatch", region), INVOCATIONS, data)

    def _publish_instances(self) -> None:
        for instance in self._instances():
            sample = instance.usage.sample(instance.pid)
            if sample is None:
                continue
            data = [
                _datum(name, instance.dimensions, "Percent", Value=value)
                for name, value in sample.items()
            ]
            client = role_client(self._context, instance.role_arn, "cloudwatch", instance.region)
            self._put(client, instance.namespace, data)

    def _put(self, client: Any, namespace: str, data: Sequence[Datum]) -> None:
        try:
            for start in range(0, len(data), _AT_ONCE):
                client.put_metric_data(
                    Namespace=namespace, MetricData=data[start : start + _AT_ONCE]
                )
        except (ClientError, BotoCoreError) as error:
            if str(error) not in self._refused:  # once is enough to find out why
                _log.warning("no metrics in %s: %s", namespace, error)
            self._refused.add(str(error))


class _Spread:
    """Values in one figure: how many, their sum, the least and the most."""

    __slots__ = ("least", "most", "number", "total")

    def __init__(self) -> None:
        self.number = 0
        self.total = 0.0
        self.least = float("inf")
        self.most = float("-inf")

    def add(self, value: float) -> None:
        self.number += 1
        self.total += value
        self.least = min(self.least, value)
        self.most = max(self.most, value)

    def statistics(self) -> dict[str, float]:
        return _statistics(self.number, self.total, self.least, self.most)


class _Count:
    """The requests of one variant since the last time they were published."""

    __slots__ = (
        "client_errors",
        "concurrent",
        "model",
        "model_errors",
        "overhead",
        "per_instance",
        "requests",
        "server_errors",
    )

    def __init__(self) -> None:
        self.requests = self.client_errors = self.server_errors = self.model_errors = 0
        self.model, self.overhead = _Spread(), _Spread()
        self.concurrent, self.per_instance = _Spread(), _Spread()

    def data(self, dimensions: Mapping[str, str]) -> list[Datum]:
        each = {
            "Invocations": ("None", _of_ones(self.requests, self.requests)),
            "Invocation4XXErrors": ("None", _of_ones(self.client_errors, self.requests)),
            "Invocation5XXErrors": ("None", _of_ones(self.server_errors, self.requests)),
            "InvocationModelErrors": ("None", _of_ones(self.model_errors, self.requests)),
            "InvocationsPerInstance": ("None", self.per_instance.statistics()),
            "ModelLatency": ("Microseconds", self.model.statistics()),
            "OverheadLatency": ("Microseconds", self.overhead.statistics()),
            "ConcurrentRequestsPerModel": ("None", self.concurrent.statistics()),
        }
        return [
            _datum(name, dimensions, unit, StatisticValues=statistics)
            for name, (unit, statistics) in each.items()
        ]


def _of_ones(ones: int, number: int) -> dict[str, float]:
    """Each request sends 1 or 0: how many sent which."""
    return _statistics(number, ones, float(ones == number), float(ones > 0))


def _statistics(number: int, total: float, least: float, most: float) -> dict[str, float]:
    return {"SampleCount": number, "Sum": total, "Minimum": least, "Maximum": most}


def _datum(name: str, dimensions: Mapping[str, str], unit: str, **value: object) -> Datum:
    return {
        "MetricName": name,
        "Dimensions": [{"Name": key, "Value": is_} for key, is_ in dimensions.items()],
        "Timestamp": datetime.now(UTC),
        "Unit": unit,
        **value,
    }
