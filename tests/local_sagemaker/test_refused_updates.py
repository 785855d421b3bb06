"""What UpdateEndpoint refuses of scaled variants, and of guarded updates, as AWS does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import REGION, Aws

CANARY = {
    "BlueGreenUpdatePolicy": {
        "TrafficRoutingConfiguration": {
            "Type": "CANARY",
            "CanarySize": {"Type": "CAPACITY_PERCENT", "Value": 50},
            "WaitIntervalInSeconds": 0,
        }
    }
}
ALL_AT_ONCE = {
    "BlueGreenUpdatePolicy": {
        "TrafficRoutingConfiguration": {"Type": "ALL_AT_ONCE", "WaitIntervalInSeconds": 0}
    }
}
INSTANCES = "sagemaker:variant:DesiredInstanceCount"
PROVISIONED = "sagemaker:variant:DesiredProvisionedConcurrency"


@pytest.fixture(scope="module", autouse=True)
def configs(aws: Aws) -> None:
    """Configs by what they have: "ab" has variants a and b, "larger" has b on another type."""
    for model in ("one", "two"):
        aws.model(model, {"VERSION": model})
    for name, variants in (
        ("ab", {"a": "one", "b": "one"}),
        ("ab-two", {"a": "two", "b": "two"}),
        ("a", {"a": "one"}),
        ("ac", {"a": "one", "c": "one"}),
    ):
        aws.config(name, variants)
    variants = aws.sagemaker.describe_endpoint_config(EndpointConfigName="ab")["ProductionVariants"]
    aws.sagemaker.create_endpoint_config(
        EndpointConfigName="larger",
        ProductionVariants=[variants[0], {**variants[1], "InstanceType": "ml.m5.xlarge"}],
    )
    for name, size in (("serverless", 1024), ("larger-serverless", 2048)):
        config = {"MemorySizeInMB": size, "MaxConcurrency": 2, "ProvisionedConcurrency": 1}
        aws.sagemaker.create_endpoint_config(
            EndpointConfigName=name,
            ProductionVariants=[
                {"VariantName": "s", "ModelName": "one", "ServerlessConfig": config}
            ],
        )


@pytest.fixture
def endpoint(aws: Aws) -> Iterator[str]:
    """An endpoint over "ab" whose variant b is a scalable target."""
    aws.endpoint("e", "ab")
    register(aws, "e", "b")
    yield "e"
    deregister(aws, "e", "b")
    aws.delete("e")


def target(endpoint: str, variant: str, dimension: str = INSTANCES) -> dict[str, str]:
    return {
        "ServiceNamespace": "sagemaker",
        "ResourceId": f"endpoint/{endpoint}/variant/{variant}",
        "ScalableDimension": dimension,
    }


def register(aws: Aws, endpoint: str, variant: str, dimension: str = INSTANCES) -> None:
    aws.client("application-autoscaling").register_scalable_target(
        **target(endpoint, variant, dimension), MinCapacity=1, MaxCapacity=2
    )


def deregister(aws: Aws, endpoint: str, variant: str, dimension: str = INSTANCES) -> None:
    scaling = aws.client("application-autoscaling")
    if scaling.describe_scalable_targets(
        ServiceNamespace="sagemaker", ResourceIds=[f"endpoint/{endpoint}/variant/{variant}"]
    )["ScalableTargets"]:
        scaling.deregister_scalable_target(**target(endpoint, variant, dimension))


def updated(aws: Aws, endpoint: str, config: str, **more: Any) -> str:
    """The config that the endpoint serves after an update."""
    aws.sagemaker.update_endpoint(EndpointName=endpoint, EndpointConfigName=config, **more)
    settled = aws.settled(endpoint)
    assert "FailureReason" not in settled
    return str(settled["EndpointConfigName"])


@pytest.mark.parametrize("config", ["larger", "a", "ac"], ids=["type", "removed", "renamed"])
def test_a_scalable_target_keeps_its_type_and_stays(aws: Aws, endpoint: str, config: str) -> None:
    with pytest.raises(ClientError) as refused:
        aws.sagemaker.update_endpoint(EndpointName=endpoint, EndpointConfigName=config)
    assert refused.value.response["Error"] == {
        "Code": "ValidationException",
        "Message": 'The variant(s) "[b]" must be deregistered as scalable target with AWS Auto '
        "Scaling before they can be removed or have their instance type updated.",
    }
    assert aws.settled(endpoint)["EndpointConfigName"] == "ab"

    deregister(aws, endpoint, "b")
    assert updated(aws, endpoint, config) == config


def test_a_scalable_target_takes_another_model(aws: Aws, endpoint: str) -> None:
    assert updated(aws, endpoint, "ab-two", DeploymentConfig=CANARY) == "ab-two"


def test_a_target_of_another_endpoint_stands_in_nobodys_way(aws: Aws, endpoint: str) -> None:
    aws.endpoint("e2", "ab")
    assert updated(aws, "e2", "a") == "a"
    aws.delete("e2")


def test_a_serverless_target_takes_another_size_and_does_not_go(aws: Aws) -> None:
    aws.endpoint("s", "serverless")
    register(aws, "s", "s", PROVISIONED)
    assert updated(aws, "s", "larger-serverless") == "larger-serverless"
    with pytest.raises(ClientError, match='"\\[s\\]" must be deregistered'):
        aws.sagemaker.update_endpoint(EndpointName="s", EndpointConfigName="a")
    deregister(aws, "s", "s", PROVISIONED)
    aws.delete("s")


def test_an_endpoint_leaves_serverless_for_good(aws: Aws) -> None:
    aws.endpoint("s", "serverless")
    assert updated(aws, "s", "a") == "a"
    with pytest.raises(ClientError, match="cannot be updated to the serverless configuration"):
        aws.sagemaker.update_endpoint(EndpointName="s", EndpointConfigName="serverless")
    assert aws.settled("s")["EndpointConfigName"] == "a"
    aws.delete("s")


@pytest.mark.parametrize("way", [CANARY, ALL_AT_ONCE], ids=["canary", "all-at-once"])
@pytest.mark.parametrize("config", ["a", "ac"], ids=["removed", "renamed"])
def test_a_guarded_update_needs_the_same_variants(
    aws: Aws, endpoint: str, config: str, way: Mapping[str, Any]
) -> None:
    deregister(aws, endpoint, "b")
    with pytest.raises(ClientError) as refused:
        aws.sagemaker.update_endpoint(
            EndpointName=endpoint, EndpointConfigName=config, DeploymentConfig=way
        )
    names = {"a": "a", "ac": "a, c"}[config]
    assert refused.value.response["Error"]["Message"] == (
        "A DeploymentConfig needs the same variants in the new EndpointConfig as in the old; the "
        f"endpoint has a, b, and {config} has {names}."
    )
    assert updated(aws, endpoint, config) == config


def test_a_deployment_config_that_is_retained_guards_too(aws: Aws, endpoint: str) -> None:
    updated(aws, endpoint, "ab-two", DeploymentConfig=CANARY)
    deregister(aws, endpoint, "b")
    with pytest.raises(ClientError, match="A DeploymentConfig needs the same variants"):
        aws.sagemaker.update_endpoint(
            EndpointName=endpoint, EndpointConfigName="a", RetainDeploymentConfig=True
        )


def test_who_may_not_deregister_a_target_does_not_delete_its_endpoint(
    aws: Aws, endpoint: str
) -> None:
    statement = {"Effect": "Allow", "Action": "sagemaker:*", "Resource": "*"}
    context = aws.gateway.context
    session = context.sessions.assume(aws.role("deleter", "lambda", statement), "lambda")
    sagemaker = context.client_as(session, "sagemaker", REGION)
    with pytest.raises(ClientError, match="Application AutoScaling scalable target exists for a"):
        sagemaker.delete_endpoint(EndpointName=endpoint)
    assert aws.settled(endpoint)["EndpointStatus"] == "InService"
