"""What serves is scaled by its own load: a variant out and in, a component to zero and back."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import Aws, children, eventually
from tests.local_aws.load import Load

SECONDS = 180.0


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(time_scale=40)  # a minute is a second and a half


def register(aws: Aws, target: Mapping[str, str], least: int, most: int) -> None:
    aws.client("application-autoscaling").register_scalable_target(
        **target, MinCapacity=least, MaxCapacity=most
    )


def track(aws: Aws, target: Mapping[str, str], value: float, **metric: Any) -> None:
    aws.client("application-autoscaling").put_scaling_policy(
        **target,
        PolicyName="tracked",
        PolicyType="TargetTrackingScaling",
        TargetTrackingScalingPolicyConfiguration={"TargetValue": value, **metric},
    )


def target_of(endpoint: str) -> dict[str, str]:
    """The instances of its variant."""
    return {
        "ServiceNamespace": "sagemaker",
        "ResourceId": f"endpoint/{endpoint}/variant/v",
        "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
    }


def failed(aws: Aws, target: Mapping[str, str]) -> list[Any]:
    """The activities that have failed."""
    found = aws.client("application-autoscaling").describe_scaling_activities(**target)
    return [each for each in found["ScalingActivities"] if each["StatusCode"] == "Failed"]


def causes(aws: Aws, target: Mapping[str, str]) -> list[str]:
    """Why each activity that has succeeded was begun, the oldest first."""
    found = aws.client("application-autoscaling").describe_scaling_activities(**target)
    return [
        activity["Cause"]
        for activity in reversed(found["ScalingActivities"])
        if activity["StatusCode"] == "Successful"
    ]


@pytest.mark.long
def test_a_variant_goes_out_under_load_and_in_again_without(aws: Aws) -> None:
    aws.model("m", {"VERSION": "1"})
    aws.config("c", {"v": "m"})
    aws.endpoint("e", "c")
    target = target_of("e")
    register(aws, target, 1, 3)
    kind = "SageMakerVariantInvocationsPerInstance"
    # Requests of a real minute, though one passes in a second and a half.
    track(aws, target, 400, PredefinedMetricSpecification={"PredefinedMetricType": kind})

    def count() -> int:
        (variant,) = aws.sagemaker.describe_endpoint(EndpointName="e")["ProductionVariants"]
        number: int = variant["CurrentInstanceCount"]
        return number

    with Load(aws, "e", per_second=40) as load:
        eventually(lambda: count() == 3, SECONDS)
    with Load(aws, "e", per_second=4):
        eventually(lambda: count() == 1, SECONDS)
    assert load.failures == []
    eventually(lambda: "-AlarmLow-" in causes(aws, target)[-1])  # told after the fleet is there
    out, *_, back = causes(aws, target)
    assert out.startswith("monitor alarm TargetTracking-endpoint/e/variant/v-AlarmHigh-")
    assert back.startswith("monitor alarm TargetTracking-endpoint/e/variant/v-AlarmLow-")
    assert out.endswith("in state ALARM triggered policy tracked")
    aws.client("application-autoscaling").deregister_scalable_target(**target)
    aws.delete("e")


@pytest.mark.long
def test_a_component_that_nobody_asks_goes_to_zero_and_who_asks_wakes_it(aws: Aws) -> None:
    before = children()
    aws.model("component", {"VERSION": "1"})
    aws.sagemaker.create_endpoint_config(
        EndpointConfigName="i",
        ExecutionRoleArn="arn:aws:iam::123456789012:role/model",
        ProductionVariants=[
            {
                "VariantName": "v",
                "InstanceType": "ml.m5.large",
                "InitialInstanceCount": 1,
                "ManagedInstanceScaling": {"Status": "ENABLED", "MinInstanceCount": 0},
            }
        ],
    )
    aws.endpoint("i", "i")
    aws.sagemaker.create_inference_component(
        InferenceComponentName="part",
        EndpointName="i",
        VariantName="v",
        Specification={
            "ModelName": "component",
            "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 128},
        },
        RuntimeConfig={"CopyCount": 1},
    )

    def copies() -> Any:
        found = aws.sagemaker.describe_inference_component(InferenceComponentName="part")
        settled = found["InferenceComponentStatus"] == "InService"
        return found["RuntimeConfig"]["CurrentCopyCount"] if settled else None

    eventually(lambda: copies() == 1)
    target = {
        "ServiceNamespace": "sagemaker",
        "ResourceId": "inference-component/part",
        "ScalableDimension": "sagemaker:inference-component:DesiredCopyCount",
    }
    register(aws, target, 0, 2)
    dimensions = [{"Name": "InferenceComponentName", "Value": "part"}]
    metric = {
        "Namespace": "AWS/SageMaker",
        "MetricName": "ConcurrentRequestsPerCopy",
        "Dimensions": dimensions,
        "Statistic": "Maximum",
    }
    track(aws, target, 5, CustomizedMetricSpecification=metric)
    arn = aws.client("application-autoscaling").put_scaling_policy(
        **target,
        PolicyName="wake",
        PolicyType="StepScaling",
        StepScalingPolicyConfiguration={
            "AdjustmentType": "ChangeInCapacity",
            "MetricAggregationType": "Maximum",
            "Cooldown": 60,
            "StepAdjustments": [{"MetricIntervalLowerBound": 0, "ScalingAdjustment": 1}],
        },
    )["PolicyARN"]
    aws.client("cloudwatch").put_metric_alarm(
        AlarmName="asked-in-vain",
        AlarmActions=[arn],
        Namespace="AWS/SageMaker",
        MetricName="NoCapacityInvocationFailures",
        Dimensions=dimensions,
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        DatapointsToAlarm=1,
        Threshold=1,
        ComparisonOperator="GreaterThanOrEqualToThreshold",
    )

    eventually(lambda: copies() == 0, SECONDS)
    eventually(lambda: children() <= before)
    with pytest.raises(ClientError, match="has no capacity to process"):
        aws.ask("i", b"which", InferenceComponentName="part")

    def awake() -> bool:
        """Asked once more, as who is refused does: no alarm acts within a cooldown."""
        with suppress(ClientError):
            aws.ask("i", b"which", InferenceComponentName="part")
        return bool(copies() == 1)

    eventually(awake, SECONDS)
    assert aws.ask("i", b"which", InferenceComponentName="part") == b"1"
    slept, woke = eventually(lambda: causes(aws, target)[:2] if causes(aws, target)[1:] else None)
    assert slept.startswith("monitor alarm TargetTracking-inference-component/part-AlarmLow-")
    assert woke == "monitor alarm asked-in-vain in state ALARM triggered policy wake"
    aws.client("application-autoscaling").deregister_scalable_target(**target)
    aws.client("cloudwatch").delete_alarms(AlarmNames=["asked-in-vain"])
    eventually(lambda: copies() is not None)
    aws.sagemaker.delete_inference_component(InferenceComponentName="part")
    eventually(
        lambda: (
            not aws.sagemaker.list_inference_components(EndpointNameEquals="i")[
                "InferenceComponents"
            ]
        )
    )
    aws.delete("i")


def test_a_serverless_variants_provisioned_concurrency_is_brought_into_its_bounds(aws: Aws) -> None:
    aws.model("cold", {"VERSION": "1"})
    aws.sagemaker.create_endpoint_config(
        EndpointConfigName="s",
        ProductionVariants=[
            {
                "VariantName": "v",
                "ModelName": "cold",
                "ServerlessConfig": {
                    "MemorySizeInMB": 2048,
                    "MaxConcurrency": 10,
                    "ProvisionedConcurrency": 1,
                },
            }
        ],
    )
    aws.endpoint("s", "s")
    target = {
        "ServiceNamespace": "sagemaker",
        "ResourceId": "endpoint/s/variant/v",
        "ScalableDimension": "sagemaker:variant:DesiredProvisionedConcurrency",
    }
    register(aws, target, 3, 5)
    eventually(lambda: causes(aws, target) == ["minimum capacity was set to 3"])
    (variant,) = aws.sagemaker.describe_endpoint(EndpointName="s")["ProductionVariants"]
    assert variant["CurrentServerlessConfig"]["ProvisionedConcurrency"] == 3
    assert variant["CurrentServerlessConfig"]["MaxConcurrency"] == 10
    aws.client("application-autoscaling").deregister_scalable_target(**target)
    aws.delete("s")


def test_nothing_scales_until_an_update_has_ended(aws: Aws, tmp_path: Path) -> None:
    """Source: developer guide, "Update endpoints that use auto scaling"."""
    (hold := tmp_path / "hold").touch()
    aws.config("before", {"v": aws.model("before", {"VERSION": "1"})})
    aws.config("after", {"v": aws.model("after", {"UNHEALTHY_WHILE": str(hold)})})
    aws.endpoint("moving", "before")
    aws.sagemaker.update_endpoint(EndpointName="moving", EndpointConfigName="after")
    target = target_of("moving")
    register(aws, target, 2, 2)
    (activity,) = eventually(lambda: failed(aws, target))
    assert "Cannot update in-progress endpoint" in activity["StatusMessage"]
    hold.unlink()
    assert aws.settled("moving")["ProductionVariants"][0]["CurrentInstanceCount"] == 1
    register(aws, target, 2, 2)
    eventually(lambda: causes(aws, target) == ["minimum capacity was set to 2"])
    aws.delete("moving")


def test_fewer_instances_than_aws_has_are_refused_by_sagemaker_and_said(aws: Aws) -> None:
    aws.model("least", {"VERSION": "1"})
    aws.config("least", {"v": "least"})
    aws.endpoint("least", "least")
    target = target_of("least")
    register(aws, target, 0, 0)
    (activity,) = eventually(lambda: failed(aws, target))
    assert activity["StatusMessage"].startswith("Failed to set desired instance count to 0. Reason")
    assert "only asynchronous endpoints can have no instance" in activity["StatusMessage"]
    aws.delete("least")
    targets = aws.client("application-autoscaling").describe_scalable_targets(
        ServiceNamespace="sagemaker", ResourceIds=[target["ResourceId"]]
    )
    assert targets["ScalableTargets"] == []  # DeleteEndpoint takes them with it
