"""Rules on metrics of endpoints that an alarm watches, or that scaling follows."""

from __future__ import annotations

from collections.abc import Iterator

from local_aws.suggest import nearest
from sagemaker_serving.catalog.endpoint_metrics import (
    COUNTED,
    DIMENSIONS,
    HIGH_RESOLUTION,
    INSTANCES,
    NOT_OF_ASYNCHRONOUS,
    OF_ENDPOINTS,
    OF_INSTANCES,
    OF_REQUESTS,
    OF_SERVERLESS,
    OF_SERVERLESS_ALONE,
    REQUESTS,
    most_of,
    namespace_of,
    unit_of,
)
from sagemaker_serving.rules.engine import Finding, warning
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.kinds import MetricFacts
from sagemaker_serving.rules.hardware.instance_types import known


@warning(
    source="AWS SageMaker developer guide, metrics in Amazon CloudWatch",
    example="Namespace: AWS/SageMaker, MetricName: CPUUtilization",
)
def metric_namespace(metric: MetricFacts) -> Iterator[Finding]:
    """A metric of an endpoint is watched in the namespace that SageMaker publishes it in.

    Requests are in AWS/SageMaker, instances in /aws/sagemaker/Endpoints. In another there is no
    data, so an alarm never goes off and scaling never acts.
    """
    right, given = namespace_of(metric.name.text or ""), metric.namespace.text
    likes = {REQUESTS.lower(), INSTANCES.lower().strip("/")}
    if right is None or given is None or not _is_of_endpoint(metric):
        return
    if given != right and given.lower().strip("/") in likes:
        yield metric.namespace.says(
            f"is {given}; SageMaker publishes {metric.name.text} in {right}, so that there is "
            f"never data here; use {right}"
        )


@warning(
    source="AWS SageMaker developer guide, metrics in Amazon CloudWatch, Monitor asynchronous "
    "endpoint, and Alarms and logs for tracking metrics from serverless endpoints",
    example="MetricName: Invocation5xxErrors",
)
def metric_name(metric: MetricFacts) -> Iterator[Finding]:
    """A metric of an endpoint is spelt as SageMaker publishes it, and its endpoint publishes it.

    CloudWatch takes any name, and an alarm on what nobody publishes never goes off. An asynchronous
    endpoint publishes neither Invocations nor OverheadLatency, and no other has a backlog. Types
    without a GPU publish nothing of one, and a serverless endpoint nothing of instances but memory.
    """
    name, known_names = metric.name.text or "", OF_REQUESTS | OF_INSTANCES | OF_ENDPOINTS
    letters = {one.lower(): one for one in known_names}
    if metric.namespace.text not in (REQUESTS, INSTANCES):
        return
    if name not in known_names and name.lower() in letters:
        yield metric.name.says(
            f"is {name}, and capitals count; SageMaker publishes {letters[name.lower()]}; write it "
            "so"
        )
    asynchronous = metric.config is not None and metric.config.asynchronous.given
    if metric.of_alarm and asynchronous and name in NOT_OF_ASYNCHRONOUS:
        yield metric.name.says(
            f"is {name}, which an asynchronous endpoint does not publish; use "
            "ApproximateBacklogSize, ModelLatency or the counts of errors"
        )
    if metric.config is not None and not asynchronous and name in OF_ENDPOINTS:
        yield metric.name.says(
            f"is {name}, which only an asynchronous endpoint publishes; use "
            "InvocationsPerInstance, ModelLatency or the counts of errors"
        )
    variants = metric.config.variants if metric.config is not None else ()
    serverless = bool(variants) and all(one.is_serverless for one in variants)
    if serverless and name in (OF_REQUESTS | OF_INSTANCES) - OF_SERVERLESS:
        yield metric.name.says(
            f"is {name}, which a serverless endpoint does not publish; use ModelLatency, "
            "MemoryUtilization, ServerlessConcurrentExecutionsUtilization or the counts of errors"
        )
    on_instances = variants and not any(one.get("ServerlessConfig").given for one in variants)
    if on_instances and name in OF_SERVERLESS_ALONE:
        yield metric.name.says(
            f"is {name}, which only a serverless endpoint publishes; use InvocationsPerInstance, "
            "CPUUtilization or ConcurrentRequestsPerModel"
        )
    hosts = [known(one) for one in _types(metric)]
    if name.startswith("GPU") and hosts and all(one is not None and not one.gpus for one in hosts):
        yield metric.name.says(
            f"is {name}, and the instances have no GPU, so that there is never data; use "
            "CPUUtilization or InvocationsPerInstance"
        )


@warning(
    source="AWS SageMaker developer guide, metrics in Amazon CloudWatch; CloudWatch user guide, "
    "statistics and units",
    example="MetricName: ModelLatency, Unit: Milliseconds",
)
def metric_unit(metric: MetricFacts) -> Iterator[Finding]:
    """An alarm that asks for a unit asks for the one that SageMaker publishes.

    CloudWatch converts nothing: it looks at values of that unit alone. Latencies are in
    microseconds, and so is their threshold; one below 1,000 was meant in milliseconds.
    """
    name, given = metric.name.text or "", metric.unit.text
    unit, bound = unit_of(name), metric.bound
    if metric.namespace.text != namespace_of(name):
        return
    is_latency = unit == "Microseconds" and _is_of_values(metric)
    if is_latency and bound.number is not None and 1 <= bound.number < 1_000:
        yield bound.says(
            f"is {bound.value}, and SageMaker publishes {name} in microseconds, so that it is "
            f"{bound.number / 1_000:g} ms; for {bound.value} ms write {bound.number * 1_000:.0f}"
        )
    if None not in (unit, given) and given != unit:
        yield metric.unit.says(
            f"is {given}; SageMaker publishes {name} in {unit}, so that there is never data; "
            f"remove it, or use {unit}"
        )


@warning(
    source="AWS SageMaker developer guide, metrics in Amazon CloudWatch",
    example="MetricName: Invocation5XXErrors, Statistic: Average, Threshold: 5",
)
def metric_reach(metric: MetricFacts) -> Iterator[Finding]:
    """An alarm, or scaling, waits for a value that the metric can have.

    Each request counts as 1 or 0, so that the average of errors is their share: Sum is their
    number. Utilization is a sum over CPUs, 200 percent at most with two. An alarm at the greatest
    value never goes off, nothing rolls back, and nothing scales out.
    """
    name, statistic, bound = metric.name.text or "", metric.statistic.text, metric.bound.number
    if metric.namespace.text != namespace_of(name) or bound is None or metric.comparison is None:
        return
    below = metric.comparison.startswith("Less")
    equal = "OrEqual" in metric.comparison
    if below and (bound < 0 or (bound == 0 and not equal)):
        yield metric.bound.says(
            f"is {metric.bound.value}, and {name} is never less than 0, so that this alarm never "
            "goes off; use more than 0"
        )
    if below or not _is_of_values(metric):
        return
    types = [known(one) for one in _types(metric)] or [None]
    reached = [
        most_of(name, None, 0) if one is None else most_of(name, one.vcpus, one.gpus)
        for one in types
    ]
    most = max((one for one in reached if one is not None), default=None)
    if most is not None and None not in reached and (bound > most or (bound == most and not equal)):
        counts = name in COUNTED
        yield metric.bound.finding(
            f"{metric.bound.name} is {metric.bound.value}, and {statistic} of {name} is at most "
            f"{most:g}"
            + (", since each request is 1 or less" if counts else "")
            + "; it never comes over that; use "
            + ("the statistic Sum, or a share below 1" if counts else f"less than {most:g}")
        )


def _types(metric: MetricFacts) -> list[Fact]:
    """The instance types of the endpoint, as far as they are told."""
    of_config = [one.instance_type for one in metric.config.variants] if metric.config else []
    return [*metric.hosts, *of_config]


def _is_of_values(metric: MetricFacts) -> bool:
    """Whether its statistic is one of the values, or between them: an average, p99, no sum."""
    statistic = metric.statistic.text
    return statistic is not None and not statistic.lower().startswith(_NOT_OF_VALUES)


_NOT_OF_VALUES = ("sum", "samplecount", "ts", "tc", "pr")
"""Statistics that are sums, counts or shares of the values (CloudWatch user guide, statistics
definitions)."""


@warning(
    source="cloud-custodian/cloud-custodian pull request 11071; AWS SageMaker developer guide, "
    "metrics in Amazon CloudWatch",
    example="MetricName: Invocation5XXErrors, Dimensions: [{Name: EndpointName, Value: digits}]",
)
def metric_dimensions(metric: MetricFacts) -> Iterator[Finding]:
    """A metric of a variant is watched under EndpointName and VariantName, each as it is named.

    Under EndpointName alone there is no data, so an alarm never goes off and nothing rolls back.
    The backlog of an asynchronous endpoint is the other way round: it has EndpointName alone.
    """
    name = metric.name.text or ""
    named = {dimension.text: value for dimension, value in metric.dimensions}
    right = namespace_of(name)
    if right is None or right != metric.namespace.text:
        return
    for dimension, _ in metric.dimensions:
        meant = nearest(dimension.text or "", DIMENSIONS)
        if dimension.text is not None and dimension.text not in DIMENSIONS and meant:
            yield dimension.finding(
                f"{name} has no dimension {dimension.text!r}, so that there is never data; did you "
                f"mean {meant}?"
            )
    if not _is_of_endpoint(metric):
        return
    variant, names = named.get("VariantName"), metric.config.names if metric.config else None
    if name in OF_ENDPOINTS:
        if variant is not None:
            yield variant.finding(
                f"{name} is of the whole endpoint, and has no VariantName; with one there is never "
                "data; remove it"
            )
    elif variant is None:
        yield metric.finding(
            f"{name} has the dimensions EndpointName and VariantName, and VariantName is not "
            "there, so that there is never data; add it"
        )
    elif names is not None and variant.text is not None and variant.text not in names:
        yield variant.finding(
            f"VariantName is {variant.text!r}; the endpoint's variants are {', '.join(names)}; "
            "name one of them"
        )


@warning(
    source="AWS SageMaker developer guide, metrics in Amazon CloudWatch; botocore MetricsConfig",
    example="MetricName: Invocation5XXErrors, Period: 10",
)
def metric_period(metric: MetricFacts) -> Iterator[Finding]:
    """An alarm's period is a minute or more, for metrics that come once a minute.

    Most shorter periods have no value. MetricsConfig of the endpoint's configuration has
    utilization published more often.
    """
    name, period = metric.name.text or "", metric.period.number
    of_minutes = (OF_REQUESTS | OF_INSTANCES | OF_ENDPOINTS) - HIGH_RESOLUTION
    often = metric.config is not None and metric.config.metrics.given
    if not metric.of_alarm or often or not _is_of_endpoint(metric):
        return
    if period is not None and period < 60 and name in of_minutes:
        yield metric.period.says(
            f"is {metric.period.value}, and {name} comes once a minute; most periods would have no "
            "value; use 60"
        )


def _is_of_endpoint(metric: MetricFacts) -> bool:
    """Whether it is watched as one endpoint's, and not as that of an inference component."""
    names = {dimension.text for dimension, _ in metric.dimensions}
    return "EndpointName" in names and not names & {None, "InferenceComponentName"}
