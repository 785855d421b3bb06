"""What is watched of each kind of variant, the most telling first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch

from sagemaker_serving.catalog import instances
from sagemaker_serving.catalog.instances import InstanceType
from sagemaker_serving.infra.monitoring.metrics import EndpointMetrics
from sagemaker_serving.infra.synth.tokens import is_token
from sagemaker_serving.spec.monitoring import AlarmThresholds


@dataclass(frozen=True, kw_only=True)
class WatchedVariant:
    """A variant to watch: ``instance_type`` is None for a serverless one.

    ``asynchronous`` is whether its endpoint answers into S3, ``multi_model``
    whether it loads models as they are called, ``enhanced`` whether its endpoint
    publishes metrics of each instance, too.
    """

    name: str
    instance_type: str | None = None
    asynchronous: bool = False
    multi_model: bool = False
    enhanced: bool = False

    @property
    def serverless(self) -> bool:
        """Whether it has no instances."""
        return self.instance_type is None

    @property
    def has_gpu(self) -> bool:
        """Whether its instances have a GPU, as far as that is known."""
        return _gpus(self) is not None


@dataclass(frozen=True, kw_only=True)
class Watch:
    """One metric with the value above which something is wrong, and what that means.

    ``takes_back`` is whether an update is rolled back for it: a busy instance is no such reason.
    """

    name: str
    meaning: str
    metric: cloudwatch.Metric
    threshold: float
    takes_back: bool = False


def watches(
    endpoint_name: str,
    variants: Sequence[WatchedVariant],
    limits: AlarmThresholds,
    endpoint_config_name: str | None = None,
) -> Iterator[Watch]:
    """Everything to watch: errors of every variant, then latency of every variant, and so on.

    Of what runs ``endpoint_config_name`` alone, where that is given. Raises
    `UnknownInstanceType` for a type that SageMaker does not take.
    """
    period = cdk.Duration.seconds(limits.period_seconds)
    for kind in _KINDS:
        limit = kind.limit(limits)
        for variant in variants:
            scale = kind.scale(variant)
            if limit is not None and scale is not None:
                metrics = EndpointMetrics(
                    endpoint_name=endpoint_name,
                    variant_name=variant.name,
                    endpoint_config_name=endpoint_config_name,
                    period=period,
                )
                yield Watch(
                    name=f"{variant.name}-{kind.name}",
                    meaning=f"{kind.meaning} of variant {variant.name} over {limit:g} {kind.unit}",
                    metric=kind.metric(metrics),
                    threshold=round(limit * scale, 6),
                    takes_back=kind.takes_back,
                )
    if limits.oldest_request_seconds is not None:
        for variant in [one for one in variants if one.asynchronous][:1]:
            metrics = EndpointMetrics(
                endpoint_name=endpoint_name, variant_name=variant.name, period=period
            )
            yield Watch(
                name="oldest-request",
                meaning=f"the oldest request waits over {limits.oldest_request_seconds:g} s",
                metric=metrics.approximate_age_of_oldest_request(),
                threshold=limits.oldest_request_seconds,
            )


@dataclass(frozen=True)
class _Kind:
    """A kind of alarm; ``scale`` turns a limit into the metric's unit.

    It is None for a variant that has no such metric.
    """

    name: str
    meaning: str
    unit: str
    limit: Callable[[AlarmThresholds], float | None]
    metric: Callable[[EndpointMetrics], cloudwatch.Metric]
    scale: Callable[[WatchedVariant], float | None]
    takes_back: bool = False


def _cores(variant: WatchedVariant) -> int | None:
    kind = _hardware(variant)
    return None if kind is None else kind.vcpus


def _gpus(variant: WatchedVariant) -> int | None:
    kind = _hardware(variant)
    return None if kind is None or kind.gpus == 0 else kind.gpus


def _hardware(variant: WatchedVariant) -> InstanceType | None:
    if variant.instance_type is None or is_token(variant.instance_type):
        return None
    return instances.instance_type(variant.instance_type)


_MICROSECONDS = 1000.0
_SHARE = 0.01

_KINDS = (
    _Kind(
        *("invocation-5xx-errors", "5XX answers", "% of requests"),
        lambda limits: limits.invocation_5xx_errors_percent,
        EndpointMetrics.invocation_5xx_rate,
        lambda variant: _SHARE,
        takes_back=True,
    ),
    _Kind(
        *("model-latency", "p99 of the model's latency", "ms"),
        lambda limits: limits.model_latency_p99_milliseconds,
        EndpointMetrics.model_latency,
        lambda variant: None if variant.asynchronous else _MICROSECONDS,
        takes_back=True,
    ),
    _Kind(
        *("overhead-latency", "p99 of SageMaker's own latency", "ms"),
        lambda limits: limits.overhead_latency_p99_milliseconds,
        EndpointMetrics.overhead_latency,
        lambda variant: None if variant.asynchronous or variant.serverless else _MICROSECONDS,
        takes_back=True,
    ),
    _Kind(
        *("memory-utilization", "memory in use", "%"),
        lambda limits: limits.memory_utilization_percent,
        EndpointMetrics.memory_utilization,
        lambda variant: 1.0,
    ),
    _Kind(
        *("cpu-utilization", "CPU in use", "% of all cores"),
        lambda limits: limits.cpu_utilization_percent,
        EndpointMetrics.cpu_utilization,
        _cores,
    ),
    _Kind(
        *("gpu-utilization", "GPU in use", "% of all GPUs"),
        lambda limits: limits.gpu_utilization_percent,
        EndpointMetrics.gpu_utilization,
        _gpus,
    ),
    _Kind(
        *("serverless-concurrency", "requests at once", "% of max_concurrency"),
        lambda limits: limits.serverless_concurrency_percent,
        EndpointMetrics.serverless_concurrent_executions_utilization,
        lambda variant: _SHARE if variant.serverless else None,
    ),
    _Kind(
        *("disk-utilization", "disk in use", "%"),
        lambda limits: limits.disk_utilization_percent,
        EndpointMetrics.disk_utilization,
        lambda variant: None if variant.serverless else 1.0,
    ),
)
"""The most telling first: a rollback takes ten alarms, and those are the first ten."""
