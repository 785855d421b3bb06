"""What a DeploymentConfig asks for, read."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.judged import CONFIG, refuse
from sagemaker_serving.local_sagemaker.common.store import Region
from sagemaker_serving.local_sagemaker.fleets.deployment import (
    DEFAULT_TIMEOUT_SECONDS,
    Deployment,
)
from tests.local_aws.aws import Aws


def percent(value: int) -> dict[str, Any]:
    return {"Type": "CAPACITY_PERCENT", "Value": value}


def count(value: int) -> dict[str, Any]:
    return {"Type": "INSTANCE_COUNT", "Value": value}


def blue_green(kind: str, wait: int = 60, **more: Any) -> dict[str, Any]:
    routing = {"Type": kind, "WaitIntervalInSeconds": wait, **more}
    return {"BlueGreenUpdatePolicy": {"TrafficRoutingConfiguration": routing}}


def rolling(size: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"RollingUpdatePolicy": {"MaximumBatchSize": size, "WaitIntervalInSeconds": 60, **more}}


def shares(config: dict[str, Any] | None, instances: int = 4) -> list[tuple[float, float]]:
    steps = Deployment.of(config, instances).steps
    return [(round(step.share, 3), step.bake_seconds) for step in steps]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (None, [(1.0, 0)]),
        (blue_green("ALL_AT_ONCE", 30), [(1.0, 30)]),
        (blue_green("CANARY", CanarySize=percent(10)), [(0.1, 60), (1.0, 60)]),
        (blue_green("CANARY", CanarySize=count(1)), [(0.25, 60), (1.0, 60)]),
        (
            blue_green("LINEAR", LinearStepSize=percent(33)),
            [(0.33, 60), (0.66, 60), (0.99, 60), (1.0, 60)],
        ),
        (blue_green("LINEAR", LinearStepSize=percent(50)), [(0.5, 60), (1.0, 60)]),
        (blue_green("LINEAR", LinearStepSize=count(2)), [(0.5, 60), (1.0, 60)]),
        (rolling(count(1)), [(0.25, 60), (0.5, 60), (0.75, 60), (1.0, 60)]),
    ],
)
def test_steps_are_what_the_policy_says(
    config: dict[str, Any] | None, expected: list[tuple[float, float]]
) -> None:
    assert shares(config) == expected


def test_what_else_it_says_is_kept() -> None:
    config = blue_green("CANARY", CanarySize=percent(10))
    assert Deployment.of(config, 1).timeout_seconds == DEFAULT_TIMEOUT_SECONDS
    config["BlueGreenUpdatePolicy"] |= {
        "TerminationWaitInSeconds": 120,
        "MaximumExecutionTimeoutInSeconds": 900,
    }
    config["AutoRollbackConfiguration"] = {"Alarms": [{"AlarmName": "a"}, {"AlarmName": "b"}]}
    deployment = Deployment.of(config, 1)
    assert (deployment.termination_seconds, deployment.timeout_seconds) == (120, 900)
    assert deployment.alarms == ["a", "b"]
    assert deployment.way_back == (0.0,)


def test_a_rolling_update_goes_back_in_the_steps_that_it_says() -> None:
    config = rolling(percent(50), RollbackMaximumBatchSize=percent(50))
    assert Deployment.of(config, 2).way_back == [0.5, 0.0]


@given(st.integers(min_value=10, max_value=50), st.integers(min_value=1, max_value=40))
def test_traffic_only_grows_and_ends_with_all_of_it(value: int, instances: int) -> None:
    found = [share for share, _ in shares(blue_green("LINEAR", LinearStepSize=percent(value)))]
    assert found == sorted(set(found))
    assert found[-1] == 1.0
    assert len(found) <= 10
    back = rolling(percent(value), RollbackMaximumBatchSize=percent(value))
    assert Deployment.of(back, instances).way_back[-1] == 0.0


def guarded(config: dict[str, Any] | None, instances: int) -> None:
    variant = {"VariantName": "v", "ModelName": "m", "InstanceType": "ml.m5.large"}
    endpoint_config = {
        "EndpointConfigName": "c",
        "ProductionVariants": [{**variant, "InitialInstanceCount": instances}],
    }
    wanted = {"EndpointName": "e", "EndpointConfigName": "c", "DeploymentConfig": config}
    refuse(Region("eu-west-1", "123456789012"), "UpdateEndpoint", wanted, (CONFIG, endpoint_config))


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (blue_green("CANARY"), "CanarySize is missing; CANARY needs it"),
        (blue_green("LINEAR"), "LinearStepSize is missing; LINEAR needs it"),
        (blue_green("CANARY", CanarySize=percent(51)), "51 percent; it must be 1 to 50"),
        (blue_green("LINEAR", LinearStepSize=percent(9)), "9 percent; it must be 10"),
        (rolling(percent(4)), "MaximumBatchSize is 4 percent; it must be 5 to 50"),
        (blue_green("CANARY", CanarySize=count(3)), "3 instances, and a variant starts with 4"),
        ({**blue_green("ALL_AT_ONCE"), **rolling(percent(10))}, "stands beside BlueGreenUpdate"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(config: dict[str, Any], said: str) -> None:
    with pytest.raises(AwsError, match=said):
        guarded(config, 4)


@pytest.mark.parametrize(
    "config",
    [
        None,
        {},
        blue_green("ALL_AT_ONCE"),
        blue_green("CANARY", CanarySize=count(2)),
        blue_green("CANARY", CanarySize=percent(50)),
        rolling(percent(5)),
    ],
)
def test_what_can_be_is_taken(config: dict[str, Any] | None) -> None:
    guarded(config, 4)


def test_one_instance_may_be_the_canary_of_one() -> None:
    guarded(blue_green("CANARY", CanarySize=count(1)), 1)


def test_update_keeps_what_it_is_told_to_keep(aws: Aws) -> None:
    aws.config("retain-1", {"v": aws.model("retain")}, v=5)
    aws.config("retain-2", {"v": "retain", "w": "retain"}, v=7)
    aws.endpoint("retained", "retain-1")
    aws.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName="retained",
        DesiredWeightsAndCapacities=[
            {"VariantName": "v", "DesiredWeight": 3, "DesiredInstanceCount": 4}
        ],
    )

    def update(config: str, **more: Any) -> list[tuple[float, int]]:
        aws.sagemaker.update_endpoint(
            EndpointName="retained",
            EndpointConfigName=config,
            RetainAllVariantProperties=True,
            **more,
        )
        return [
            (variant["CurrentWeight"], variant["CurrentInstanceCount"])
            for variant in aws.settled("retained")["ProductionVariants"]
        ]

    assert update("retain-2") == [(3, 4), (1, 1)]
    excluded = [{"VariantPropertyType": "DesiredWeight"}]
    assert update("retain-1", ExcludeRetainedVariantProperties=excluded) == [(5, 4)]
    aws.delete("retained")


def test_a_deployment_all_at_once_is_taken_and_told(aws: Aws) -> None:
    def policy(type_: str) -> dict[str, Any]:
        routing = {"Type": type_, "WaitIntervalInSeconds": 0}
        return {"BlueGreenUpdatePolicy": {"TrafficRoutingConfiguration": routing}}

    aws.config("guarded", {"v": aws.model("guarded")})
    aws.sagemaker.create_endpoint(
        EndpointName="guarded",
        EndpointConfigName="guarded",
        DeploymentConfig=policy("ALL_AT_ONCE"),
    )
    assert aws.settled("guarded")["LastDeploymentConfig"] == policy("ALL_AT_ONCE")
    for retain, expected in ((True, policy("ALL_AT_ONCE")), (False, None)):
        aws.sagemaker.update_endpoint(
            EndpointName="guarded", EndpointConfigName="guarded", RetainDeploymentConfig=retain
        )
        assert aws.settled("guarded").get("LastDeploymentConfig") == expected
    with pytest.raises(ClientError, match="CanarySize is missing; CANARY needs it"):
        aws.sagemaker.update_endpoint(
            EndpointName="guarded", EndpointConfigName="guarded", DeploymentConfig=policy("CANARY")
        )
    assert aws.settled("guarded")["EndpointStatus"] == "InService"
    aws.delete("guarded")
