"""CDK constructs: a model on disk as a SageMaker endpoint and a batch pipeline.

::

    from sagemaker_serving.infra import Endpoint, EndpointConfig, InstanceVariant, Model
    from sagemaker_serving.infra import ContainerImage, ModelData

The only part of this package that imports aws_cdk.
"""

from sagemaker_serving.infra.batch_transform import BatchTransform
from sagemaker_serving.infra.data_bucket import DataBucket
from sagemaker_serving.infra.endpoint import Endpoint
from sagemaker_serving.infra.endpoint_config import EndpointConfig
from sagemaker_serving.infra.execution_role import ExecutionRole
from sagemaker_serving.infra.image import ContainerImage
from sagemaker_serving.infra.instance_variant import InstanceVariant
from sagemaker_serving.infra.model import Model
from sagemaker_serving.infra.model_data import ModelData

__all__ = [
    "BatchTransform",
    "ContainerImage",
    "DataBucket",
    "Endpoint",
    "EndpointConfig",
    "ExecutionRole",
    "InstanceVariant",
    "Model",
    "ModelData",
]
