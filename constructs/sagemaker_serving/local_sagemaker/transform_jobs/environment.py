"""What a job's container is told of the job, and how the data log says the same."""

from __future__ import annotations

from sagemaker_serving.local_sagemaker.common.store import Resource
from sagemaker_serving.local_sagemaker.transform_jobs.transformation import (
    DEFAULT_BATCH_STRATEGY,
    DEFAULT_MAX_PAYLOAD_MB,
)

_STRATEGIES = {"MultiRecord": "MULTI_RECORD", "SingleRecord": "SINGLE_RECORD"}


def container_environment(job: Resource) -> dict[str, str]:
    """The job's own variables, and those that SageMaker adds.

    ``SAGEMAKER_BATCH`` always, the others only where CreateTransformJob was
    given the value (SageMaker developer guide, "Use Your Own Inference Code
    with Batch Transform").
    """
    environment = {**job.get("Environment", {}), "SAGEMAKER_BATCH": "true"}
    if "BatchStrategy" in job:
        environment["SAGEMAKER_BATCH_STRATEGY"] = _STRATEGIES[job["BatchStrategy"]]
    if job.get("MaxConcurrentTransforms"):  # 0 leaves it to the container, as absence does
        environment["SAGEMAKER_MAX_CONCURRENT_TRANSFORMS"] = str(job["MaxConcurrentTransforms"])
    if "MaxPayloadInMB" in job:
        environment["SAGEMAKER_MAX_PAYLOAD_IN_MB"] = str(job["MaxPayloadInMB"])
    return environment


def settings_line(job: Resource) -> str:
    """The data log's first line, as github.com/aws/amazon-sagemaker-examples/issues/1620 has it."""
    return (
        f"MaxConcurrentTransforms={job.get('MaxConcurrentTransforms') or 1}, "
        f"MaxPayloadInMB={job.get('MaxPayloadInMB', DEFAULT_MAX_PAYLOAD_MB)}, "
        f"BatchStrategy={_STRATEGIES[job.get('BatchStrategy', DEFAULT_BATCH_STRATEGY)]}"
    )
