"""Samples of Application Auto Scaling."""

from __future__ import annotations

from collections.abc import Mapping

from tests.local_aws.resources.made import made_in
from tests.local_aws.resources.samples.sample import DIMENSIONS, METRIC, TAGS, Sample

_TARGET = {
    "ServiceNamespace": "sagemaker",
    "ResourceId": "endpoint/lost/variant/one",
    "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
}

_TARGETS = "application-autoscaling Describe{} ServiceNamespace=sagemaker".format

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::ApplicationAutoScaling::ScalableTarget": (
        Sample(
            (
                _TARGETS("ScalableTargets"),
                _TARGETS("ScheduledActions"),
                "application-autoscaling ListTagsForResource ResourceARN={ScalableTargetARN}",
            ),
            {
                **_TARGET,
                "MinCapacity": 3,
                "MaxCapacity": 17,
                "RoleARN": "$Role.Arn",
                "ScheduledActions": [
                    {
                        "ScheduledActionName": "morning",
                        "Schedule": "cron(0 8 * * ? *)",
                        "Timezone": "Europe/Berlin",
                        "StartTime": "2030-01-01T00:00:00Z",
                        "EndTime": "2031-01-01T00:00:00Z",
                        "ScalableTargetAction": {"MinCapacity": 5, "MaxCapacity": 19},
                    }
                ],
                "SuspendedState": {
                    "DynamicScalingInSuspended": True,
                    "DynamicScalingOutSuspended": True,
                    "ScheduledScalingSuspended": True,
                },
                "Tags": TAGS,
            },
        ),
    ),
    "AWS::ApplicationAutoScaling::ScalingPolicy": (
        Sample((_TARGETS("ScalingPolicies"),),
         {**_TARGET, "ResourceId": "endpoint/ground/variant/one", "PolicyName": "steps",
          "PolicyType": "StepScaling",
          "StepScalingPolicyConfiguration": {"AdjustmentType": "ExactCapacity", "Cooldown": 123,
          "MetricAggregationType": "Maximum", "MinAdjustmentMagnitude": 29,
          "StepAdjustments": [{"MetricIntervalLowerBound": 11, "MetricIntervalUpperBound": 31,
          "ScalingAdjustment": 13}]}}, needs=(*_TARGET, "StepScalingPolicyConfiguration")),
        Sample((_TARGETS("ScalingPolicies"),),
         {"ScalingTargetId": "$Target", "PolicyName": "tracks",
          "PolicyType": "TargetTrackingScaling",
          "TargetTrackingScalingPolicyConfiguration": {"CustomizedMetricSpecification": {**METRIC,
          "Dimensions": DIMENSIONS, "Statistic": "Maximum", "Unit": "Count"},
          "DisableScaleIn": True, "ScaleInCooldown": 121, "ScaleOutCooldown": 122,
          "TargetValue": 71}},
         needs=("ScalingTargetId", "TargetTrackingScalingPolicyConfiguration"),
         told={"ScalingTargetId": "endpoint/ground/variant/one"}),
        Sample(
            (_TARGETS("ScalingPolicies"),),
            {
                "ScalingTargetId": "$Target",
                "PolicyName": "predefined",
                "PolicyType": "TargetTrackingScaling",
                "TargetTrackingScalingPolicyConfiguration": {
                    "PredefinedMetricSpecification": {
                        "PredefinedMetricType": "SageMakerVariantInvocationsPerInstance",
                        "ResourceLabel": "a label",
                    },
                    "TargetValue": 72,
                },
            },
            needs=("ScalingTargetId", "TargetTrackingScalingPolicyConfiguration"),
            told={"ScalingTargetId": "endpoint/ground/variant/one"},
        ),
        Sample(
            (_TARGETS("ScalingPolicies"),),
            {
                "ScalingTargetId": "$Target",
                "PolicyName": "calculated",
                "PolicyType": "TargetTrackingScaling",
                "TargetTrackingScalingPolicyConfiguration": {
                    "CustomizedMetricSpecification": {
                        "Metrics": [
                            made_in(
                                "AWS::ApplicationAutoScaling::ScalingPolicy",
                                "TargetTrackingScalingPolicyConfiguration"
                                ".CustomizedMetricSpecification.Metrics",
                                Unit="Terabits",
                            )
                        ],
                    },
                    "TargetValue": 73,
                },
            },
            needs=("ScalingTargetId", "TargetTrackingScalingPolicyConfiguration"),
            told={"ScalingTargetId": "endpoint/ground/variant/one"},
        ),
    ),
}  # fmt: skip
