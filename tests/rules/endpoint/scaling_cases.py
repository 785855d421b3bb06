"""Environment files and templates with one thing wrong in an endpoint's scaling."""

from __future__ import annotations

from typing import Any

from tests.rules.changes import BLUE, DIGITS, ONE, SCALING, SERVERLESS, Change, serverless
from tests.rules.template_cases import ON_SERVERLESS, Case

STEP_UP = {"lower": 5, "change": 1}


def scaled(**change: Any) -> Change:
    return {SCALING: {"blue": {"min": 1, "max": 4, "invocations_per_instance": 70, **change}}}


def queue(**change: Any) -> Change:
    return {**ONE, (*DIGITS, "asynchronous"): {}, **scaled(**change)}


def steps(*each: dict[str, Any]) -> Change:
    return stepping(steps=list(each))


def schedule(**change: Any) -> Change:
    return scaled(schedules=[{"name": "n", "schedule": "rate(1 day)", "max": 2, **change}])


NIGHT = {"name": "night", "schedule": "cron(0 20 * * ? *)", "max": 2}


def stepping(**change: Any) -> Change:
    policy = {"metric_name": "Invocations", "statistic": "Sum", "steps": [STEP_UP], **change}
    return scaled(step_policies=[policy])


def tracked(**change: Any) -> Change:
    return scaled(tracked_metrics=[{"metric_name": "CPUUtilization", "target": 70, **change}])


ENVIRONMENTS: list[tuple[str, Change, str, Change]] = [
    ("scaling-named", {SCALING: {"bluu": {"min": 1, "max": 1}}},
     "'bluu' is nothing that scales here; did you mean blue",
     {SCALING: {"blue": {"min": 1, "max": 1}}}),
    ("scaling-named", {BLUE[:-1]: [], SCALING: {"blue": {"min": 1, "max": 1}}},
     "'blue' is nothing that scales here; the model has no variants; remove scaling",
     {BLUE[:-1]: []}),
    ("scaling-moves", {SCALING: {"blue": {"min": 1, "max": 4}}},
     "min is 1 and max is 4, and nothing moves it between",
     {SCALING: {"blue": {"min": 4, "max": 4}}}),
    ("scaling-metric", scaled(backlog_per_instance=5),
     "backlog_per_instance follows ApproximateBacklogSizePerInstance, which a real-time variant "
     "does not have; use SageMakerVariantInvocationsPerInstance",
     queue(invocations_per_instance=None, backlog_per_instance=5)),
    ("scaling-metric",
     {**SERVERLESS, SCALING: {"all": {"min": 1, "max": 2, "concurrent_requests": 5}}},
     "concurrent_requests follows SageMakerVariantConcurrentRequestsPerModelHighResolution, which "
     "a serverless variant does not have",
     {**serverless(provisioned_concurrency=1), SCALING: {"all": {"min": 1, "max": 2,
      "provisioned_concurrency_utilization": 0.7}}}),
    ("scaling-steps", steps({"lower": 5, "upper": 5, "change": 1}),
     "upper is 5 and lower is 5; a step rises from its lower to its upper bound",
     steps({"lower": 5, "upper": 6, "change": 1})),
    ("scaling-steps", steps({"lower": 5, "change": 1}, {"lower": 9, "change": 2}),
     "the step overlaps another one",
     steps({"lower": 5, "upper": 9, "change": 1}, {"lower": 9, "change": 2})),
    ("scaling-steps", steps({"lower": 5, "change": 1}, {"upper": 5, "change": -1}),
     "some steps add and others remove; write two policies", steps({"upper": 5, "change": -1})),
    ("scaling-steps", steps({"upper": 5, "change": 1}),
     "no step has lower, so nothing says when the first step applies",
     steps({"lower": 5, "change": 1})),
    ("scaling-schedule", schedule(max=None), "neither min nor max is given; give one of them",
     schedule(max=None, min=1)),
    ("scaling-schedule", schedule(schedule="cron(0 25 * * ? *)"),
     "schedule is 'cron(0 25 * * ? *)'; the hours '25' is not 0 to 23",
     schedule(schedule="cron(0 23 * * ? *)")),
    ("scaling-schedule", schedule(schedule="at(2027-02-30T08:00:00)"), "there is no such time",
     schedule(schedule="at(2027-02-28T08:00:00)")),
    ("scaling-schedule-zone", schedule(schedule="cron(0 8 * * ? *)", timezone="Europe/Berlyn"),
     "timezone is 'Europe/Berlyn'; there is no such time zone; did you mean Europe/Berlin",
     schedule(schedule="cron(0 8 * * ? *)", timezone="Etc/GMT+9")),
    ("scaling-schedule-name", schedule(name=""), "1 to 256", schedule(name="n" * 256)),
    ("scaling-schedule-name", scaled(schedules=[NIGHT, NIGHT]),
     "a schedule named 'night' stands above",
     scaled(schedules=[NIGHT, {**NIGHT, "name": "Night"}])),
    ("scaling-schedule-bounds", schedule(max=0), "max is 0; it must be at least 1", schedule()),
    ("scaling-schedule-bounds", schedule(min=3), "max is 2 and min is 3", schedule(min=2)),
    ("scaling-schedule-bounds", {SCALING: {"blue": {"min": 3, "max": 4, "schedules": [NIGHT]}}},
     "max is 2, and min is never below 3; give the schedule a min, too",
     {SCALING: {"blue": {"min": 3, "max": 4, "schedules": [{**NIGHT, "min": 1}]}}}),
    (  # what another one allows
        "scaling-schedule-bounds",
        scaled(schedules=[NIGHT, {**NIGHT, "name": "day", "max": None, "min": 9}]),
        "max is never over 4",
        scaled(schedules=[{**NIGHT, "max": 9}, {**NIGHT, "name": "day", "max": None, "min": 9}]),
    ),
    ("scaling-schedule-bounds", queue(schedules=[{**NIGHT, "min": -1, "max": 0}]),
     "min is -1; it must be at least 0", queue(schedules=[{**NIGHT, "min": 0, "max": 0}])),
    ("scaling-bounds", queue(min=-1), "min is -1; it must be at least 0", queue(min=0)),
    ("scaling-bounds", scaled(max=2**31), "max is 2147483648; it must be at most 2147483647",
     scaled(max=2**31 - 1)),
    ("scaling-steps", steps({"lower": 5, "upper": 9, "change": 1}, {"lower": 10, "change": 2}),
     "no step is taken from 9 to 10; let each begin where the last ends",
     steps({"lower": 5, "upper": 10, "change": 1}, {"lower": 10, "change": 2})),
    ("scaling-evaluation", stepping(evaluation_minutes=0),
     "evaluation_minutes is 0; it must be 1 to 1440; use 1", stepping(evaluation_minutes=1440)),
    ("scaling-evaluation", stepping(cooldown_seconds=-1),
     "cooldown_seconds is -1; it must be at least 0", stepping(cooldown_seconds=0)),
    ("scaling-metric-form", stepping(dimensions={f"D{n}": "v" for n in range(31)}),
     "there are 31 dimensions; a metric takes 30; remove some",
     stepping(dimensions={f"D{n}": "v" for n in range(30)})),
    ("scaling-metric-form", stepping(dimensions={"EndpointName": ""}),
     "EndpointName is '' (0 characters); CloudWatch takes 1 to 1024",
     stepping(dimensions={"EndpointName": "e" * 1024})),
    ("scaling-metric-form", tracked(namespace=":mine"),
     "namespace is ':mine'; it must not begin with a colon", tracked(namespace="my:own/metrics")),
    ("metric-reach", tracked(target=250),
     "target is 250, and Average of CPUUtilization is at most 200", tracked(target=150)),
    ("metric-reach", stepping(statistic="Average"),
     "lower is 5, and Average of Invocations is at most 1, since each request is 1 or less; it "
     "never comes over that; use the statistic Sum", stepping()),
    ("metric-namespace", tracked(metric_name="ModelLatency", target=50_000),
     "namespace is /aws/sagemaker/Endpoints; SageMaker publishes ModelLatency in AWS/SageMaker",
     tracked(metric_name="ModelLatency", target=50_000, namespace="AWS/SageMaker")),
    ("scaling-metric-form", tracked(metric_name=" "), "not only", tracked(metric_name="m" * 255)),
]  # fmt: skip
POLICY = "Policy.TargetTrackingScalingPolicyConfiguration"
PREDEFINED = f"{POLICY}.PredefinedMetricSpecification"
NOTIFY = {"OutputConfig": {"S3OutputPath": "s3://b/o/"}}


STEP = {"MetricIntervalLowerBound": 0, "ScalingAdjustment": 1}


def stepwise(*each: dict[str, Any]) -> dict[str, Any]:
    return {
        POLICY: None,
        "Policy.StepScalingPolicyConfiguration": {
            "AdjustmentType": "ChangeInCapacity",
            "StepAdjustments": list(each),
        },
    }


def metric(name: str) -> dict[str, Any]:
    return {"PredefinedMetricType": name}


TEMPLATES: list[Case] = [
    ("scaling-adjustment",
     {POLICY: None, "Policy.StepScalingPolicyConfiguration": {"StepAdjustments": [STEP]}},
     "AdjustmentType is missing", stepwise(STEP)),
    ("scaling-namespace", {"Target.ServiceNamespace": "ecs"}, "both must name the same service",
     {"Target.ServiceNamespace": "sagemaker"}),
    ("scaling-metric", {PREDEFINED: metric("SageMakerInferenceComponentInvocationsPerCopy")},
     "which a real-time variant does not have",
     {PREDEFINED: metric("SageMakerVariantInvocationsPerInstance")}),
    ("scaling-resource",
     {"Target.ResourceId": {"Fn::Sub": "endpoint/${Endpoint.EndpointName}/variant/green"}},
     "ResourceId names the variant 'green'; the endpoint's variants are blue; name one of them",
     {"Target.ResourceId": {"Fn::Sub": "endpoint/${Endpoint.EndpointName}/variant/blue"}}),
    ("scaling-resource",
     {"Target.ScalableDimension": "sagemaker:inference-component:DesiredCopyCount",
      "Target.ResourceId": "endpoint/half"},
     "ResourceId is 'endpoint/half'; a component's is inference-component/<component>",
     {"Target.ScalableDimension": "sagemaker:inference-component:DesiredCopyCount",
      "Target.ResourceId": "inference-component/half"}),
    ("scaling-dimension", ON_SERVERLESS,
     "is sagemaker:variant:DesiredInstanceCount, and the variant is serverless; use",
     {**ON_SERVERLESS,
      "Target.ScalableDimension": "sagemaker:variant:DesiredProvisionedConcurrency"}),
    ("scaling-metric-published",
     {"Config.AsyncInferenceConfig": NOTIFY,
      PREDEFINED: metric("SageMakerVariantInvocationsPerInstance")},
     "which asynchronous endpoints do not publish",
     {PREDEFINED: metric("SageMakerVariantInvocationsPerInstance")}),
    ("scaling-utilization",
     {"Target.ScalableDimension": "sagemaker:variant:DesiredProvisionedConcurrency",
      PREDEFINED: metric("SageMakerVariantProvisionedConcurrencyUtilization")},
     "TargetValue is 70; it must be over 0 and up to 1; use 0.7",
     {"Target.ScalableDimension": "sagemaker:variant:DesiredProvisionedConcurrency",
      PREDEFINED: metric("SageMakerVariantProvisionedConcurrencyUtilization"),
      f"{POLICY}.TargetValue": 0.7}),
    ("scaling-steps",
     stepwise({"MetricIntervalLowerBound": 0, "ScalingAdjustment": 1},
      {"MetricIntervalLowerBound": 5, "ScalingAdjustment": 2}), "the step overlaps another one",
     stepwise({"MetricIntervalUpperBound": 0, "ScalingAdjustment": -1},
      {"MetricIntervalLowerBound": 0, "ScalingAdjustment": 1})),
    ("scaling-schedule",
     {"Target.ScheduledActions": [{"Schedule": "0 8 * * *",
      "ScalableTargetAction": {"MinCapacity": 1}}]}, "Schedule is '0 8 * * *'; it must be cron(",
     {"Target.ScheduledActions": [{"Schedule": "cron(0 8 * * ? *)",
      "ScalableTargetAction": {"MinCapacity": "1"}}]}),
]  # fmt: skip
