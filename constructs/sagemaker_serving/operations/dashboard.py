"""A CloudWatch dashboard as data: its graphs with their points, its alarms with their states."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.errors import NotFound
from sagemaker_serving.operations.refusals import refused

_MOST_POINTS = 1440
"""Of one GetMetricStatistics. Source: botocore cloudwatch."""

_PLAIN = frozenset({"Average", "Maximum", "Minimum", "SampleCount", "Sum"})
_DEFAULT_PERIOD = 300


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a graph: its points by their time, the oldest first."""

    label: str
    points: tuple[tuple[datetime, float], ...]


@dataclass(frozen=True, kw_only=True)
class Graph:
    """One graph: ``unit`` is what its y axis is labelled, ``note`` what a reader has to know."""

    title: str
    unit: str
    lines: tuple[Line, ...]
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class DashboardView:
    """A dashboard at one moment: alarms are pairs of name and state."""

    name: str
    start: datetime
    end: datetime
    alarms: tuple[tuple[str, str], ...]
    graphs: tuple[Graph, ...]


def view_dashboard(
    name: str, aws: Aws | None = None, *, over: timedelta = timedelta(hours=3)
) -> DashboardView:
    """The dashboard ``name`` with what its metrics were ``over`` the time until now.

    Graphs of metrics and lists of alarms are read, log queries and texts left
    out. Where a metric has values but no percentiles, as on the local AWS,
    average and maximum stand for them, and the graph says so. Raises `NotFound`
    when there is no such dashboard.
    """
    client = (aws if aws is not None else Aws()).client("cloudwatch")
    end = datetime.now(UTC) + timedelta(seconds=1)  # this second is of it, too
    widgets = _widgets(client, name)
    arns = [arn for one in widgets if one["type"] == "alarm" for arn in one["properties"]["alarms"]]
    reader = _Reader(client, end - over, end)
    return DashboardView(
        name=name,
        start=end - over,
        end=end,
        alarms=tuple(_alarms(client, [arn.rpartition(":alarm:")[2] for arn in arns])),
        graphs=tuple(reader.graph(one["properties"]) for one in widgets if one["type"] == "metric"),
    )


def _widgets(client: Any, name: str) -> list[dict[str, Any]]:
    absent = NotFound(
        f"there is no dashboard {name!r} in {client.meta.region_name}; give the model "
        "`monitoring: {}` in its environment file and deploy it"
    )
    with aws_failures(), refused("ResourceNotFound", "DashboardNotFoundError", means=absent):
        body = client.get_dashboard(DashboardName=name)["DashboardBody"]
    widgets: list[dict[str, Any]] = json.loads(body)["widgets"]
    return widgets


def _alarms(client: Any, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    with aws_failures():
        for start in range(0, len(names), 100):
            found = client.describe_alarms(AlarmNames=list(names[start : start + 100]))
            states = {alarm["AlarmName"]: alarm["StateValue"] for alarm in found["MetricAlarms"]}
            for name in names[start : start + 100]:
                if name in states:
                    yield name, states[name]


@dataclass(frozen=True, kw_only=True)
class _Metric:
    """One entry of a widget's list of metrics."""

    namespace: str
    name: str
    dimensions: tuple[tuple[str, str], ...]
    statistic: str
    period: int
    label: str

    @property
    def is_percentile(self) -> bool:
        return self.statistic not in _PLAIN


class _Reader:
    def __init__(self, client: Any, start: datetime, end: datetime) -> None:
        self._client = client
        self._start = start
        self._end = end

    def graph(self, properties: Mapping[str, Any]) -> Graph:
        metrics = list(_metrics(properties))
        lines = [self._line(metric) for metric in metrics]
        note = ""
        bare = {
            (one.namespace, one.name, one.dimensions): one
            for one, line in zip(metrics, lines, strict=True)
            if one.is_percentile and not line.points
        }
        stand_ins = [line for metric in bare.values() for line in self._stand_ins(metric)]
        if stand_ins:
            kept = [
                line
                for one, line in zip(metrics, lines, strict=True)
                if not one.is_percentile or line.points
            ]
            lines = [*kept, *stand_ins]
            note = "no percentiles are kept here: average and maximum"
        label = properties.get("yAxis", {}).get("left", {}).get("label", "")
        return Graph(title=properties.get("title", ""), unit=label, lines=tuple(lines), note=note)

    def _stand_ins(self, metric: _Metric) -> Iterator[Line]:
        """The average and the maximum of a metric without percentiles, if it has any values."""
        name = metric.label.removesuffix(metric.statistic).strip()
        for statistic in ("Average", "Maximum"):
            told = f"{name} {statistic.lower()}".strip()
            line = self._line(replace(metric, statistic=statistic, label=told))
            if line.points:
                yield line

    def _line(self, metric: _Metric) -> Line:
        kind = "ExtendedStatistics" if metric.is_percentile else "Statistics"
        with aws_failures():
            found = self._client.get_metric_statistics(
                Namespace=metric.namespace,
                MetricName=metric.name,
                Dimensions=[{"Name": key, "Value": value} for key, value in metric.dimensions],
                StartTime=self._start,
                EndTime=self._end,
                Period=self._period(metric.period),
                **{kind: [metric.statistic]},
            )["Datapoints"]
        every = ({**point, **point.get("ExtendedStatistics", {})} for point in found)
        kept = sorted(
            (point["Timestamp"], float(point[metric.statistic]))
            for point in every
            if point.get(metric.statistic) is not None
        )
        return Line(label=metric.label, points=tuple(kept))

    def _period(self, wanted: int) -> int:
        """The metric's own period, or the next that makes no more points than AWS hands out."""
        least = (self._end - self._start).total_seconds() / _MOST_POINTS
        return wanted if wanted >= least else math.ceil(least / 60) * 60


def _metrics(properties: Mapping[str, Any]) -> Iterator[_Metric]:
    """The metrics of a widget; expressions are left out.

    ``.`` repeats the word above, ``...`` all but the last. Source: CloudWatch API reference,
    "Dashboard body structure and syntax".
    """
    above: list[str] = []
    for entry in properties.get("metrics", []):
        options = entry[-1] if isinstance(entry[-1], dict) else {}
        words = [word for word in entry if isinstance(word, str)]
        if "expression" in options or not words:
            continue
        if words[0] == "...":
            words = [*above[: len(above) - len(words) + 1], *words[1:]]
        words = [
            above[place] if word == "." and place < len(above) else word
            for place, word in enumerate(words)
        ]
        above = words
        statistic = options.get("stat", properties.get("stat", "Average"))
        yield _Metric(
            namespace=words[0],
            name=words[1],
            dimensions=tuple(list(pairwise(words[2:]))[::2]),
            statistic=_spelt(statistic),
            period=options.get("period", properties.get("period", _DEFAULT_PERIOD)),
            label=options.get("label", f"{words[1]} {statistic}"),
        )


def _spelt(statistic: str) -> str:
    """``P99`` and ``p99`` are one."""
    return statistic.lower() if re.fullmatch(r"[pP][\d.]+", statistic) else statistic
