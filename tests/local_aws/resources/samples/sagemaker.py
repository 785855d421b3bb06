"""Samples of SageMaker but for its model registry."""

from __future__ import annotations

from collections.abc import Mapping

from tests.local_aws.aws import IMAGE
from tests.local_aws.resources.made import made_in
from tests.local_aws.resources.samples.sample import TAGGED, TAGS, Sample

_VPC = {"SecurityGroupIds": ["$Firewall.GroupId"], "Subnets": ["$Subnet"]}

_ENDPOINT = ("sagemaker DescribeEndpoint EndpointName={EndpointName}", TAGGED)
_CONFIG = ("sagemaker DescribeEndpointConfig EndpointConfigName={EndpointConfigName}", TAGGED)
_MODEL = ("sagemaker DescribeModel ModelName={ModelName}", TAGGED)
_SPECIFIED = {
    "ComputeResourceRequirements": {
        "MaxMemoryRequiredInMb": 4099,
        "MinMemoryRequiredInMb": 1031,
        "NumberOfCpuCoresRequired": 0.75,
        "NumberOfAcceleratorDevicesRequired": 1,
    },
    "Container": {
        "ArtifactUrl": "s3://models/model.tar.gz",
        "Environment": {"FOUND": "here"},
        "Image": IMAGE,
    },
    "DataCacheConfig": {"EnableCaching": True},
    "SchedulingConfig": {
        "PlacementStrategy": "BINPACK",
        "AvailabilityZoneBalance": {
            "EnforcementMode": "PERMISSIVE",
            "MaxImbalance": 3,
        },
    },
    "StartupParameters": {
        "ContainerStartupHealthCheckTimeoutInSeconds": 601,
        "ModelDataDownloadTimeoutInSeconds": 602,
    },
}
_COMPONENT = (
    "sagemaker DescribeInferenceComponent InferenceComponentName={InferenceComponentName}",
    TAGGED,
)
_UNPACKED = {
    "Image": IMAGE,
    "ModelDataSource": {
        "S3DataSource": {
            "S3Uri": "s3://models/",
            "S3DataType": "S3Prefix",
            "CompressionType": "None",
            "ModelAccessConfig": {"AcceptEula": True},
        }
    },
}
_CONTAINER = {
    "ContainerHostname": "first",
    "Environment": {"FOUND": "here"},
    "Image": IMAGE,
    "ImageConfig": {
        "RepositoryAccessMode": "Vpc",
        "RepositoryAuthConfig": {"RepositoryCredentialsProviderArn": "$Function.Arn"},
    },
    "ModelDataUrl": "s3://models/model.tar.gz",
}
_VARIANT = {
    "VariantName": "blue",
    "ModelName": "$Model.ModelName",
    "InstanceType": "ml.m5.xlarge",
    "InitialInstanceCount": 3,
    "InitialVariantWeight": 0.25,
    "VolumeSizeInGB": 33,
    "ModelDataDownloadTimeoutInSeconds": 601,
    "ContainerStartupHealthCheckTimeoutInSeconds": 602,
    "EnableSSMAccess": True,
    "CoreDumpConfig": {"DestinationS3Uri": "s3://ground/dumps", "KmsKeyId": "$Key"},
    "InferenceAmiVersion": "al2-ami-sagemaker-inference-gpu-2",
    "RoutingConfig": {
        "RoutingStrategy": "PREFIX_AWARE",
        "PrefixAwareRoutingConfig": {"ConcurrencyThreshold": 19, "PrefixLength": 1999},
    },
    "ManagedInstanceScaling": {
        "Status": "DISABLED",  # enabled, SageMaker refuses it beside a model
        "MinInstanceCount": 2,
        "MaxInstanceCount": 9,
        "ScaleInPolicy": {
            "CooldownInMinutes": 27,
            "MaximumStepSize": 29,
            "Strategy": "CONSOLIDATION",
        },
    },
    "VariantInstanceProvisionTimeoutInSeconds": 603,
    "CapacityReservationConfig": {
        "CapacityReservationPreference": "capacity-reservations-only",
        "MlReservationArn": "arn:aws:sagemaker:eu-west-1:123456789012:training-plan/lost",
    },
}

_ON_EITHER = {
    "VariantName": "either",
    "ModelName": "$Model.ModelName",
    "InitialInstanceCount": 1,
    "InstancePools": [
        {
            "InstanceType": "ml.g6.xlarge",
            "Priority": 1,
            "ModelNameOverride": "$Model.ModelName",
        },
        {"InstanceType": "ml.g5.xlarge", "Priority": 2},
    ],
}

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::SageMaker::Endpoint": (
        Sample(_ENDPOINT,
         {"EndpointConfigName": "$Config.EndpointConfigName", "EndpointName": "lost",
          "DeploymentConfig": {"AutoRollbackConfiguration": {"Alarms": [{"AlarmName": "lost"}]},
          "BlueGreenUpdatePolicy": {"MaximumExecutionTimeoutInSeconds": 601,
          "TerminationWaitInSeconds": 61, "TrafficRoutingConfiguration": {"Type": "LINEAR",
          "LinearStepSize": {"Type": "CAPACITY_PERCENT", "Value": 37},
          "WaitIntervalInSeconds": 67}}},
          "ExcludeRetainedVariantProperties": [{"VariantPropertyType": "DesiredInstanceCount"}],
          "RetainAllVariantProperties": True, "RetainDeploymentConfig": True, "Tags": TAGS},
         unread={"ExcludeRetainedVariantProperties": "an update goes by it",
          "RetainAllVariantProperties": "an update goes by it",
          "RetainDeploymentConfig": "an update goes by it"}),
        Sample(
            _ENDPOINT,
            {
                "EndpointConfigName": "$Config.EndpointConfigName",
                "DeploymentConfig": {
                    "BlueGreenUpdatePolicy": {
                        "TrafficRoutingConfiguration": {
                            "Type": "CANARY",
                            "CanarySize": {"Type": "CAPACITY_PERCENT", "Value": 37},
                            "WaitIntervalInSeconds": 67,
                        },
                    },
                },
            },
        ),
        Sample(
            _ENDPOINT,
            {
                "EndpointConfigName": "$Config.EndpointConfigName",
                "DeploymentConfig": {
                    "RollingUpdatePolicy": {
                        "MaximumBatchSize": {"Type": "CAPACITY_PERCENT", "Value": 41},
                        "MaximumExecutionTimeoutInSeconds": 607,
                        "RollbackMaximumBatchSize": {"Type": "CAPACITY_PERCENT", "Value": 53},
                        "WaitIntervalInSeconds": 67,
                    },
                },
            },
        ),
    ),
    "AWS::SageMaker::EndpointConfig": (
        Sample(_CONFIG,
         {"EndpointConfigName": "lost", "ProductionVariants": [_VARIANT],
          "ShadowProductionVariants": [{**_VARIANT, "VariantName": "shade"}],
          "DataCaptureConfig": {"CaptureContentTypeHeader": {"CsvContentTypes": ["text/lost"],
          "JsonContentTypes": ["application/lost"]},
          "CaptureOptions": [{"CaptureMode": "InputAndOutput"}],
          "DestinationS3Uri": "s3://ground/capture", "EnableCapture": True,
          "InitialSamplingPercentage": 37, "KmsKeyId": "$Key"}, "KmsKeyId": "$Key",
          "ExecutionRoleArn": "$Role.Arn", "MetricsConfig": {"EnableEnhancedMetrics": True,
          "EnableDetailedObservability": True, "MetricPublishFrequencyInSeconds": 120},
          "Tags": TAGS, "VpcConfig": _VPC},
         unread={"ShadowProductionVariants.ServerlessConfig": "SageMaker refuses it"}),
        Sample(_CONFIG,
         {"EnableNetworkIsolation": True, "ExecutionRoleArn": "$Role.Arn",
          "ProductionVariants": [{"VariantName": "one", "InstanceType": "ml.m5.large",
          "InitialInstanceCount": 1}]}, needs=("ExecutionRoleArn",)),
        Sample(_CONFIG,
         {"ProductionVariants": [{"VariantName": "serverless", "ModelName": "$Model.ModelName",
          "ServerlessConfig": {"MaxConcurrency": 17, "MemorySizeInMB": 3072,
          "ProvisionedConcurrency": 13}}]}),
        Sample(_CONFIG,
         {"ProductionVariants": [_ON_EITHER], "ShadowProductionVariants": [{**_ON_EITHER,
          "VariantName": "shade"}]}),
        Sample(_CONFIG,
         {"ProductionVariants": [{"VariantName": "later", "ModelName": "$Model.ModelName",
          "InstanceType": "ml.m5.xlarge", "InitialInstanceCount": 1}],
          "AsyncInferenceConfig": {"ClientConfig": {"MaxConcurrentInvocationsPerInstance": 7},
          "OutputConfig": {"KmsKeyId": "$Key", "NotificationConfig": {"ErrorTopic": "$Topic",
          "SuccessTopic": "$Topic", "IncludeInferenceResponseIn": ["SUCCESS_NOTIFICATION_TOPIC"]},
          "S3FailurePath": "s3://ground/failures", "S3OutputPath": "s3://ground/answers"}}}),
    ),
    "AWS::SageMaker::InferenceComponent": (
        Sample(_COMPONENT,
         {"InferenceComponentName": "lost", "EndpointName": "$Components.EndpointName",
          "VariantName": "one", "RuntimeConfig": {"CopyCount": 2},
          "DeploymentConfig": made_in("AWS::SageMaker::InferenceComponent", "DeploymentConfig"),
          "Specification": _SPECIFIED, "Tags": TAGS},
         needs=("VariantName", "RuntimeConfig", "Specification"),
         unread={"DeploymentConfig": "an update goes by it",
          "Specification.BaseInferenceComponentName": "its own tests deploy adapters",
          "Specifications.BaseInferenceComponentName": "its base says what it runs on"}),
        Sample(_COMPONENT,
         {"EndpointName": "$Components.EndpointName", "VariantName": "one",
          "RuntimeConfig": {"CopyCount": 1}, "Specifications": [{"InstanceType": "ml.m5.large",
          **_SPECIFIED}]}, needs=("VariantName", "RuntimeConfig", "Specifications")),
        Sample(_COMPONENT,
         {"EndpointName": "$Components.EndpointName", "VariantName": "one",
          "RuntimeConfig": {"CopyCount": 1}, "Specifications": [{"InstanceType": "ml.m5.large",
          "ModelName": "$Model.ModelName",
          "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 1031}}]},
         needs=("VariantName", "RuntimeConfig", "Specifications")),
        Sample(_COMPONENT,
         {"EndpointName": "$Components.EndpointName", "VariantName": "one",
          "RuntimeConfig": {"CopyCount": 1}, "Specification": {"ModelName": "$Model.ModelName",
          "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 1031}}},
         needs=("VariantName", "RuntimeConfig", "Specification")),
    ),
    "AWS::SageMaker::Model": (
        Sample(_MODEL,
         {"ModelName": "lost", "ExecutionRoleArn": "$Role.Arn", "PrimaryContainer": {**_CONTAINER,
          "Mode": "MultiModel", "MultiModelConfig": {"ModelCacheSetting": "Disabled"},
          "ModelDataUrl": "s3://models/"}, "EnableNetworkIsolation": True, "Tags": TAGS,
          "VpcConfig": _VPC}, needs=("ExecutionRoleArn", "PrimaryContainer")),
        Sample(_MODEL,
         {"ExecutionRoleArn": "$Role.Arn", "Containers": [{**_CONTAINER, "Mode": "SingleModel",
          "MultiModelConfig": {"ModelCacheSetting": "Disabled"}}, {"ModelPackageName": "$Package"}],
          "InferenceExecutionConfig": {"Mode": "Serial"}},
         needs=("ExecutionRoleArn", "Containers")),
        Sample(_MODEL,
         {"ExecutionRoleArn": "$Role.Arn", "PrimaryContainer": {"ModelPackageName": "$Package"}},
         needs=("ExecutionRoleArn", "PrimaryContainer")),
        *(
            Sample(
                _MODEL,
                {
                    "ExecutionRoleArn": "$Role.Arn",
                    member: [_UNPACKED] if member == "Containers" else _UNPACKED,
                },
                needs=("ExecutionRoleArn", member),
            )
            for member in ("PrimaryContainer", "Containers")
        ),
    ),
}  # fmt: skip
