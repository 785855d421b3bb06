"""What can be registered, and how it is kept and described."""

from __future__ import annotations

from typing import Any

import pytest

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


TARGET = {
    "ServiceNamespace": "sagemaker",
    "ResourceId": "endpoint/e/variant/v",
    "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
}


@pytest.mark.parametrize("dimension", METRICS)
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


@pytest.fixture
def target(aws: Aws) -> Any:
    scaling = aws.client("application-autoscaling")
    scaling.register_scalable_target(**TARGET, MinCapacity=1, MaxCapacity=4, Tags={"team": "a"})
    yield TARGET
    scaling.deregister_scalable_target(**TARGET)


def track(aws: Aws, name: str = "tracked", **more: Any) -> Any:
    return aws.client("application-autoscaling").put_scaling_policy(
        **TARGET,
        PolicyName=name,
        PolicyType="TargetTrackingScaling",
        TargetTrackingScalingPolicyConfiguration={
            "TargetValue": 100,
            "PredefinedMetricSpecification": {
                "PredefinedMetricType": "SageMakerVariantInvocationsPerInstance"
            },
            **more,
        },
    )


def alarms(aws: Aws) -> list[Any]:
    found: list[Any] = aws.client("cloudwatch").describe_alarms(
        AlarmNamePrefix="TargetTracking-endpoint/e/variant/v-"
    )["MetricAlarms"]
    return found


def test_target_tracking_makes_its_two_alarms_and_takes_them_away(aws: Aws, target: Any) -> None:
    made = track(aws)
    high, low = alarms(aws)
    assert [each["AlarmName"] for each in made["Alarms"]] == [high["AlarmName"], low["AlarmName"]]
    assert [each["AlarmARN"] for each in made["Alarms"]] == [high["AlarmArn"], low["AlarmArn"]]
    assert high["AlarmName"].startswith("TargetTracking-endpoint/e/variant/v-AlarmHigh-")
    assert low["AlarmName"].startswith("TargetTracking-endpoint/e/variant/v-AlarmLow-")
    assert high["AlarmActions"] == [made["PolicyARN"]]
    assert (high["MetricName"], high["Statistic"]) == ("InvocationsPerInstance", "Sum")
    kept = ("Threshold", "ComparisonOperator", "Period", "EvaluationPeriods")
    assert [high[each] for each in kept] == [100, "GreaterThanThreshold", 60, 3]
    assert [low[each] for each in kept] == [90, "LessThanThreshold", 60, 15]

    again = track(aws, TargetValue=50)
    assert again["PolicyARN"] == made["PolicyARN"]
    assert [each["Threshold"] for each in alarms(aws)] == [50, 45]
    aws.client("application-autoscaling").delete_scaling_policy(**TARGET, PolicyName="tracked")
    assert alarms(aws) == []


def test_a_metric_of_ten_seconds_is_looked_at_as_often(aws: Aws, target: Any) -> None:
    kind = "SageMakerVariantConcurrentRequestsPerModelHighResolution"
    track(aws, PredefinedMetricSpecification={"PredefinedMetricType": kind})
    found = [(each["Period"], each["EvaluationPeriods"]) for each in alarms(aws)]
    assert found == [(10, 3), (10, 90)]


def test_a_metric_of_ones_own_can_be_tracked(aws: Aws, target: Any) -> None:
    scaling = aws.client("application-autoscaling")
    dimensions = [{"Name": "EndpointName", "Value": "e"}]
    config = {
        "TargetValue": 2,
        "CustomizedMetricSpecification": {
            "Namespace": "AWS/SageMaker",
            "MetricName": "ApproximateBacklogSizePerInstance",
            "Dimensions": dimensions,
            "Statistic": "Average",
        },
    }
    scaling.put_scaling_policy(
        **TARGET,
        PolicyName="own",
        PolicyType="TargetTrackingScaling",
        TargetTrackingScalingPolicyConfiguration=config,
    )
    high, _ = alarms(aws)
    assert high["MetricName"] == "ApproximateBacklogSizePerInstance"
    assert (high["Statistic"], high["Dimensions"]) == ("Average", dimensions)
    (kept,) = scaling.describe_scaling_policies(**TARGET)["ScalingPolicies"]
    assert kept["TargetTrackingScalingPolicyConfiguration"] == config


def test_a_step_policy_names_the_alarms_that_call_it(aws: Aws, target: Any) -> None:
    scaling, cloudwatch = aws.client("application-autoscaling"), aws.client("cloudwatch")
    arn = scaling.put_scaling_policy(
        **TARGET,
        PolicyName="steps",
        PolicyType="StepScaling",
        StepScalingPolicyConfiguration={
            "AdjustmentType": "ChangeInCapacity",
            "StepAdjustments": [{"MetricIntervalLowerBound": 0, "ScalingAdjustment": 1}],
        },
    )["PolicyARN"]
    assert arn.startswith("arn:aws:autoscaling:eu-west-1:123456789012:scalingPolicy:")
    assert arn.endswith(":resource/sagemaker/endpoint/e/variant/v:policyName/steps")
    cloudwatch.put_metric_alarm(
        AlarmName="calls",
        AlarmActions=[arn],
        Namespace="N",
        MetricName="M",
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=1,
        ComparisonOperator="GreaterThanThreshold",
    )
    (kept,) = scaling.describe_scaling_policies(**TARGET)["ScalingPolicies"]
    assert [each["AlarmName"] for each in kept["Alarms"]] == ["calls"]


def test_what_is_left_out_stays_as_it_was(aws: Aws, target: Any) -> None:
    scaling = aws.client("application-autoscaling")
    suspended = {"ScheduledScalingSuspended": True}
    scaling.register_scalable_target(**TARGET, MaxCapacity=9, SuspendedState=suspended)
    scaling.register_scalable_target(**TARGET, SuspendedState={"DynamicScalingInSuspended": True})
    (kept,) = scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"]
    assert (kept["MinCapacity"], kept["MaxCapacity"]) == (1, 9)
    assert kept["SuspendedState"] == {
        "DynamicScalingInSuspended": True,
        "DynamicScalingOutSuspended": False,
        "ScheduledScalingSuspended": True,
    }
    arn = kept["ScalableTargetARN"]
    scaling.tag_resource(ResourceARN=arn, Tags={"stage": "b"})
    scaling.untag_resource(ResourceARN=arn, TagKeys=["team"])
    assert scaling.list_tags_for_resource(ResourceARN=arn)["Tags"] == {"stage": "b"}


def test_a_target_that_goes_takes_all_that_was_its(aws: Aws) -> None:
    scaling = aws.client("application-autoscaling")
    scaling.register_scalable_target(**TARGET, MinCapacity=1, MaxCapacity=4)
    track(aws)
    scaling.put_scheduled_action(
        **TARGET,
        ScheduledActionName="night",
        Schedule="cron(0 22 * * ? *)",
        ScalableTargetAction={"MaxCapacity": 1},
    )
    scaling.deregister_scalable_target(**TARGET)
    assert scaling.describe_scaling_policies(**TARGET)["ScalingPolicies"] == []
    assert scaling.describe_scheduled_actions(**TARGET)["ScheduledActions"] == []
    assert alarms(aws) == []


def test_pages_follow_one_another(aws: Aws, target: Any) -> None:
    for number in range(3):
        aws.client("application-autoscaling").put_scaling_policy(
            **TARGET,
            PolicyName=f"p{number}",
            PolicyType="StepScaling",
            StepScalingPolicyConfiguration={
                "AdjustmentType": "ChangeInCapacity",
                "StepAdjustments": [{"MetricIntervalLowerBound": 0, "ScalingAdjustment": 1}],
            },
        )
    pages = aws.client("application-autoscaling").get_paginator("describe_scaling_policies")
    found = pages.paginate(**TARGET, PaginationConfig={"PageSize": 2})
    assert [len(page["ScalingPolicies"]) for page in found] == [2, 1]


def test_what_belongs_to_no_target_or_asks_for_what_there_is_not_is_refused(aws: Aws) -> None:
    scaling = aws.client("application-autoscaling")
    missing = "service namespace: sagemaker, resource ID: endpoint/e/variant/v, scalable dimension"
    with pytest.raises(
        scaling.exceptions.ObjectNotFoundException,
        match=f"No scalable target registered for {missing}",
    ):
        track(aws)
    with pytest.raises(scaling.exceptions.ObjectNotFoundException, match="No scalable target"):
        scaling.deregister_scalable_target(**TARGET)
    with pytest.raises(scaling.exceptions.ValidationException, match="must not be above"):
        scaling.register_scalable_target(**TARGET, MinCapacity=3, MaxCapacity=2)
    with pytest.raises(scaling.exceptions.ValidationException, match="MaxCapacity is required"):
        scaling.register_scalable_target(**TARGET, MinCapacity=3)


def test_what_cannot_be_followed_is_refused_by_name(aws: Aws, target: Any) -> None:
    scaling = aws.client("application-autoscaling")
    kind = "ECSServiceAverageCPUUtilization"
    with pytest.raises(scaling.exceptions.ValidationException, match=f"follows {kind}, which"):
        track(aws, PredefinedMetricSpecification={"PredefinedMetricType": kind})
    with pytest.raises(scaling.exceptions.ValidationException, match="At least one of minimum"):
        scaling.put_scheduled_action(
            **TARGET, ScheduledActionName="none", Schedule="rate(1 day)", ScalableTargetAction={}
        )
    track(aws)
    with pytest.raises(scaling.exceptions.ValidationException, match="Only one TargetTracking"):
        track(aws, "second")
    for wrong, said in (
        ({"Schedule": "cron(0 8 32 * ? *)"}, r"Schedule is 'cron\(0 8 32 "),
        ({"Schedule": "rate(1 day)", "Timezone": "Europe/Berlyn"}, "there is no such time zone"),
    ):
        with pytest.raises(scaling.exceptions.ValidationException, match=said):
            scaling.put_scheduled_action(
                **TARGET,
                ScheduledActionName="last",
                ScalableTargetAction={"MaxCapacity": 1},
                **wrong,
            )


def test_other_services_targets_are_kept(aws: Aws) -> None:
    scaling = aws.client("application-autoscaling")
    table = {
        "ServiceNamespace": "dynamodb",
        "ResourceId": "table/t",
        "ScalableDimension": "dynamodb:table:ReadCapacityUnits",
    }
    scaling.register_scalable_target(**table, MinCapacity=1, MaxCapacity=4)
    (kept,) = scaling.describe_scalable_targets(ServiceNamespace="dynamodb")["ScalableTargets"]
    assert kept["ResourceId"] == "table/t"
    assert (
        scaling.describe_scaling_activities(ServiceNamespace="dynamodb")["ScalingActivities"] == []
    )
