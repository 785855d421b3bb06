"""The graphs of a dashboard, each for the kinds of variant that publish what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import aws_cloudwatch as cloudwatch

from sagemaker_serving.infra.monitoring.metrics import EndpointMetrics, InferenceComponentMetrics
from sagemaker_serving.infra.monitoring.watches import WatchedVariant

_WIDTH = 8
_Metric = Callable[[EndpointMetrics], cloudwatch.Metric | cloudwatch.MathExpression]


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


def _is_asynchronous(variant: WatchedVariant) -> bool:
    return variant.asynchronous


def _has_instances(variant: WatchedVariant) -> bool:
    return not variant.serverless


def _tells_instances(variant: WatchedVariant) -> bool:
    return variant.enhanced and not variant.serverless


def _is_multi_model(variant: WatchedVariant) -> bool:
    return variant.multi_model


def _by_instance(metric_name: str) -> Mapping[str, _Metric]:
    return {"": lambda metrics: metrics.of_each_instance(metric_name, statistic="Average")}


_Of = EndpointMetrics
_OfComponent = InferenceComponentMetrics

OF_VARIANTS = (
    Graph("Requests", "a minute", {"": _Of.invocations}, _answers_at_once),
    Graph(
        "Requests worked on",
        "a minute",
        {
            "": _Of.invocations_processed,
            "failed": _Of.invocation_failures,
            "expired": _Of.expired_requests,
        },
        _is_asynchronous,
    ),
    Graph(
        "Errors",
        "a minute",
        {"4XX": _Of.invocation_4xx_errors, "5XX": _Of.invocation_5xx_errors},
    ),
    Graph(
        "Model latency",
        "microseconds",
        {
            "p50": lambda metrics: metrics.model_latency("p50"),
            "p90": lambda metrics: metrics.model_latency("p90"),
            "p99": _Of.model_latency,
        },
    ),
    Graph("Overhead latency", "microseconds", {"p99": _Of.overhead_latency}, _answers_at_once),
    Graph(
        "Requests at once",
        "most",
        {"": _Of.concurrent_requests_per_model},
        lambda variant: not variant.asynchronous and not variant.serverless,
    ),
    Graph(
        "Backlog",
        "requests",
        {
            "all": _Of.approximate_backlog_size,
            "for each instance": _Of.approximate_backlog_size_per_instance,
        },
        _is_asynchronous,
        of_endpoint=True,
    ),
    Graph(
        "Oldest request",
        "seconds",
        {"waits": _Of.approximate_age_of_oldest_request},
        _is_asynchronous,
        of_endpoint=True,
    ),
    Graph("CPU", "% of one core", {"": _Of.cpu_utilization}, _has_instances),
    Graph("Memory", "%", {"": _Of.memory_utilization}),
    Graph(
        "GPU",
        "% of one GPU",
        {"": _Of.gpu_utilization, "memory": _Of.gpu_memory_utilization},
        lambda variant: variant.has_gpu,
    ),
    Graph("Disk", "%", {"": _Of.disk_utilization}, _has_instances),
    Graph(
        "CPU of each instance", "% of one core", _by_instance("CPUUtilization"), _tells_instances
    ),
    Graph("Memory of each instance", "%", _by_instance("MemoryUtilization"), _tells_instances),
    Graph(
        "GPUs of each instance",
        "% of one GPU",
        _by_instance("GPUUtilization"),
        lambda variant: _tells_instances(variant) and variant.has_gpu,
    ),
    Graph(
        "Cold starts",
        "microseconds",
        {"p99": _Of.model_setup_time},
        lambda variant: variant.serverless,
    ),
    Graph(
        "Concurrency in use",
        "share",
        {
            "of all": _Of.serverless_concurrent_executions_utilization,
            "of provisioned": _Of.serverless_provisioned_concurrency_utilization,
        },
        lambda variant: variant.serverless,
    ),
    Graph(
        "Models in memory",
        "models",
        {"": _Of.loaded_model_count, "put out a minute": _Of.model_unloads},
        _is_multi_model,
    ),
    Graph("Model was in memory", "share", {"": _Of.model_cache_hit_rate}, _is_multi_model),
    Graph(
        "Waiting for a model", "microseconds", {"p99": _Of.model_loading_wait_time}, _is_multi_model
    ),
)
"""In their order on the page, three to a row."""

OF_COMPONENTS = (
    ComponentGraph("Components: requests", "a minute", _OfComponent.invocations),
    ComponentGraph("Components: share of 5XX", "share", _OfComponent.invocation_5xx_rate),
    ComponentGraph("Components: model latency, p99", "microseconds", _OfComponent.model_latency),
    ComponentGraph("Components: CPU", "% of one core", _OfComponent.cpu_utilization),
    ComponentGraph("Components: memory", "%", _OfComponent.memory_utilization),
    ComponentGraph(
        "Components: requests at once",
        "most for each copy",
        _OfComponent.concurrent_requests_per_copy,
    ),
)
