"""The log groups of what SageMaker runs; metrics of its instances are in namespaces of these names.

Sources: SageMaker developer guide, "CloudWatch Logs for Amazon SageMaker AI" and "Amazon
SageMaker AI metrics in Amazon CloudWatch".
"""

from __future__ import annotations

ENDPOINTS = "/aws/sagemaker/Endpoints"
INFERENCE_COMPONENTS = "/aws/sagemaker/InferenceComponents"
TRANSFORM_JOBS = "/aws/sagemaker/TransformJobs"
COMPILATION_JOBS = "/aws/sagemaker/CompilationJobs"


def endpoint_log_group(endpoint_name: str) -> str:
    """Where the containers of an endpoint write to."""
    return f"{ENDPOINTS}/{endpoint_name}"


def component_log_group(component_name: str) -> str:
    """Where the containers of an inference component write to, and not to its endpoint's.

    Reported by others, who read it there (djl-serving's benchmarks; the log groups of an account
    that serves JumpStart's models). The developer guide's table of log groups
    does not name it in the copies that were read.
    """
    return f"{INFERENCE_COMPONENTS}/{component_name}"
