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
    from sagemaker_serving.infra.endpoint_metrics import EndpointMetrics
    from sagemaker_serving.infra.execution_role import ExecutionRole
    from sagemaker_serving.infra.image import ContainerImage
    from sagemaker_serving.infra.instance_variant import InstanceVariant
    from sagemaker_serving.infra.model import Model
    from sagemaker_serving.infra.model_data import ModelData
    from sagemaker_serving.infra.network import Network
    from sagemaker_serving.infra.private_vpc import PrivateVpc

__all__ = [
    "AnyEndpoint",
    "BatchTransform",
    "ContainerImage",
    "DataBucket",
    "Endpoint",
    "EndpointConfig",
    "EndpointMetrics",
    "ExecutionRole",
    "InstanceVariant",
    "Model",
    "ModelData",
    "Network",
    "PrivateVpc",
    "SageMakerChecks",
]

_HOMES = {
    "AnyEndpoint": "endpoint",
    "BatchTransform": "batch_transform",
    "ContainerImage": "image",
    "DataBucket": "data_bucket",
    "Endpoint": "endpoint",
    "EndpointConfig": "endpoint_config",
    "EndpointMetrics": "endpoint_metrics",
    "ExecutionRole": "execution_role",
    "InstanceVariant": "instance_variant",
    "Model": "model",
    "ModelData": "model_data",
    "Network": "network",
    "PrivateVpc": "private_vpc",
    "SageMakerChecks": "checks",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
