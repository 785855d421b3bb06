"""CDK constructs: a model on disk as a SageMaker endpoint and a batch pipeline.

::

    from sagemaker_serving.infra import Endpoint, EndpointConfig, InstanceVariant, Model
    from sagemaker_serving.infra import ContainerImage, ModelData

Everything that their parameters take, and that they return, can be imported from here.
The only part of this package that imports aws_cdk, which the extra ``cdk`` brings: without it the
import raises `Mistake`. Each construct is loaded when it is first asked for: CDK's own modules take
tenths of a second each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sagemaker_serving.extras import need
from sagemaker_serving.lazy_names import loading

need("cdk")

if TYPE_CHECKING:
    from sagemaker_serving.archive.sources import Source
    from sagemaker_serving.catalog.accelerators import Accelerator
    from sagemaker_serving.infra.batch.batch_transform import BatchTransform
    from sagemaker_serving.infra.endpoint.async_inference import AsyncInference
    from sagemaker_serving.infra.endpoint.config import DataCapture, EndpointConfig
    from sagemaker_serving.infra.endpoint.deploy_guard import DeployGuard
    from sagemaker_serving.infra.endpoint.endpoint import AnyEndpoint, Endpoint, MovedEndpoint
    from sagemaker_serving.infra.endpoint.existing_endpoint import ExistingEndpoint
    from sagemaker_serving.infra.endpoint.guarded_endpoint import GuardedEndpoint
    from sagemaker_serving.infra.endpoint.guardrails import Guardrails
    from sagemaker_serving.infra.endpoint.inference_component import (
        ComponentAdapter,
        ComponentSize,
        InferenceComponent,
    )
    from sagemaker_serving.infra.endpoint.inference_router import (
        EndpointPolicy,
        InferenceRouter,
        RoutingTarget,
    )
    from sagemaker_serving.infra.endpoint.variants import (
        InstanceVariant,
        ManagedInstanceScaling,
        ServerlessVariant,
        Variant,
    )
    from sagemaker_serving.infra.model.container import (
        AnyContainer,
        BoundContainer,
        Container,
        ModelPackage,
        MultiModelContainer,
    )
    from sagemaker_serving.infra.model.image import ContainerImage, Host
    from sagemaker_serving.infra.model.model import Model
    from sagemaker_serving.infra.model.model_archives import ModelArchives
    from sagemaker_serving.infra.model.model_data import BoundModelData, ModelData
    from sagemaker_serving.infra.monitoring.alarms import EndpointAlarms
    from sagemaker_serving.infra.monitoring.dashboard import EndpointDashboard
    from sagemaker_serving.infra.monitoring.metrics import (
        EndpointMetrics,
        InferenceComponentMetrics,
    )
    from sagemaker_serving.infra.monitoring.monitoring import EndpointMonitoring
    from sagemaker_serving.infra.monitoring.topic import AlarmTopic
    from sagemaker_serving.infra.monitoring.watches import WatchedVariant
    from sagemaker_serving.infra.neo.compilation import NeoCompilation
    from sagemaker_serving.infra.neo.compiler import NeoCompiler
    from sagemaker_serving.infra.neo.gate import CompiledModelGate, CompiledModelJudge
    from sagemaker_serving.infra.network.network import Network
    from sagemaker_serving.infra.network.private_vpc import PrivateVpc
    from sagemaker_serving.infra.roles.execution_role import ExecutionRole
    from sagemaker_serving.infra.roles.github_deploy_role import GitHubDeployRole
    from sagemaker_serving.infra.scaling.scaling import Scaling
    from sagemaker_serving.infra.scaling.values import Scaled, ScalingMetric, ScalingStep
    from sagemaker_serving.infra.storage.data_bucket import DataBucket
    from sagemaker_serving.infra.storage.s3_prefix import S3Prefix
    from sagemaker_serving.infra.synth.checks import SageMakerChecks
    from sagemaker_serving.spec.batch_transform import BatchTransformSettings, Retries, Retry
    from sagemaker_serving.spec.compilation_job import CompilationJob
    from sagemaker_serving.spec.monitoring import AlarmThresholds, MetricsConfig
    from sagemaker_serving.spec.update import Move
    from sagemaker_serving.spec.variants import (
        AvailabilityZoneBalance,
        CapacityReservation,
        ComponentSettings,
        PrefixAwareRouting,
        ScaleInPolicy,
        SchedulingConfig,
    )

__all__ = [
    "Accelerator",
    "AlarmThresholds",
    "AlarmTopic",
    "AnyContainer",
    "AnyEndpoint",
    "AsyncInference",
    "AvailabilityZoneBalance",
    "BatchTransform",
    "BatchTransformSettings",
    "BoundContainer",
    "BoundModelData",
    "CapacityReservation",
    "CompilationJob",
    "CompiledModelGate",
    "CompiledModelJudge",
    "ComponentAdapter",
    "ComponentSettings",
    "ComponentSize",
    "Container",
    "ContainerImage",
    "DataBucket",
    "DataCapture",
    "DeployGuard",
    "Endpoint",
    "EndpointAlarms",
    "EndpointConfig",
    "EndpointDashboard",
    "EndpointMetrics",
    "EndpointMonitoring",
    "EndpointPolicy",
    "ExecutionRole",
    "ExistingEndpoint",
    "GitHubDeployRole",
    "GuardedEndpoint",
    "Guardrails",
    "Host",
    "InferenceComponent",
    "InferenceComponentMetrics",
    "InferenceRouter",
    "InstanceVariant",
    "ManagedInstanceScaling",
    "MetricsConfig",
    "Model",
    "ModelArchives",
    "ModelData",
    "ModelPackage",
    "Move",
    "MovedEndpoint",
    "MultiModelContainer",
    "NeoCompilation",
    "NeoCompiler",
    "Network",
    "PrefixAwareRouting",
    "PrivateVpc",
    "Retries",
    "Retry",
    "RoutingTarget",
    "S3Prefix",
    "SageMakerChecks",
    "ScaleInPolicy",
    "Scaled",
    "Scaling",
    "ScalingMetric",
    "ScalingStep",
    "SchedulingConfig",
    "ServerlessVariant",
    "Source",
    "Variant",
    "WatchedVariant",
]

__getattr__ = loading(__name__, __file__)


def __dir__() -> list[str]:
    return __all__
