"""What the user asks for: the types of an environment file, their parsing and shape.

Only shape is judged here (known fields, types of values); whether a value
makes sense is for ``rules``. Each type is loaded when it is first asked for: constructs need few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sagemaker_serving.lazy_names import loading

if TYPE_CHECKING:
    from sagemaker_serving.spec.batch_transform import (
        BatchTransform,
        BatchTransformSettings,
        Retries,
        Retry,
    )
    from sagemaker_serving.spec.batching import (
        Batching,
        Server,
        batching_variables,
        server_variables,
    )
    from sagemaker_serving.spec.container import (
        Container,
        FolderArtifact,
        PipelineContainer,
        S3Artifact,
    )
    from sagemaker_serving.spec.data_capture import DataCapture
    from sagemaker_serving.spec.environment import (
        Environment,
        Expire,
        Extra,
        Model,
        Storage,
    )
    from sagemaker_serving.spec.kinds import (
        Asynchronous,
        ExistingEndpoint,
        ModelPackage,
        MultiModel,
    )
    from sagemaker_serving.spec.monitoring import AlarmThresholds, MetricsConfig, Monitoring
    from sagemaker_serving.spec.network import ExistingNetwork, Network, PrivateNetwork
    from sagemaker_serving.spec.organization import Bootstrap, Organization
    from sagemaker_serving.spec.reading import EnvironmentFile, read_environment
    from sagemaker_serving.spec.scaling import Scaling, Schedule, Step, StepPolicy, TrackedMetric
    from sagemaker_serving.spec.schema import environment_schema
    from sagemaker_serving.spec.transition import Transition
    from sagemaker_serving.spec.update import (
        AllAtOnceUpdate,
        CanaryUpdate,
        LinearUpdate,
        Move,
        OnlyReplay,
        Replay,
        RollingUpdate,
        Update,
    )
    from sagemaker_serving.spec.variants import (
        Adapter,
        AvailabilityZoneBalance,
        CapacityReservation,
        ComponentSettings,
        CoreDump,
        InferenceComponent,
        InstanceVariant,
        ManagedInstanceScaling,
        PrefixAwareRouting,
        ScaleInPolicy,
        SchedulingConfig,
        ServerlessVariant,
        Variant,
    )

__all__ = [
    "Adapter",
    "AlarmThresholds",
    "AllAtOnceUpdate",
    "Asynchronous",
    "AvailabilityZoneBalance",
    "BatchTransform",
    "BatchTransformSettings",
    "Batching",
    "Bootstrap",
    "CanaryUpdate",
    "CapacityReservation",
    "ComponentSettings",
    "Container",
    "CoreDump",
    "DataCapture",
    "Environment",
    "EnvironmentFile",
    "ExistingEndpoint",
    "ExistingNetwork",
    "Expire",
    "Extra",
    "FolderArtifact",
    "InferenceComponent",
    "InstanceVariant",
    "LinearUpdate",
    "ManagedInstanceScaling",
    "MetricsConfig",
    "Model",
    "ModelPackage",
    "Monitoring",
    "Move",
    "MultiModel",
    "Network",
    "OnlyReplay",
    "Organization",
    "PipelineContainer",
    "PrefixAwareRouting",
    "PrivateNetwork",
    "Replay",
    "Retries",
    "Retry",
    "RollingUpdate",
    "S3Artifact",
    "ScaleInPolicy",
    "Scaling",
    "Schedule",
    "SchedulingConfig",
    "Server",
    "ServerlessVariant",
    "Step",
    "StepPolicy",
    "Storage",
    "TrackedMetric",
    "Transition",
    "Update",
    "Variant",
    "batching_variables",
    "environment_schema",
    "read_environment",
    "server_variables",
]

__getattr__ = loading(__name__, __file__)


def __dir__() -> list[str]:
    return __all__
