"""The graphs of a dashboard, each for the kinds of variant that publish what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import aws_cloudwatch as cloudwatch

from sagemaker_serving.infra.monitoring.metrics import EndpointMetrics, InferenceComponentMetrics
from sagemaker_serving.infra.monitoring.watches import WatchedVariant

_WIDTH = 8
_Metric = Callable[[EndpointMetrics], cloudwatch.Metric | cloudwatch.MathExpression]


@dataclass(frozen=True, kw_only=True)
class Graph:
    """A graph over the variants that have what it shows: its lines, by what they are called.

    ``of_endpoint`` is whether its metrics are the endpoint's and know no variant.
    """

    title: str
    unit: str
    lines: Mapping[str, _Metric]
    has: Callable[[WatchedVariant], bool] = lambda variant: True
    of_endpoint: bool = False

    def of_variants(
        self, endpoint_name: str, variants: Sequence[WatchedVariant]
    ) -> cloudwatch.GraphWidget | None:
        """The graph for these variants; None when none of them has what it shows."""
        shown = [variant for variant in variants if self.has(variant)]
        if self.of_endpoint:
            shown = shown[:1]
        lines = [
            metric(EndpointMetrics(endpoint_name=endpoint_name, variant_name=variant.name)).with_(
                label=name if self.of_endpoint else f"{variant.name} {name}".rstrip()
            )
            for variant in shown
            for name, metric in self.lines.items()
        ]
        return _drawn(self.title, self.unit, lines)


@dataclass(frozen=True, kw_only=True)
class ComponentGraph:
    """A graph over every inference component."""

    title: str
    unit: str
    metric: Callable[[InferenceComponentMetrics], cloudwatch.Metric]

    def of_components(self, names: Sequence[str]) -> cloudwatch.GraphWidget | None:
        """The graph for these components; None when there are none."""
        lines = [
            self.metric(InferenceComponentMetrics(inference_component_name=name)).with_(label=name)
            for name in names
        ]
        return _drawn(self.title, self.unit, lines)


def _drawn(
    title: str, unit: str, lines: Sequence[cloudwatch.IMetric]
) -> cloudwatch.GraphWidget | None:
    if not lines:
        return None
    return cloudwatch.GraphWidget(
        title=title,
        left=list(lines),
        left_y_axis=cloudwatch.YAxisProps(min=0, label=unit, show_units=False),
        width=_WIDTH,
    )


def _answers_at_once(variant: WatchedVariant) -> bool:
    return not variant.asynchronous


def _has_instances(variant: WatchedVariant) -> bool:
    return not variant.serverless


def _tells_instances(variant: WatchedVariant) -> bool:
    return variant.enhanced and not variant.serverless


OF_VARIANTS = (
    Graph(
        title="Requests",
        unit="a minute",
        has=_answers_at_once,
        lines={"": lambda metrics: metrics.invocations()},
    ),
    Graph(
        title="Requests worked on",
        unit="a minute",
        has=lambda variant: variant.asynchronous,
        lines={
            "": lambda metrics: metrics.invocations_processed(),
            "failed": lambda metrics: metrics.invocation_failures(),
            "expired": lambda metrics: metrics.expired_requests(),
        },
    ),
    Graph(
        title="Errors",
        unit="a minute",
        lines={
            "4XX": lambda metrics: metrics.invocation_4xx_errors(),
            "5XX": lambda metrics: metrics.invocation_5xx_errors(),
        },
    ),
    Graph(
        title="Model latency",
        unit="microseconds",
        lines={
            "p50": lambda metrics: metrics.model_latency("p50"),
            "p90": lambda metrics: metrics.model_latency("p90"),
            "p99": lambda metrics: metrics.model_latency("p99"),
        },
    ),
    Graph(
        title="Overhead latency",
        unit="microseconds",
        has=_answers_at_once,
        lines={"p99": lambda metrics: metrics.overhead_latency("p99")},
    ),
    Graph(
        title="Requests at once",
        unit="most",
        has=lambda variant: not variant.asynchronous and not variant.serverless,
        lines={"": lambda metrics: metrics.concurrent_requests_per_model()},
    ),
    Graph(
        title="Backlog",
        unit="requests",
        has=lambda variant: variant.asynchronous,
        of_endpoint=True,
        lines={
            "all": lambda metrics: metrics.approximate_backlog_size(),
            "for each instance": lambda metrics: metrics.approximate_backlog_size_per_instance(),
        },
    ),
    Graph(
        title="Oldest request",
        unit="seconds",
        has=lambda variant: variant.asynchronous,
        of_endpoint=True,
        lines={"waits": lambda metrics: metrics.approximate_age_of_oldest_request()},
    ),
    Graph(
        title="CPU",
        unit="% of one core",
        has=_has_instances,
        lines={"": lambda metrics: metrics.cpu_utilization()},
    ),
    Graph(
        title="Memory",
        unit="%",
        lines={"": lambda metrics: metrics.memory_utilization()},
    ),
    Graph(
        title="GPU",
        unit="% of one GPU",
        has=lambda variant: variant.has_gpu,
        lines={
            "": lambda metrics: metrics.gpu_utilization(),
            "memory": lambda metrics: metrics.gpu_memory_utilization(),
        },
    ),
    Graph(
        title="Disk",
        unit="%",
        has=_has_instances,
        lines={"": lambda metrics: metrics.disk_utilization()},
    ),
    Graph(
        title="CPU of each instance",
        unit="% of one core",
        has=_tells_instances,
        lines={"": lambda one: one.of_each_instance("CPUUtilization", statistic="Average")},
    ),
    Graph(
        title="Memory of each instance",
        unit="%",
        has=_tells_instances,
        lines={"": lambda one: one.of_each_instance("MemoryUtilization", statistic="Average")},
    ),
    Graph(
        title="GPUs of each instance",
        unit="% of one GPU",
        has=lambda variant: _tells_instances(variant) and variant.has_gpu,
        lines={"": lambda one: one.of_each_instance("GPUUtilization", statistic="Average")},
    ),
    Graph(
        title="Cold starts",
        unit="microseconds",
        has=lambda variant: variant.serverless,
        lines={"p99": lambda metrics: metrics.model_setup_time("p99")},
    ),
    Graph(
        title="Concurrency in use",
        unit="share",
        has=lambda variant: variant.serverless,
        lines={
            "of all": lambda metrics: metrics.serverless_concurrent_executions_utilization(),
            "of provisioned": lambda metrics: (
                metrics.serverless_provisioned_concurrency_utilization()
            ),
        },
    ),
    Graph(
        title="Models in memory",
        unit="models",
        has=lambda variant: variant.multi_model,
        lines={
            "": lambda metrics: metrics.loaded_model_count(),
            "put out a minute": lambda metrics: metrics.model_unloads(),
        },
    ),
    Graph(
        title="Model was in memory",
        unit="share",
        has=lambda variant: variant.multi_model,
        lines={"": lambda metrics: metrics.model_cache_hit_rate()},
    ),
    Graph(
        title="Waiting for a model",
        unit="microseconds",
        has=lambda variant: variant.multi_model,
        lines={"p99": lambda metrics: metrics.model_loading_wait_time("p99")},
    ),
)
"""In their order on the page, three to a row."""

OF_COMPONENTS = (
    ComponentGraph(
        title="Components: requests", unit="a minute", metric=lambda one: one.invocations()
    ),
    ComponentGraph(
        title="Components: share of 5XX", unit="share", metric=lambda one: one.invocation_5xx_rate()
    ),
    ComponentGraph(
        title="Components: model latency, p99",
        unit="microseconds",
        metric=lambda one: one.model_latency("p99"),
    ),
    ComponentGraph(
        title="Components: CPU", unit="% of one core", metric=lambda one: one.cpu_utilization()
    ),
    ComponentGraph(
        title="Components: memory", unit="%", metric=lambda one: one.memory_utilization()
    ),
    ComponentGraph(
        title="Components: requests at once",
        unit="most for each copy",
        metric=lambda one: one.concurrent_requests_per_copy(),
    ),
)
