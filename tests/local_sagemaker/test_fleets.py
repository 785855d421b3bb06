"""What an update takes over from the fleet that serves, and how it is rolled out."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import Aws


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
