"""The log groups of what SageMaker runs; metrics of its instances are in namespaces of these names.

Sources: SageMaker developer guide, "CloudWatch Logs for Amazon SageMaker AI" and "Amazon
SageMaker AI metrics in Amazon CloudWatch"; read 2026-11-21.
"""

from __future__ import annotations

ENDPOINTS = "/aws/sagemaker/Endpoints"
INFERENCE_COMPONENTS = "/aws/sagemaker/InferenceComponents"
TRANSFORM_JOBS = "/aws/sagemaker/TransformJobs"
COMPILATION_JOBS = "/aws/sagemaker/CompilationJobs"


def endpoint_log_group(endpoint_name: str) -> str:
    """Where the containers of an endpoint write to."""
    return f"{ENDPOINTS}/{endpoint_name}"
