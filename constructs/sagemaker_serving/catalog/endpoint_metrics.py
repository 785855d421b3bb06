"""The metrics that SageMaker publishes of endpoints: in which namespace, under which dimensions.

Source: SageMaker developer guide, "Amazon SageMaker AI metrics in Amazon CloudWatch", and the pages
on serverless and asynchronous endpoints; cloud-custodian/cloud-custodian pull request 11071.
"""

from __future__ import annotations

REQUESTS = "AWS/SageMaker"
INSTANCES = "/aws/sagemaker/Endpoints"

OF_SERVERLESS_ALONE = frozenset(
    {
        *("ModelSetupTime", "ServerlessConcurrentExecutionsUtilization"),
        "ServerlessProvisionedConcurrencyExecutions",
        "ServerlessProvisionedConcurrencyInvocations",
        "ServerlessProvisionedConcurrencySpilloverInvocations",
        "ServerlessProvisionedConcurrencyUtilization",
    }
)
"""Metrics of a serverless variant's requests, which no other has (guide, "Alarms and logs for
tracking metrics from serverless endpoints")."""

OF_REQUESTS = OF_SERVERLESS_ALONE | frozenset(
    {
        *("Invocations", "InvocationsPerInstance", "InvocationModelErrors"),
        *("Invocation4XXErrors", "Invocation5XXErrors"),
        *("ModelLatency", "OverheadLatency"),
        *("ModelLoadingWaitTime", "ModelLoadingTime", "ModelUnloadingTime"),
        *("ModelDownloadingTime", "ModelCacheHit", "ConcurrentRequestsPerModel"),
        *("FirstChunkLatency", "FirstChunkModelLatency", "FirstChunkOverheadLatency"),
        *("MidStreamErrors", "InvocationsPerCopy", "ConcurrentRequestsPerCopy"),
    }
)
"""Metrics of a variant's requests, in `REQUESTS`: without requests they have no data."""

OF_INSTANCES = frozenset(
    {
        *("CPUUtilization", "CPUUtilizationNormalized", "MemoryUtilization", "DiskUtilization"),
        *("GPUUtilization", "GPUMemoryUtilization", "LoadedModelCount"),
    }
)
"""Metrics of a variant's instances, in `INSTANCES`."""

OF_ENDPOINTS = frozenset(
    {"ApproximateBacklogSize", "ApproximateBacklogSizePerInstance", "HasBacklogWithoutCapacity"}
)
"""Metrics of an asynchronous endpoint as a whole, in `REQUESTS`: under EndpointName alone."""

OF_WAITING = ("HasBacklogWithoutCapacity", "NoCapacityInvocationFailures")
"""Metrics by which what has no instance is started, of asynchronous endpoints and of components
(guide, "Autoscale an asynchronous endpoint", "Scale an endpoint to zero instances")."""

HIGH_RESOLUTION = frozenset({"ConcurrentRequestsPerModel"})
"""Those that come every ten seconds; others come once a minute, or as MetricsConfig says."""


COUNTED = frozenset(
    {
        *("Invocations", "InvocationsPerInstance", "InvocationModelErrors"),
        *("Invocation4XXErrors", "Invocation5XXErrors", "ModelCacheHit"),
    }
)
"""Those of which each request is a value of at most 1: 1 or 0, or its share of the instances."""

NOT_OF_ASYNCHRONOUS = frozenset({"OverheadLatency", "Invocations", "InvocationsPerInstance"})
"""Those that an asynchronous endpoint does not publish (guide, "Monitor asynchronous endpoint")."""

OF_SERVERLESS = OF_SERVERLESS_ALONE | {
    *("Invocations", "Invocation4XXErrors", "Invocation5XXErrors"),
    *("ModelLatency", "OverheadLatency", "MemoryUtilization"),
}
"""All that a serverless endpoint publishes; the guide calls its list exhaustive."""

DIMENSIONS = (
    *("EndpointName", "VariantName", "EndpointConfigName", "InferenceComponentName"),
    *("ContainerName", "InstanceId", "ContainerId", "AcceleratorId"),
)
"""What metrics of endpoints are told apart by (guide, also "Metrics for multi-container endpoints
with direct invocation" and "enhanced metrics for inference endpoints")."""


def most_of(metric: str, cpus: int | None, gpus: int) -> float | None:
    """The greatest value of a metric on a host; None where it has none, or the host is not known.

    Utilization is a sum over CPUs, or GPUs: 0 to 400 percent with four (guide, metrics of
    instances).
    """
    if metric in COUNTED:
        return 1
    if metric == "CPUUtilization":
        return None if cpus is None else 100 * cpus
    if metric.startswith("GPU"):
        return 100 * gpus or None
    return 100 if unit_of(metric) == "Percent" else None


def unit_of(metric: str) -> str | None:
    """The unit of a metric's values; None for a count, and for what is not known here."""
    if metric in OF_REQUESTS and metric.endswith(("Latency", "Time")):
        return "Microseconds"
    return "Percent" if metric in OF_INSTANCES and "Utilization" in metric else None


def namespace_of(metric: str) -> str | None:
    """Where SageMaker publishes a metric of endpoints; None for one that is none of them."""
    if metric in OF_INSTANCES:
        return INSTANCES
    return REQUESTS if metric in OF_REQUESTS | OF_ENDPOINTS else None
