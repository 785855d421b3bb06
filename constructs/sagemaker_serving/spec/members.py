"""How an environment file writes each member of SageMaker's resources behind an endpoint."""

from __future__ import annotations

from collections.abc import Mapping

from sagemaker_serving.spec.aws import written_members
from sagemaker_serving.spec.container import PipelineContainer
from sagemaker_serving.spec.data_capture import DataCapture
from sagemaker_serving.spec.kinds import Asynchronous, ModelPackage, MultiModel
from sagemaker_serving.spec.monitoring import MetricsConfig
from sagemaker_serving.spec.network import ExistingNetwork
from sagemaker_serving.spec.update import WAYS
from sagemaker_serving.spec.variants import (
    AdapterSettings,
    ComponentSettings,
    InstanceHost,
    ServerlessHost,
)

MODEL, ENDPOINT_CONFIG, ENDPOINT, COMPONENT = (
    f"AWS::SageMaker::{name}"
    for name in ("Model", "EndpointConfig", "Endpoint", "InferenceComponent")
)


def written_as(resource_type: str, path: str) -> str | None:
    """What an environment file calls the member at ``path`` (``ProductionVariants.InstanceType``).

    None for one that only ``extra`` writes, and for none at all.
    """
    return _WRITTEN[resource_type].get(path)


def field_below(resource_type: str, path: str) -> bool:
    """Whether members below ``path`` have fields; "" is the resource itself."""
    above = f"{path}." if path else ""
    return any(one != path and one.startswith(above) for one in _WRITTEN[resource_type])


def not_writable(resource_type: str, path: str) -> str | None:
    """Why no environment file writes the member at ``path``, or one below it; None where one does.

    The reasons are "API only" (CloudFormation's schema lacks it), "ended by AWS" and "console
    only".
    """
    return _NOT_WRITABLE[resource_type].get(path)


def _below(above: str, members: Mapping[str, str]) -> dict[str, str]:
    return {f"{above}.{path}": said for path, said in members.items()}


_NAMED_BY_CLOUDFORMATION = "nothing: CloudFormation names it, and a change makes another beside it"
_TAGS = {"Tags.Key": "tags", "Tags.Value": "tags"}
_NETWORK = {
    **dict(written_members(ExistingNetwork, "network.", "VpcConfig.")),
    "EnableNetworkIsolation": "network_isolation",
}

_CONTAINER = {
    **dict(written_members(MultiModel, "multi_model.")),
    **dict(written_members(ModelPackage, "model_package.")),
    **dict(written_members(PipelineContainer)),
    "ContainerHostname": "containers[].container_hostname",
    "Mode": "multi_model",
}

_VARIANT = {
    **dict(written_members(InstanceHost)),
    "CoreDumpConfig.DestinationS3Uri": "core_dump.prefix",
    "CoreDumpConfig.KmsKeyId": "storage.kms",
    "ModelName": "artifact",
}

_ASYNCHRONOUS = {
    **dict(written_members(Asynchronous, "asynchronous.")),
    "OutputConfig.KmsKeyId": "storage.kms",
    "OutputConfig.S3FailurePath": "asynchronous",
    "OutputConfig.S3OutputPath": "asynchronous",
}

_CAPTURE = {
    **dict(written_members(DataCapture, "data_capture.")),
    "EnableCapture": "data_capture",
    "KmsKeyId": "storage.kms",
}

_WRITTEN: Mapping[str, Mapping[str, str]] = {
    MODEL: {
        **_below("PrimaryContainer", _CONTAINER),
        **_below("Containers", _CONTAINER),
        "ExecutionRoleArn": "nothing: the deploy makes the role",
        "ModelName": _NAMED_BY_CLOUDFORMATION,
        **_NETWORK,
        **_TAGS,
    },
    ENDPOINT_CONFIG: {
        **_below("ProductionVariants", {**dict(written_members(ServerlessHost)), **_VARIANT}),
        **_below("ShadowProductionVariants", _VARIANT),
        "ProductionVariants": "variants",
        "ShadowProductionVariants": "shadow_variants",
        **_below("AsyncInferenceConfig", _ASYNCHRONOUS),
        **_below("DataCaptureConfig", _CAPTURE),
        **_below("MetricsConfig", dict(written_members(MetricsConfig, "metrics_config."))),
        "EndpointConfigName": _NAMED_BY_CLOUDFORMATION,
        "ExecutionRoleArn": "inference_components",
        "KmsKeyId": "storage.kms",
        **_NETWORK,
        **_TAGS,
    },
    ENDPOINT: {
        **{
            path: field
            for way in WAYS.values()
            for path, field in _below(
                f"DeploymentConfig.{way.policy}", dict(written_members(way, "update."))
            ).items()
        },
        "DeploymentConfig.AutoRollbackConfiguration.Alarms.AlarmName": "update.alarms",
        "EndpointConfigName": "variants",
        "EndpointName": "name",
        "ExcludeRetainedVariantProperties.VariantPropertyType": "scaling",
        "RetainAllVariantProperties": "scaling",
        **_TAGS,
    },
    COMPONENT: {
        **dict(written_members(ComponentSettings)),
        **dict(written_members(AdapterSettings)),
        **_below(
            f"DeploymentConfig.{WAYS['ROLLING'].policy}",
            dict(written_members(WAYS["ROLLING"], "update.")),
        ),
        "DeploymentConfig.AutoRollbackConfiguration.Alarms.AlarmName": "update.alarms",
        "EndpointName": "inference_components",
        "InferenceComponentName": "inference_components",
        "VariantName": "inference_components",
        "Specification.ModelName": "artifact",
        **_TAGS,
    },
}

_API_ONLY, _ENDED = "API only", "ended by AWS"

_NEW_IN_CONTAINERS = dict.fromkeys(
    (
        "AdditionalModelDataSources",
        "ContainerMetricsConfig",
        "ModelDataSource.S3DataSource.ETag",
        "ModelDataSource.S3DataSource.ManifestEtag",
        "ModelDataSource.S3DataSource.ManifestS3Uri",
    ),
    _API_ONLY,
)
_NEW_IN_VARIANTS = {"AcceleratorPartitionLayouts": _API_ONLY, "AcceleratorType": _ENDED}

_NOT_WRITABLE: Mapping[str, Mapping[str, str]] = {
    MODEL: {
        **_below("PrimaryContainer", _NEW_IN_CONTAINERS),
        **_below("Containers", _NEW_IN_CONTAINERS),
    },
    ENDPOINT_CONFIG: {
        **_below("ProductionVariants", _NEW_IN_VARIANTS),
        **_below("ShadowProductionVariants", _NEW_IN_VARIANTS),
        "CrossRegionTrafficConfig": _API_ONLY,
    },
    ENDPOINT: {},
    COMPONENT: dict.fromkeys(
        (
            "Specification.InstanceType",
            "Specifications.BaseInferenceComponentName",
            *(
                f"{place}.ComputeResourceRequirements.AcceleratorPartitionType"
                for place in ("Specification", "Specifications")
            ),
        ),
        _API_ONLY,
    ),
}
"""What botocore 1.44.5 knows and CloudFormation's schemas in cfn-lint 1.58.0 do not. A member
stands for all below it."""
