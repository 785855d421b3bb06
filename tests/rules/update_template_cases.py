"""Templates with one thing wrong in how an endpoint is updated or scaled."""

from __future__ import annotations

from typing import Any

from tests.rules.template_cases import (
    ON_SERVERLESS,
    ROUTING,
    V0,
    Case,
    Change,
    canary,
    linear,
    percent,
    rolling,
    variant,
)

BLUE_GREEN = "Endpoint.DeploymentConfig.BlueGreenUpdatePolicy"
ROLLING = "Endpoint.DeploymentConfig.RollingUpdatePolicy"
ALARMS = "Endpoint.DeploymentConfig.AutoRollbackConfiguration.Alarms"
ASYNC = {"OutputConfig": {"S3OutputPath": "s3://b/o/"}}


def instances(value: int) -> dict[str, Any]:
    return {"Type": "INSTANCE_COUNT", "Value": value}


def by_canary(size: int) -> Change:
    return {ROUTING: canary(CanarySize=instances(size))}


def by_rolling(size: int) -> Change:
    return {ROLLING: rolling(MaximumBatchSize=instances(size))}


UPDATES: list[Case] = [
    ("guardrail-one-policy", {ROUTING: canary(), ROLLING: rolling()},
     "RollingUpdatePolicy stands beside BlueGreenUpdatePolicy", {ROUTING: canary()}),
    ("guardrail-traffic", {ROUTING: {"Type": "CANARY", "WaitIntervalInSeconds": 60}},
     "CanarySize is missing; CANARY needs it", {ROUTING: canary()}),
    ("guardrail-traffic", {ROUTING: {"Type": "CANARY", "CanarySize": percent(10)}},
     "WaitIntervalInSeconds is missing; CANARY needs it", {ROUTING: {"Type": "ALL_AT_ONCE"}}),
    ("guardrail-traffic", {ROUTING: canary(Type="BLUE")},
     "Type is 'BLUE'; it must be ALL_AT_ONCE, CANARY, LINEAR", {ROUTING: linear()}),
    ("guardrail-step", {ROUTING: canary(CanarySize=percent(90))},
     "CanarySize is 90 percent; it must be 1 to 50; use 50",
     {ROUTING: canary(CanarySize=percent(50))}),
    ("guardrail-step", {ROUTING: linear(LinearStepSize=percent(5))},
     "LinearStepSize is 5 percent; it must be 10 to 50; use 10",
     {ROUTING: linear(LinearStepSize=percent(10))}),
    ("guardrail-step", {ROLLING: rolling(MaximumBatchSize=percent(51))},
     "MaximumBatchSize is 51 percent; it must be 5 to 50; use 50",
     {ROLLING: rolling(MaximumBatchSize={"Type": "INSTANCE_COUNT", "Value": 51})}),
    *(
        (
            "guardrail-instances",
            {f"{V0}.InitialInstanceCount": 3, **moved(2)},
            "is 2 instances, and a variant starts with 3; a step is at most half of them",
            {f"{V0}.InitialInstanceCount": count, **moved(size)},
        )
        for moved, count, size in ((by_canary, 3, 1), (by_canary, 1, 1), (by_rolling, 4, 2))
    ),
    ("guardrail-waits", {ROUTING: canary(WaitIntervalInSeconds=3601)},
     "WaitIntervalInSeconds is 3601; it must be 0 to 3600",
     {ROUTING: canary(WaitIntervalInSeconds="3600")}),
    ("guardrail-waits", {ROUTING: canary(), f"{BLUE_GREEN}.TerminationWaitInSeconds": 4000},
     "TerminationWaitInSeconds is 4000; it must be 0 to 3600",
     {ROUTING: canary(), f"{BLUE_GREEN}.TerminationWaitInSeconds": 0}),
    ("guardrail-waits", {ROUTING: canary(), f"{BLUE_GREEN}.MaximumExecutionTimeoutInSeconds": 599},
     "MaximumExecutionTimeoutInSeconds is 599; it must be 600 to 28800",
     {ROUTING: canary(), f"{BLUE_GREEN}.MaximumExecutionTimeoutInSeconds": 600}),
    ("guardrail-time",
     {ROLLING: rolling(WaitIntervalInSeconds=200, MaximumExecutionTimeoutInSeconds=900)},
     "is 900, but the update waits 1000 seconds in all",
     {ROLLING: rolling(WaitIntervalInSeconds=100, MaximumExecutionTimeoutInSeconds=900)}),
    ("guardrail-alarms", {ALARMS: [{"AlarmName": f"a{n}"} for n in range(11)]},
     "Alarms has 11 entries; it takes 1 to 10",
     {ALARMS: [{"AlarmName": f"a{n}"} for n in range(10)]}),
    ("guardrail-alarms", {ALARMS: []}, "Alarms has 0 entries; it takes 1 to 10; add one",
     {ALARMS: [{"Ref": "Alarm"}]}),
    ("guardrail-excluded", {ROUTING: canary(), f"{V0}.InstanceType": "ml.inf1.xlarge"},
     "on Inf1 SageMaker moves all traffic at once, whatever the policy says",
     {ROUTING: canary(), f"{V0}.InstanceType": "ml.inf2.xlarge"}),
    ("guardrail-excluded", {ROUTING: linear(), **ON_SERVERLESS},
     "the endpoint is serverless; there SageMaker moves all traffic at once", {ROUTING: linear()}),
    ("guardrail-excluded", {ROUTING: canary(), f"{V0}.AcceleratorType": "ml.eia2.medium"},
     "the endpoint has an Elastic Inference accelerator; with one SageMaker moves all traffic",
     {ROUTING: {"Type": "ALL_AT_ONCE"}, f"{V0}.AcceleratorType": "ml.eia2.medium"}),
    ("guardrail-rolling-excluded",
     {ROLLING: rolling(), "Config.ProductionVariants": [variant("a"), variant("b")]},
     "the endpoint has 2 variants; a rolling update is of one; use blue/green",
     {ROUTING: canary(), "Config.ProductionVariants": [variant("a"), variant("b")]}),
    ("scaling-bounds", {"Target.MinCapacity": 4, "Target.MaxCapacity": 2},
     "MaxCapacity is 2 and MinCapacity is 4; the maximum can't be below the minimum",
     {"Target.MinCapacity": 2, "Target.MaxCapacity": 2}),
    ("scaling-zero", {"Target.MinCapacity": 0},
     "MinCapacity is 0; a real-time variant keeps at least 1 instance",
     {"Target.MinCapacity": 0, "Config.AsyncInferenceConfig": ASYNC}),
    ("scaling-burstable", {f"{V0}.InstanceType": "ml.t2.medium"},
     "the variant runs on ml.t2.medium; burstable types can't be scaled",
     {f"{V0}.InstanceType": "ml.m5.large"}),
    ("scaling-cooldown", {"Policy.TargetTrackingScalingPolicyConfiguration.ScaleInCooldown": -1},
     "ScaleInCooldown is -1; it must be at least 0",
     {"Policy.TargetTrackingScalingPolicyConfiguration.ScaleInCooldown": 0}),
    ("scaling-target", {"Policy.TargetTrackingScalingPolicyConfiguration.TargetValue": 0},
     "TargetValue is 0; it must be over 0",
     {"Policy.TargetTrackingScalingPolicyConfiguration.TargetValue": "0.5"}),
    ("scaling-resource", {"Target.ResourceId": "my-endpoint/blue"},
     "ResourceId is 'my-endpoint/blue'; a variant's is endpoint/<endpoint>/variant/<variant>",
     {"Target.ResourceId": "endpoint/my-endpoint/variant/blue"}),
]  # fmt: skip
