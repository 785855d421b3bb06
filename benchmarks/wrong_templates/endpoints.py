"""Endpoints that SageMaker refuses though each value is right by itself, and values that it lacks.

Sources: SageMaker API reference, CreateModel, CreateEndpointConfig, UpdateEndpoint; Application
Auto Scaling API reference, RegisterScalableTarget, PutScalingPolicy. Of managed
scaling and of variants without a model: hashicorp/terraform-provider-aws#45926 and #44977.
"""

from __future__ import annotations

import random

from benchmarks.wrong_environments.bases import GONE, Change, Place
from benchmarks.wrong_templates.bases import Pair, pair

_TAG = {"Key": "a", "Value": "1"}
_IMAGES = "763104351884.dkr.ecr"
_TARGET: Place = ("Resources", "Target", "Properties")
_CONTAINER: Place = ("Resources", "Model", "Properties", "PrimaryContainer")
_SECOND: Place = ("Resources", "Model", "Properties", "Containers", 1)
_SUBNETS: Place = ("Resources", "Model", "Properties", "VpcConfig", "Subnets")
_CONFIG: Place = ("Resources", "Config", "Properties")
_V: Place = (*_CONFIG, "ProductionVariants")
_POLICY: Place = (
    "Resources",
    "Endpoint",
    "Properties",
    "DeploymentConfig",
    "BlueGreenUpdatePolicy",
)
_TRAFFIC: Place = (*_POLICY, "TrafficRoutingConfiguration")
_SERVERLESS: Place = ("Resources", "ServerlessConfig", "Properties", "ProductionVariants", 0)
_MANAGED = {"MinInstanceCount": 1, "MaxInstanceCount": 2}
_ASYNC = {"OutputConfig": {"S3OutputPath": "s3://models/answers"}}
_STEPS: Place = ("Resources", "Steps", "Properties", "StepScalingPolicyConfiguration")


def together(dice: random.Random) -> Pair:
    """What is right by itself and wrong beside something else, or a value that SageMaker lacks."""
    return pair(*dice.choice(_TOGETHER))


_TOGETHER: list[tuple[str, Change, Change]] = [
    ("endpoint", {(*_V, 1, "VariantName"): "blue"}, {(*_V, 1, "VariantName"): "violet"}),
    ("endpoint", {(*_V, 0, "InstanceType"): GONE}, {}),
    ("endpoint", {(*_V, 0, "InitialInstanceCount"): GONE}, {}),
    ("endpoint", {(*_V, 0, "InitialInstanceCount"): 0}, {(*_V, 0, "InitialInstanceCount"): 1}),
    (
        "endpoint",
        {(*_V, 0, "InstanceType"): "ml.m5.huge"},
        {(*_V, 0, "InstanceType"): "ml.m5.4xlarge"},
    ),
    (
        "endpoint",
        {(*_V, 0, "InstanceType"): "m5.large"},
        {(*_V, 0, "InstanceType"): "ml.c5.xlarge"},
    ),
    (
        "endpoint",
        {(*_V, 0, "InstanceType"): "ml.t3.medium"},
        {(*_V, 0, "InstanceType"): "ml.m5.2xlarge"},
    ),
    ("endpoint", {(*_V, 0, "AcceleratorType"): "ml.eia2.medium"}, {}),
    (
        "endpoint",
        {(*_V, 0, "ServerlessConfig"): {"MemorySizeInMB": 1024, "MaxConcurrency": 1}},
        {},
    ),
    (
        "endpoint",
        {_V: []},
        {},
    ),
    ("endpoint", {_CONTAINER: GONE}, {}),
    (
        "endpoint",
        {
            ("Resources", "Model", "Properties", "Containers"): [
                {"Image": "111122223333.dkr.ecr.eu-west-1.amazonaws.com/a:1"}
            ]
        },
        {},
    ),
    (
        "endpoint",
        {(*_CONTAINER, "ModelDataUrl"): "s3://models/model.zip"},
        {(*_CONTAINER, "ModelDataUrl"): "s3://models/model.tar.gz"},
    ),
    ("endpoint", {(*_CONTAINER, "ModelDataUrl"): "models/model.tar.gz"}, {}),
    (
        "endpoint",
        {
            (
                *_CONTAINER,
                "Image",
            ): f"{_IMAGES}.us-east-1.amazonaws.com/tensorflow-inference:2.20-cpu-py312"
        },
        {},
    ),
    (
        "endpoint",
        {
            (
                *_CONTAINER,
                "Image",
            ): f"{_IMAGES}.eu-west-1.amazonaws.com/tensorflow-inference:2.21-cpu"
        },
        {},
    ),
    (
        "endpoint",
        {(*_CONTAINER, "Environment", "A-B"): "1"},
        {(*_CONTAINER, "Environment", "A_B"): "1"},
    ),
    (
        "endpoint",
        {(*_CONTAINER, "Environment", "A"): "x" * 2000},
        {(*_CONTAINER, "Environment", "A"): "x" * 1000},
    ),
    ("endpoint", {(*_TRAFFIC, "CanarySize"): GONE}, {}),
    (
        "endpoint",
        {(*_TRAFFIC, "CanarySize", "Value"): 60},
        {(*_TRAFFIC, "CanarySize", "Value"): 40},
    ),
    ("endpoint", {(*_TRAFFIC, "Type"): "LINEAR"}, {}),
    (
        "endpoint",
        {
            (*_POLICY, "MaximumExecutionTimeoutInSeconds"): 600,
            (*_POLICY, "TerminationWaitInSeconds"): 700,
        },
        {},
    ),
    ("endpoint", {(*_CONFIG, "DataCaptureConfig", "CaptureOptions"): []}, {}),
    (
        "endpoint",
        {(*_CONFIG, "DataCaptureConfig", "DestinationS3Uri"): "captured"},
        {(*_CONFIG, "DataCaptureConfig", "DestinationS3Uri"): "s3://models/c"},
    ),
    ("endpoint", {(*_TARGET, "MinCapacity"): 5}, {(*_TARGET, "MinCapacity"): 4}),
    ("endpoint", {(*_TARGET, "MinCapacity"): 0}, {(*_TARGET, "MinCapacity"): 2}),
    ("endpoint", {(*_TARGET, "ScalableDimension"): "sagemaker:variant:DesiredInstances"}, {}),
    (
        "endpoint",
        {(*_TARGET, "ScalableDimension"): "sagemaker:inference-component:DesiredCopyCount"},
        {},
    ),
    ("endpoint", {(*_TARGET, "ServiceNamespace"): "ecs"}, {}),
    (
        "endpoint",
        {(*_TARGET, "ScalableDimension"): "sagemaker:variant:DesiredProvisionedConcurrency"},
        {},
    ),
    ("endpoint", {(*_V, 0, "ModelName"): GONE}, {}),
    (
        "endpoint",
        {(*_V, 0, "ManagedInstanceScaling"): {**_MANAGED, "Status": "ENABLED"}},
        {(*_V, 0, "ManagedInstanceScaling"): {**_MANAGED, "Status": "DISABLED"}},
    ),
    ("network", {(*_SERVERLESS, "ModelName"): GONE}, {}),
    ("network", {(*_SERVERLESS[:-2], "AsyncInferenceConfig"): _ASYNC}, {}),
    (
        "endpoint",
        {(*_TARGET, "ResourceId"): "endpoints/a/variant/blue"},
        {(*_TARGET, "ResourceId"): "endpoint/a/variant/blue"},
    ),
    (
        "endpoint",
        {(*_CONFIG, "Tags"): [_TAG, {"Key": "a", "Value": "2"}]},
        {(*_CONFIG, "Tags"): [_TAG, {"Key": "b", "Value": "2"}]},
    ),
    (
        "endpoint",
        {(*_CONFIG, "Tags"): [{"Key": "aws:a", "Value": "1"}]},
        {(*_CONFIG, "Tags"): [_TAG]},
    ),
    (
        "network",
        {(*_SERVERLESS, "ServerlessConfig", "MemorySizeInMB"): 1500},
        {(*_SERVERLESS, "ServerlessConfig", "MemorySizeInMB"): 1024},
    ),
    (
        "network",
        {(*_SERVERLESS, "ServerlessConfig", "ProvisionedConcurrency"): 21},
        {(*_SERVERLESS, "ServerlessConfig", "ProvisionedConcurrency"): 20},
    ),
    ("network", {(*_SERVERLESS, "InstanceType"): "ml.m5.large"}, {}),
    (
        "network",
        {(*_SECOND, "ContainerHostname"): "first"},
        {(*_SECOND, "ContainerHostname"): "third"},
    ),
    ("network", {(*_SECOND, "ContainerHostname"): GONE}, {}),
    ("network", {_SUBNETS: []}, {}),
    (
        "network",
        {(*_SUBNETS, 0): "sg-0123456789abcdef0"},
        {(*_SUBNETS, 0): "subnet-0123456789abcdef0"},
    ),
    (
        "network",
        {(*_STEPS, "StepAdjustments", 1, "MetricIntervalLowerBound"): 12},
        {(*_STEPS, "StepAdjustments", 1, "ScalingAdjustment"): 3},
    ),
    ("network", {(*_STEPS, "StepAdjustments", 1, "MetricIntervalLowerBound"): 8}, {}),
    ("network", {(*_STEPS, "AdjustmentType"): GONE}, {}),
]
