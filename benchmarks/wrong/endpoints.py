"""Endpoints that SageMaker refuses though each value is right by itself, and values that it lacks.

Sources: SageMaker API reference, CreateModel, CreateEndpointConfig, UpdateEndpoint; Application
Auto Scaling API reference, RegisterScalableTarget, PutScalingPolicy. Of managed
scaling and of variants without a model: hashicorp/terraform-provider-aws#45926 and #44977.
"""

from __future__ import annotations

import random
from typing import Any

from benchmarks.wrong.changes import GONE, Change, Pair, Place
from benchmarks.wrong.templates import pair

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


def _one(base: str, place: Place, wrong: Any, *right: Any) -> tuple[str, Change, Change]:
    """A value that is wrong at a place; right is another there, or what the base has."""
    return base, {place: wrong}, dict.fromkeys([place], *right) if right else {}


_TOGETHER: list[tuple[str, Change, Change]] = [
    _one("endpoint", (*_V, 1, "VariantName"), "blue", "violet"),
    _one("endpoint", (*_V, 0, "InstanceType"), GONE),
    _one("endpoint", (*_V, 0, "InitialInstanceCount"), GONE),
    _one("endpoint", (*_V, 0, "InitialInstanceCount"), 0, 1),
    _one("endpoint", (*_V, 0, "InstanceType"), "ml.m5.huge", "ml.m5.4xlarge"),
    _one("endpoint", (*_V, 0, "InstanceType"), "m5.large", "ml.c5.xlarge"),
    _one("endpoint", (*_V, 0, "InstanceType"), "ml.t3.medium", "ml.m5.2xlarge"),
    _one("endpoint", (*_V, 0, "AcceleratorType"), "ml.eia2.medium"),
    _one("endpoint", (*_V, 0, "ServerlessConfig"), {"MemorySizeInMB": 1024, "MaxConcurrency": 1}),
    _one("endpoint", _V, []),
    _one("endpoint", _CONTAINER, GONE),
    _one(
        "endpoint",
        ("Resources", "Model", "Properties", "Containers"),
        [{"Image": "111122223333.dkr.ecr.eu-west-1.amazonaws.com/a:1"}],
    ),
    _one(
        "endpoint",
        (*_CONTAINER, "ModelDataUrl"),
        "s3://models/model.zip",
        "s3://models/model.tar.gz",
    ),
    _one("endpoint", (*_CONTAINER, "ModelDataUrl"), "models/model.tar.gz"),
    _one(
        "endpoint",
        (*_CONTAINER, "Image"),
        f"{_IMAGES}.us-east-1.amazonaws.com/tensorflow-inference:2.20-cpu-py312",
    ),
    _one(
        "endpoint",
        (*_CONTAINER, "Image"),
        f"{_IMAGES}.eu-west-1.amazonaws.com/tensorflow-inference:2.21-cpu",
    ),
    (
        "endpoint",
        {(*_CONTAINER, "Environment", "A-B"): "1"},
        {(*_CONTAINER, "Environment", "A_B"): "1"},
    ),
    _one("endpoint", (*_CONTAINER, "Environment", "A"), "x" * 2000, "x" * 1000),
    _one("endpoint", (*_TRAFFIC, "CanarySize"), GONE),
    _one("endpoint", (*_TRAFFIC, "CanarySize", "Value"), 60, 40),
    _one("endpoint", (*_TRAFFIC, "Type"), "LINEAR"),
    (
        "endpoint",
        {
            (*_POLICY, "MaximumExecutionTimeoutInSeconds"): 600,
            (*_POLICY, "TerminationWaitInSeconds"): 700,
        },
        {},
    ),
    _one("endpoint", (*_CONFIG, "DataCaptureConfig", "CaptureOptions"), []),
    _one(
        "endpoint", (*_CONFIG, "DataCaptureConfig", "DestinationS3Uri"), "captured", "s3://models/c"
    ),
    _one("endpoint", (*_TARGET, "MinCapacity"), 5, 4),
    _one("endpoint", (*_TARGET, "MinCapacity"), 0, 2),
    _one("endpoint", (*_TARGET, "ScalableDimension"), "sagemaker:variant:DesiredInstances"),
    _one(
        "endpoint",
        (*_TARGET, "ScalableDimension"),
        "sagemaker:inference-component:DesiredCopyCount",
    ),
    _one("endpoint", (*_TARGET, "ServiceNamespace"), "ecs"),
    _one(
        "endpoint",
        (*_TARGET, "ScalableDimension"),
        "sagemaker:variant:DesiredProvisionedConcurrency",
    ),
    _one("endpoint", (*_V, 0, "ModelName"), GONE),
    _one(
        "endpoint",
        (*_V, 0, "ManagedInstanceScaling"),
        {**_MANAGED, "Status": "ENABLED"},
        {**_MANAGED, "Status": "DISABLED"},
    ),
    _one("network", (*_SERVERLESS, "ModelName"), GONE),
    _one("network", (*_SERVERLESS[:-2], "AsyncInferenceConfig"), _ASYNC),
    _one(
        "endpoint", (*_TARGET, "ResourceId"), "endpoints/a/variant/blue", "endpoint/a/variant/blue"
    ),
    _one(
        "endpoint",
        (*_CONFIG, "Tags"),
        [_TAG, {"Key": "a", "Value": "2"}],
        [_TAG, {"Key": "b", "Value": "2"}],
    ),
    _one("endpoint", (*_CONFIG, "Tags"), [{"Key": "aws:a", "Value": "1"}], [_TAG]),
    _one("network", (*_SERVERLESS, "ServerlessConfig", "MemorySizeInMB"), 1500, 1024),
    _one("network", (*_SERVERLESS, "ServerlessConfig", "ProvisionedConcurrency"), 21, 20),
    _one("network", (*_SERVERLESS, "InstanceType"), "ml.m5.large"),
    _one("network", (*_SECOND, "ContainerHostname"), "first", "third"),
    _one("network", (*_SECOND, "ContainerHostname"), GONE),
    _one("network", _SUBNETS, []),
    _one("network", (*_SUBNETS, 0), "sg-0123456789abcdef0", "subnet-0123456789abcdef0"),
    (
        "network",
        {(*_STEPS, "StepAdjustments", 1, "MetricIntervalLowerBound"): 12},
        {(*_STEPS, "StepAdjustments", 1, "ScalingAdjustment"): 3},
    ),
    _one("network", (*_STEPS, "StepAdjustments", 1, "MetricIntervalLowerBound"), 8),
    _one("network", (*_STEPS, "AdjustmentType"), GONE),
]
