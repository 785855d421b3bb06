"""CDK constructs: a model on disk as a SageMaker endpoint and a batch pipeline.

::

    from sagemaker_serving.infra import Endpoint, EndpointConfig, InstanceVariant, Model
    from sagemaker_serving.infra import ContainerImage, ModelData

The only part of this package that imports aws_cdk. Each construct is loaded
when it is first asked for: CDK's own modules take tenths of a second each.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sagemaker_serving.infra.batch_transform import BatchTransform
    from sagemaker_serving.infra.checks import SageMakerChecks
    from sagemaker_serving.infra.data_bucket import DataBucket
    from sagemaker_serving.infra.endpoint import AnyEndpoint, Endpoint
    from sagemaker_serving.infra.endpoint_config import EndpointConfig
    from sagemaker_serving.infra.execution_role import ExecutionRole
    from sagemaker_serving.infra.github_deploy_role import GitHubDeployRole
    from sagemaker_serving.infra.image import ContainerImage
    from sagemaker_serving.infra.instance_variant import InstanceVariant
    from sagemaker_serving.infra.model import Model
    from sagemaker_serving.infra.model_data import ModelData
    from sagemaker_serving.infra.monitoring import (
        AlarmThresholds,
        AlarmTopic,
        EndpointAlarms,
        EndpointDashboard,
        EndpointMetrics,
        EndpointMonitoring,
        InferenceComponentMetrics,
        WatchedVariant,
    )
    from sagemaker_serving.infra.network import Network
    from sagemaker_serving.infra.private_vpc import PrivateVpc

__all__ = [
    "AlarmThresholds",
    "AlarmTopic",
    "AnyEndpoint",
    "BatchTransform",
    "ContainerImage",
    "DataBucket",
    "Endpoint",
    "EndpointAlarms",
    "EndpointConfig",
    "EndpointDashboard",
    "EndpointMetrics",
    "EndpointMonitoring",
    "ExecutionRole",
    "GitHubDeployRole",
    "InferenceComponentMetrics",
    "InstanceVariant",
    "Model",
    "ModelData",
    "Network",
    "PrivateVpc",
    "SageMakerChecks",
    "WatchedVariant",
]

_HOMES = {
    "AlarmThresholds": "monitoring",
    "AlarmTopic": "monitoring",
    "AnyEndpoint": "endpoint",
    "BatchTransform": "batch_transform",
    "ContainerImage": "image",
    "DataBucket": "data_bucket",
    "Endpoint": "endpoint",
    "EndpointAlarms": "monitoring",
    "EndpointConfig": "endpoint_config",
    "EndpointDashboard": "monitoring",
    "EndpointMetrics": "monitoring",
    "EndpointMonitoring": "monitoring",
    "ExecutionRole": "execution_role",
    "GitHubDeployRole": "github_deploy_role",
    "InferenceComponentMetrics": "monitoring",
    "InstanceVariant": "instance_variant",
    "Model": "model",
    "ModelData": "model_data",
    "Network": "network",
    "PrivateVpc": "private_vpc",
    "SageMakerChecks": "checks",
    "WatchedVariant": "monitoring",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
