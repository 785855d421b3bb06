"""Each patch of the emulator's Application Auto Scaling: what of SageMaker can be scaled."""

from __future__ import annotations

import pytest

from local_aws.services.autoscaling.moto import DIMENSIONS
from tests.local_aws.aws import Aws

METRICS = {
    "sagemaker:variant:DesiredInstanceCount": "SageMakerVariantInvocationsPerInstance",
    "sagemaker:variant:DesiredProvisionedConcurrency": (
        "SageMakerVariantProvisionedConcurrencyUtilization"
    ),
    "sagemaker:inference-component:DesiredCopyCount": (
        "SageMakerInferenceComponentInvocationsPerCopy"
    ),
}


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_everything_that_scales_can_be_registered_and_have_its_policy(
    aws: Aws, dimension: str
) -> None:
    scaling = aws.client("application-autoscaling")
    is_component = "inference-component" in dimension
    target = {
        "ServiceNamespace": "sagemaker",
        "ResourceId": "inference-component/c" if is_component else "endpoint/e/variant/v",
        "ScalableDimension": dimension,
    }
    scaling.register_scalable_target(**target, MinCapacity=0, MaxCapacity=3)
    scaling.put_scaling_policy(
        **target,
        PolicyName="tracked",
        PolicyType="TargetTrackingScaling",
        TargetTrackingScalingPolicyConfiguration={
            "TargetValue": 0.7,
            "PredefinedMetricSpecification": {"PredefinedMetricType": METRICS[dimension]},
        },
    )
    found = scaling.describe_scaling_policies(**target)["ScalingPolicies"]
    assert [policy["PolicyName"] for policy in found] == ["tracked"]
    scaling.deregister_scalable_target(**target)


def test_what_does_not_scale_is_refused(aws: Aws) -> None:
    scaling = aws.client("application-autoscaling")
    with pytest.raises(scaling.exceptions.ValidationException, match="scalableDimension"):
        scaling.register_scalable_target(
            ServiceNamespace="sagemaker",
            ResourceId="endpoint/e/variant/v",
            ScalableDimension="sagemaker:variant:DesiredMemory",
            MinCapacity=0,
            MaxCapacity=3,
        )
