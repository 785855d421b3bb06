"""What the user asks for: the types of an environment file, their parsing and shape.

Only shape is judged here (known fields, types of values); whether a value
makes sense is for ``rules``.
"""

from sagemaker_serving.spec.batching import Batching, Server, batching_variables, server_variables
from sagemaker_serving.spec.environment import (
    BatchTransform,
    Environment,
    Model,
    S3Artifact,
    Storage,
    Variant,
)
from sagemaker_serving.spec.overlay import overlay
from sagemaker_serving.spec.reading import EnvironmentFile, read_environment
from sagemaker_serving.spec.schema import environment_schema

__all__ = [
    "BatchTransform",
    "Batching",
    "Environment",
    "EnvironmentFile",
    "Model",
    "S3Artifact",
    "Server",
    "Storage",
    "Variant",
    "batching_variables",
    "environment_schema",
    "overlay",
    "read_environment",
    "server_variables",
]
