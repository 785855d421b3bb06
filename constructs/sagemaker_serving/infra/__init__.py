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
    from sagemaker_serving.infra.async_inference import AsyncInference
    from sagemaker_serving.infra.batch_transform import BatchTransform
    from sagemaker_serving.infra.checks import SageMakerChecks
    from sagemaker_serving.infra.container import Container, ModelPackage, MultiModelContainer
    from sagemaker_serving.infra.data_bucket import DataBucket
    from sagemaker_serving.infra.data_capture import DataCapture
    from sagemaker_serving.infra.endpoint import AnyEndpoint, Endpoint
    from sagemaker_serving.infra.endpoint_config import EndpointConfig
    from sagemaker_serving.infra.execution_role import ExecutionRole
    from sagemaker_serving.infra.github_deploy_role import GitHubDeployRole
    from sagemaker_serving.infra.guardrails import Guardrails
    from sagemaker_serving.infra.image import ContainerImage
    from sagemaker_serving.infra.inference_component import ComponentSize, InferenceComponent
    from sagemaker_serving.infra.instance_variant import InstanceVariant, ManagedInstanceScaling
    from sagemaker_serving.infra.model import Model
    from sagemaker_serving.infra.model_archives import ModelArchives
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
    from sagemaker_serving.infra.neo_compilation import NeoCompilation
    from sagemaker_serving.infra.neo_compiler import NeoCompiler
    from sagemaker_serving.infra.network import Network
    from sagemaker_serving.infra.private_vpc import PrivateVpc
    from sagemaker_serving.infra.s3_prefix import S3Prefix
    from sagemaker_serving.infra.scaling import Scaling
    from sagemaker_serving.infra.scaling_values import ScalingMetric, ScalingStep
    from sagemaker_serving.infra.serverless_variant import ServerlessVariant

__all__ = [
    "AlarmThresholds",
    "AlarmTopic",
    "AnyEndpoint",
    "AsyncInference",
    "BatchTransform",
    "ComponentSize",
    "Container",
    "ContainerImage",
    "DataBucket",
    "DataCapture",
    "Endpoint",
    "EndpointAlarms",
    "EndpointConfig",
    "EndpointDashboard",
    "EndpointMetrics",
    "EndpointMonitoring",
    "ExecutionRole",
    "GitHubDeployRole",
    "Guardrails",
    "InferenceComponent",
    "InferenceComponentMetrics",
    "InstanceVariant",
    "ManagedInstanceScaling",
    "Model",
    "ModelArchives",
    "ModelData",
    "ModelPackage",
    "MultiModelContainer",
    "NeoCompilation",
    "NeoCompiler",
    "Network",
    "PrivateVpc",
    "S3Prefix",
    "SageMakerChecks",
    "Scaling",
    "ScalingMetric",
    "ScalingStep",
    "ServerlessVariant",
    "WatchedVariant",
]

_HOMES = {
    "AlarmThresholds": "monitoring",
    "AlarmTopic": "monitoring",
    "AnyEndpoint": "endpoint",
    "AsyncInference": "async_inference",
    "BatchTransform": "batch_transform",
    "ComponentSize": "inference_component",
    "Container": "container",
    "ContainerImage": "image",
    "DataBucket": "data_bucket",
    "DataCapture": "data_capture",
    "Endpoint": "endpoint",
    "EndpointAlarms": "monitoring",
    "EndpointConfig": "endpoint_config",
    "EndpointDashboard": "monitoring",
    "EndpointMetrics": "monitoring",
    "EndpointMonitoring": "monitoring",
    "ExecutionRole": "execution_role",
    "GitHubDeployRole": "github_deploy_role",
    "Guardrails": "guardrails",
    "InferenceComponent": "inference_component",
    "InferenceComponentMetrics": "monitoring",
    "InstanceVariant": "instance_variant",
    "ManagedInstanceScaling": "instance_variant",
    "Model": "model",
    "ModelArchives": "model_archives",
    "ModelData": "model_data",
    "ModelPackage": "container",
    "MultiModelContainer": "container",
    "NeoCompilation": "neo_compilation",
    "NeoCompiler": "neo_compiler",
    "Network": "network",
    "PrivateVpc": "private_vpc",
    "S3Prefix": "s3_prefix",
    "SageMakerChecks": "checks",
    "Scaling": "scaling",
    "ScalingMetric": "scaling_values",
    "ScalingStep": "scaling_values",
    "ServerlessVariant": "serverless_variant",
    "WatchedVariant": "monitoring",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
