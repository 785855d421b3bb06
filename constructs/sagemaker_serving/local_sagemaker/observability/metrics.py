"""CloudWatch metrics of endpoints: counted as requests are answered, published from a thread."""

from __future__ import annotations

import logging
import math
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.context import LocalContext
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.models.roles import role_client
from sagemaker_serving.local_sagemaker.observability.metric_counts import (
    COMPONENT,
    REAL_TIME,
    Count,
    Datum,
    Spread,
    datum,
)
from sagemaker_serving.local_sagemaker.observability.usage import Usage

LATEST = 20_000
"""How many of a metric are kept."""

METRICS = ("ModelLatency", "OverheadLatency")

_PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d+)?|100)")


class Latencies:
    """Answers alarms over a percentile of `METRICS`; any number of threads may add."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, _Dimensions, str], deque[tuple[float, float]]] = {}
        self._lock = threading.Lock()

    def add(self, region: str, dimensions: _Dimensions, values: Mapping[str, float]) -> None:
        """Keep one request's values by metric, in microseconds."""
        now = time.time()
        with self._lock:
            for name, value in values.items():
                key = (region, tuple(sorted(dimensions)), name)
                self._kept.setdefault(key, deque(maxlen=LATEST)).append((now, value))

    def knows(self, alarm: Mapping[str, Any]) -> bool:
        """Whether an alarm is over a percentile that `percentile` can tell."""
        return bool(
            alarm.get("Namespace") == "AWS/SageMaker"
            and alarm.get("MetricName") in METRICS
            and _PERCENTILE.fullmatch(alarm.get("ExtendedStatistic", ""))
        )

    def percentile(
        self, region: str, alarm: Mapping[str, Any], start: float, end: float
    ) -> float | None:
        """The alarm's percentile between two times, in seconds since the epoch; None without any.

        By nearest rank.
        """
        found = _PERCENTILE.fullmatch(alarm["ExtendedStatistic"])
        assert found is not None
        given = [(each["Name"], each["Value"]) for each in alarm.get("Dimensions", [])]
        key = (region, tuple(sorted(given)), alarm["MetricName"])
        with self._lock:
            values = sorted(value for at, value in self._kept.get(key, ()) if start <= at < end)
        if not values:
            return None
        rank = math.ceil(float(found[1]) / 100 * len(values))
        return values[max(rank - 1, 0)]


INVOCATIONS = "AWS/SageMaker"
"""A namespace; those of instances are named like `log_groups`
(docs.aws.amazon.com/sagemaker/latest/dg/monitoring-cloudwatch.html, as are the
metrics' names, units and meanings below)."""

PUBLISH_SECONDS = 5.0
INSTANCE_SECONDS = 60.0
"""How often requests and instances are published; AWS does both once a minute."""

_LEAST_PUBLISH_SECONDS = 0.25

_Dimensions = tuple[tuple[str, str], ...]

_AT_ONCE = 500
_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Instance:
    """A variant's or a job's processes, and whose metrics they have.

    ``published`` are the metrics that are put of them; all when absent.
    """

    namespace: str
    dimensions: Mapping[str, str]
    region: str
    role_arn: str | None
    pid: int
    usage: Usage
    more_pids: tuple[int, ...] = ()
    published: Collection[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Series:
    """One metric of CloudWatch: where it is, what it is called, in which unit."""

    region: str
    namespace: str = INVOCATIONS
    dimensions: tuple[tuple[str, str], ...]
    name: str
    unit: str


class Metrics:
    """Counts requests in memory (microseconds each) and puts the sums into CloudWatch.

    ``instances`` names the processes that serve now, ``gauges`` what is looked
    at each time: how long a queue is. Requests' metrics are SageMaker's own,
    instances' are put in the name of the model's role: one that may not has
    none. ``published`` is called each time they were put.
    """

    def __init__(
        self,
        context: LocalContext,
        instances: Callable[[], Iterable[Instance]],
        published: Callable[[], None] = lambda: None,
        *,
        gauges: Callable[[], Iterable[tuple[Series, float]]] = lambda: (),
        settings: Settings | None = None,
    ) -> None:
        settings = settings if settings is not None else Settings()
        self._context = context
        self._instances = instances
        self._published = published
        self._gauges = gauges
        self.publish_seconds = max(settings.seconds(PUBLISH_SECONDS), _LEAST_PUBLISH_SECONDS)
        self._refused: set[str] = set()
        self._counts: dict[tuple[str, _Dimensions], Count] = {}
        self._spreads: dict[Series, Spread] = {}
        self.latencies = Latencies()
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
        published: Collection[str] = REAL_TIME,
        component: str | None = None,
        config: str | None = None,
    ) -> None:
        """Count one request; ``status`` is the model's own, 0 when it gave no answer.

        No answer counts among the 5XX: there is no response code, and the
        caller is told of a server's error. ``published`` are the metrics that
        its variant has; ``component`` is the inference component that was asked. Those of a
        ``config``'s instances have its name, too (developer guide, "Auto-Rollback Configuration
        and Monitoring").
        """
        of_variant = (("EndpointName", endpoint), ("VariantName", variant))
        kept: dict[_Dimensions, Collection[str]] = {of_variant: published}
        if config is not None:
            kept[(*of_variant, ("EndpointConfigName", config))] = published
        if component is not None:
            kept[("InferenceComponentName", component),] = COMPONENT
        latencies = {"ModelLatency": model_seconds * 1e6, "OverheadLatency": overhead_seconds * 1e6}
        for dimensions in kept:
            self.latencies.add(region, dimensions, latencies)
        with self._lock:
            for dimensions, names in kept.items():
                count = self._counts.get((region, dimensions))
                if count is None:
                    count = self._counts[region, dimensions] = Count(names)
                count.add(
                    status=status,
                    model_seconds=model_seconds,
                    overhead_seconds=overhead_seconds,
                    instance_count=instance_count,
                    concurrent=concurrent,
                )

    def observe(self, series: Series, value: float) -> None:
        """Count one value of a metric."""
        with self._lock:
            self._spreads.setdefault(series, Spread()).add(value)

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
        while not self._closed.wait(self.publish_seconds):
            self._publish_requests()
            if time.monotonic() - sampled >= INSTANCE_SECONDS:
                sampled = time.monotonic()
                self._publish_instances()
            self._published()

    def _publish_requests(self) -> None:
        with self._publishing:
            for series, value in self._gauges():
                self.observe(series, value)
            with self._lock:
                counts, self._counts = self._counts, {}
                spreads, self._spreads = self._spreads, {}
            sorted_: dict[tuple[str, str], list[Datum]] = {}
            for (region, dimensions), count in counts.items():
                data = sorted_.setdefault((region, INVOCATIONS), [])
                data += count.data(dict(dimensions))
            for series, spread in spreads.items():
                data = sorted_.setdefault((series.region, series.namespace), [])
                data.append(
                    datum(
                        series.name,
                        dict(series.dimensions),
                        series.unit,
                        StatisticValues=spread.statistics(),
                    )
                )
            for (region, namespace), data in sorted_.items():
                self._put(self._context.client("cloudwatch", region), namespace, data)

    def _publish_instances(self) -> None:
        for instance in self._instances():
            sample = instance.usage.sample(instance.pid, *instance.more_pids)
            if sample is None:
                continue
            data = [
                datum(name, instance.dimensions, "Percent", Value=value)
                for name, value in sample.items()
                if instance.published is None or name in instance.published
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
