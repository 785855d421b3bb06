"""Bounds, policies, steps and schedules, as Application Auto Scaling takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from aws_cdk.assertions import Match, Template

from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra import (
    ContainerImage,
    Endpoint,
    EndpointConfig,
    InstanceVariant,
    Model,
    ModelData,
    Scaling,
    ScalingMetric,
    ScalingStep,
)

ALARM = "AWS::CloudWatch::Alarm"
POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"
TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"


def add_endpoint(bench: Any, **changes: Any) -> Endpoint:
    model = Model(
        bench.stack,
        "Model",
        role=bench.role,
        image=ContainerImage.from_catalog("tensorflow", "2.20"),
        model_data=ModelData.from_path(bench.model_folder),
        instance_type="ml.c5.large",
    )
    variant = InstanceVariant(name="blue", model=model, instance_type="ml.c5.large")
    config = EndpointConfig(bench.stack, "Config", variants=[variant])
    return Endpoint(bench.stack, "Endpoint", endpoint_name="e", endpoint_config=config, **changes)


@pytest.fixture
def scaling(bench: Any) -> Scaling:
    return add_endpoint(bench).scale_instances("blue", min_capacity=1, max_capacity=4)


def properties(bench: Any, kind: str) -> Any:
    (resource,) = Template.from_stack(bench.stack).find_resources(kind).values()
    return resource["Properties"]


def test_a_variants_target_waits_for_its_endpoint(bench: Any, scaling: Scaling) -> None:
    (endpoint,) = Template.from_stack(bench.stack).find_resources("AWS::SageMaker::Endpoint")
    assert properties(bench, TARGET) == {
        "ServiceNamespace": "sagemaker",
        "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
        "ResourceId": {
            "Fn::Join": [
                "",
                [
                    "endpoint/",
                    {"Fn::GetAtt": [endpoint, "EndpointName"]},
                    "/variant/blue",
                ],
            ]
        },
        "MinCapacity": 1,
        "MaxCapacity": 4,
    }


def test_scaling_instances_keeps_counts_without_being_asked(bench: Any, scaling: Scaling) -> None:
    said = properties(bench, "AWS::SageMaker::Endpoint")
    assert said["RetainAllVariantProperties"] is True
    assert said["ExcludeRetainedVariantProperties"] == [
        {"VariantPropertyType": "DesiredWeight"},
        {"VariantPropertyType": "DataCaptureConfig"},
    ]


def test_warm_workers_keep_no_instance_counts(bench: Any) -> None:
    add_endpoint(bench).scale_provisioned_concurrency("blue", min_capacity=1, max_capacity=4)
    assert "RetainAllVariantProperties" not in properties(bench, "AWS::SageMaker::Endpoint")


def test_an_endpoint_made_elsewhere_scales_too(bench: Any) -> None:
    theirs = Endpoint.from_endpoint_name(bench.stack, "Theirs", "theirs")
    theirs.scale_instances("blue", min_capacity=1, max_capacity=2).scale_on_invocations(60)
    assert properties(bench, TARGET)["ResourceId"] == "endpoint/theirs/variant/blue"


Track = Callable[[Scaling], None]


@pytest.mark.parametrize(
    ("track", "said"),
    [
        (
            lambda scaling: scaling.scale_on_invocations(70, scale_out_cooldown=0),
            {
                "TargetValue": 70,
                "ScaleInCooldown": 300,
                "ScaleOutCooldown": 0,
                "PredefinedMetricSpecification": {
                    "PredefinedMetricType": "SageMakerVariantInvocationsPerInstance"
                },
            },
        ),
        (
            lambda scaling: scaling.scale_to_track_metric(
                "Gpu",
                ScalingMetric(metric_name="GPUUtilization", namespace="/aws/sagemaker/Endpoints"),
                60,
            ),
            {
                "TargetValue": 60,
                "ScaleInCooldown": 300,
                "ScaleOutCooldown": 300,
                "CustomizedMetricSpecification": {
                    "MetricName": "GPUUtilization",
                    "Namespace": "/aws/sagemaker/Endpoints",
                    "Statistic": "Average",
                    "Dimensions": [
                        {"Name": "EndpointName", "Value": "e"},
                        {"Name": "VariantName", "Value": "blue"},
                    ],
                },
            },
        ),
    ],
    ids=["invocations", "any metric"],
)
def test_target_tracking_is_rendered(
    bench: Any, scaling: Scaling, track: Track, said: dict[str, Any]
) -> None:
    track(scaling)
    policy = properties(bench, POLICY)
    assert policy["PolicyType"] == "TargetTrackingScaling"
    assert policy["TargetTrackingScalingPolicyConfiguration"] == said


def test_steps_are_counted_from_the_alarm_that_sets_them_off(bench: Any, scaling: Scaling) -> None:
    metric = ScalingMetric(metric_name="ModelLatency", statistic="Maximum")
    near = ScalingStep(lower=100, upper=150, change=1)
    scaling.scale_on_metric(
        "Slow", metric, [ScalingStep(lower=150, change=2), near], evaluation_minutes=3, cooldown=0
    )
    assert properties(bench, POLICY)["StepScalingPolicyConfiguration"] == {
        "AdjustmentType": "ChangeInCapacity",
        "MetricAggregationType": "Average",
        "Cooldown": 0,
        "StepAdjustments": [
            {"MetricIntervalLowerBound": 50, "ScalingAdjustment": 2},
            {
                "MetricIntervalLowerBound": 0,
                "MetricIntervalUpperBound": 50,
                "ScalingAdjustment": 1,
            },
        ],
    }
    Template.from_stack(bench.stack).has_resource_properties(
        ALARM,
        {
            "Threshold": 100,
            "EvaluationPeriods": 3,
            "Statistic": "Maximum",
            "ComparisonOperator": "GreaterThanOrEqualToThreshold",
        },
    )


def test_steps_down_are_set_off_from_below(bench: Any, scaling: Scaling) -> None:
    metric = ScalingMetric(metric_name="Invocations", dimensions={"EndpointName": "e"})
    scaling.scale_on_metric("Idle", metric, [ScalingStep(upper=1, change=-1)])
    Template.from_stack(bench.stack).has_resource_properties(
        ALARM,
        {
            "Threshold": 1,
            "ComparisonOperator": "LessThanOrEqualToThreshold",
            "Dimensions": [{"Name": "EndpointName", "Value": "e"}],
            "TreatMissingData": Match.any_value(),
        },
    )


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [ScalingStep(lower=1, change=1), ScalingStep(upper=1, change=-1)],
        [ScalingStep(upper=1, change=1)],
    ],
    ids=["none", "both ways", "no edge"],
)
def test_steps_of_no_one_direction_are_refused(scaling: Scaling, steps: list[ScalingStep]) -> None:
    with pytest.raises(Mistake, match="the steps of 'S' must all add"):
        scaling.scale_on_metric("S", ScalingMetric(metric_name="Invocations"), steps)


def test_schedules_stand_beside_one_another_and_zero_is_kept(bench: Any, scaling: Scaling) -> None:
    scaling.scale_on_schedule("night", "cron(0 20 * * ? *)", min_capacity=0, max_capacity=1)
    scaling.scale_on_schedule("day", "cron(0 8 * * ? *)", time_zone="Europe/Berlin", min_capacity=2)
    assert properties(bench, TARGET)["ScheduledActions"] == [
        {
            "ScheduledActionName": "night",
            "Schedule": "cron(0 20 * * ? *)",
            "ScalableTargetAction": {"MinCapacity": 0, "MaxCapacity": 1},
        },
        {
            "ScheduledActionName": "day",
            "Schedule": "cron(0 8 * * ? *)",
            "Timezone": "Europe/Berlin",
            "ScalableTargetAction": {"MinCapacity": 2},
        },
    ]


@pytest.mark.parametrize("asked", [False, True])
def test_what_goes_to_zero_wakes_once_whether_one_asks_for_it_or_not(
    bench: Any, asked: bool
) -> None:
    scaling = add_endpoint(bench).scale_instances("blue", min_capacity=0, max_capacity=2)
    if asked:
        scaling.wake_from_zero()
    template = Template.from_stack(bench.stack)
    waits = {"MetricName": "HasBacklogWithoutCapacity", "Threshold": 1}
    template.resource_properties_count_is("AWS::CloudWatch::Alarm", waits, 1)


@pytest.mark.parametrize(("least", "most"), [(-1, 1), (3, 2), (0, 0)])
def test_bounds_that_are_none_are_refused(bench: Any, least: int, most: int) -> None:
    with pytest.raises(Mistake, match=f"min_capacity is {least} and max_capacity is {most}"):
        add_endpoint(bench).scale_instances("blue", min_capacity=least, max_capacity=most)


def test_a_metric_that_is_not_there_is_refused(bench: Any) -> None:
    warm = add_endpoint(bench).scale_provisioned_concurrency("blue", min_capacity=1, max_capacity=2)
    with pytest.raises(Mistake, match="has no metric of Invocations"):
        warm.scale_on_invocations(70)
    with pytest.raises(Mistake, match="only asynchronous variants and inference components wake"):
        warm.wake_from_zero()
