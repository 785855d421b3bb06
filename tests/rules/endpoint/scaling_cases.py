"""Environment files and templates with one thing wrong in an endpoint's scaling."""

from __future__ import annotations

from typing import Any

from tests.rules.changes import BLUE, DIGITS, ONE, SCALING, SERVERLESS, Change, serverless
from tests.rules.template_cases import Case


def scaled(**change: Any) -> Change:
    return {SCALING: {"blue": {"min": 1, "max": 4, "invocations_per_instance": 70, **change}}}


def queue(**change: Any) -> Change:
    return {**ONE, (*DIGITS, "asynchronous"): {}, **scaled(**change)}


def steps(*each: dict[str, Any]) -> Change:
    return scaled(step_policies=[{"metric_name": "Invocations", "steps": list(each)}])


def schedule(**change: Any) -> Change:
    return scaled(schedules=[{"name": "n", "schedule": "rate(1 day)", "max": 2, **change}])


ENVIRONMENTS: list[tuple[str, Change, str, Change]] = [
    (
        "scaling-named",
        {SCALING: {"bluu": {"min": 1, "max": 1}}},
        "'bluu' is nothing that scales here; did you mean blue",
        {SCALING: {"blue": {"min": 1, "max": 1}}},
    ),
    (
        "scaling-moves",
        {SCALING: {"blue": {"min": 1, "max": 4}}},
        "min is 1 and max is 4, and nothing moves it between",
        {SCALING: {"blue": {"min": 4, "max": 4}}},
    ),
    ("scaling-bounds", scaled(max=0), "max is 0 and min is 1", scaled(max=1)),
    ("scaling-zero", scaled(min=0), "min is 0; a real-time variant keeps", queue(min=0)),
    (
        "scaling-burstable",
        {**scaled(), (*BLUE, "instance_type"): "ml.t2.medium"},
        "the variant runs on ml.t2.medium; burstable types can't be scaled",
        scaled(),
    ),
    (
        "scaling-cooldown",
        scaled(scale_in_cooldown_seconds=-1),
        "scale_in_cooldown_seconds is -1; it must be at least 0",
        scaled(scale_in_cooldown_seconds=0),
    ),
    (
        "scaling-target",
        scaled(invocations_per_instance=0),
        "invocations_per_instance is 0; it must be over 0",
        scaled(invocations_per_instance=0.5),
    ),
    (
        "scaling-metric",
        scaled(backlog_per_instance=5),
        "backlog_per_instance follows ApproximateBacklogSizePerInstance, which a real-time "
        "variant does not have; use SageMakerVariantInvocationsPerInstance",
        queue(invocations_per_instance=None, backlog_per_instance=5),
    ),
    (
        "scaling-metric",
        {**SERVERLESS, SCALING: {"all": {"min": 1, "max": 2, "concurrent_requests": 5}}},
        "concurrent_requests follows SageMakerVariantConcurrentRequestsPerModelHighResolution, "
        "which a serverless variant does not have",
        {
            **serverless(provisioned_concurrency=1),
            SCALING: {"all": {"min": 1, "max": 2, "provisioned_concurrency_utilization": 0.7}},
        },
    ),
    (
        "scaling-metric-published",
        queue(),
        "which asynchronous endpoints do not publish; use backlog_per_instance",
        queue(invocations_per_instance=None, backlog_per_instance=5),
    ),
    (
        "scaling-utilization",
        {
            **serverless(provisioned_concurrency=1),
            SCALING: {"all": {"min": 1, "max": 2, "provisioned_concurrency_utilization": 70}},
        },
        "provisioned_concurrency_utilization is 70; it must be over 0 and up to 1; use 0.7",
        {
            **serverless(provisioned_concurrency=1),
            SCALING: {"all": {"min": 1, "max": 2, "provisioned_concurrency_utilization": 1}},
        },
    ),
    (
        "scaling-steps",
        steps({"lower": 5, "upper": 5, "change": 1}),
        "upper is 5 and lower is 5; a step rises from its lower to its upper bound",
        steps({"lower": 5, "upper": 6, "change": 1}),
    ),
    (
        "scaling-steps",
        steps({"lower": 5, "change": 1}, {"lower": 9, "change": 2}),
        "the step overlaps another one",
        steps({"lower": 5, "upper": 9, "change": 1}, {"lower": 9, "change": 2}),
    ),
    (
        "scaling-steps",
        steps({"lower": 5, "change": 1}, {"upper": 5, "change": -1}),
        "some steps add and others remove; write two policies",
        steps({"upper": 5, "change": -1}),
    ),
    (
        "scaling-steps",
        steps({"upper": 5, "change": 1}),
        "no step has lower, so nothing says when the first step applies",
        steps({"lower": 5, "change": 1}),
    ),
    (
        "scaling-schedule",
        schedule(schedule="0 8 * * *"),
        "schedule is '0 8 * * *'; it must be cron(<minutes> <hours>",
        schedule(schedule="cron(0 8 * * ? *)"),
    ),
    (
        "scaling-schedule",
        schedule(max=None),
        "neither min nor max is given; give one of them",
        schedule(max=None, min=1),
    ),
]
POLICY = "Policy.TargetTrackingScalingPolicyConfiguration"
PREDEFINED = f"{POLICY}.PredefinedMetricSpecification"
NOTIFY = {"OutputConfig": {"S3OutputPath": "s3://b/o/"}}


def stepwise(*each: dict[str, Any]) -> dict[str, Any]:
    return {
        POLICY: None,
        "Policy.StepScalingPolicyConfiguration": {"StepAdjustments": list(each)},
    }


def metric(name: str) -> dict[str, Any]:
    return {"PredefinedMetricType": name}


TEMPLATES: list[Case] = [
    (
        "scaling-metric",
        {PREDEFINED: metric("SageMakerInferenceComponentInvocationsPerCopy")},
        "which a real-time variant does not have",
        {PREDEFINED: metric("SageMakerVariantInvocationsPerInstance")},
    ),
    (
        "scaling-metric-published",
        {
            "Config.AsyncInferenceConfig": NOTIFY,
            PREDEFINED: metric("SageMakerVariantInvocationsPerInstance"),
        },
        "which asynchronous endpoints do not publish",
        {PREDEFINED: metric("SageMakerVariantInvocationsPerInstance")},
    ),
    (
        "scaling-utilization",
        {
            "Target.ScalableDimension": "sagemaker:variant:DesiredProvisionedConcurrency",
            PREDEFINED: metric("SageMakerVariantProvisionedConcurrencyUtilization"),
        },
        "TargetValue is 70; it must be over 0 and up to 1; use 0.7",
        {
            "Target.ScalableDimension": "sagemaker:variant:DesiredProvisionedConcurrency",
            PREDEFINED: metric("SageMakerVariantProvisionedConcurrencyUtilization"),
            f"{POLICY}.TargetValue": 0.7,
        },
    ),
    (
        "scaling-steps",
        stepwise(
            {"MetricIntervalLowerBound": 0, "ScalingAdjustment": 1},
            {"MetricIntervalLowerBound": 5, "ScalingAdjustment": 2},
        ),
        "the step overlaps another one",
        stepwise(
            {"MetricIntervalUpperBound": 0, "ScalingAdjustment": -1},
            {"MetricIntervalLowerBound": 0, "ScalingAdjustment": 1},
        ),
    ),
    (
        "scaling-schedule",
        {
            "Target.ScheduledActions": [
                {"Schedule": "0 8 * * *", "ScalableTargetAction": {"MinCapacity": 1}}
            ]
        },
        "Schedule is '0 8 * * *'; it must be cron(",
        {
            "Target.ScheduledActions": [
                {"Schedule": "cron(0 8 * * ? *)", "ScalableTargetAction": {"MinCapacity": "1"}}
            ]
        },
    ),
]
