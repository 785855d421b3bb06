"""Trials on a copy of an endpoint: the copy has the settings, the endpoint is left alone."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from local_aws.gateway import Gateway
from sagemaker_serving.client import Aws
from sagemaker_serving.errors import NotFound
from sagemaker_serving.operations.bench import BenchInput
from sagemaker_serving.operations.tuning import Settings
from sagemaker_serving.operations.tuning.endpoint import EndpointTrials
from tests.local_aws.aws import client_of, eventually

ASKED = [BenchInput(name="one", body=b"abc", content_type="text/plain")]


@pytest.fixture
def aws(gateway: Gateway) -> Aws:
    return client_of(gateway)


def _names(aws: Aws) -> tuple[list[str], list[str], list[str]]:
    client = aws.client("sagemaker")
    return (
        [each["EndpointName"] for each in client.list_endpoints()["Endpoints"]],
        [each["EndpointConfigName"] for each in client.list_endpoint_configs()["EndpointConfigs"]],
        [each["ModelName"] for each in client.list_models()["Models"]],
    )


@pytest.mark.long
def test_each_trial_has_its_settings_and_nothing_is_left(aws: Aws) -> None:
    client = aws.client("sagemaker")
    with closing(EndpointTrials(aws, "echo", None)) as trials:
        for settings in (Settings(), Settings(max_batch_size=8)):
            result = trials.measure(settings, ASKED, callers=2, seconds=1)
            assert (result.failed, len(result.seconds) > 0) == (0, True)
            assert _variables(client, trials).get("SAGEMAKER_TFS_MAX_BATCH_SIZE") == (
                None if settings == Settings() else "8"
            )
        assert "echo" in _names(aws)[0]
    # An endpoint is listed while it is being deleted.
    eventually(lambda: trials.name not in _names(aws)[0])
    assert not any(name.startswith(trials.name) for names in _names(aws) for name in names)


@pytest.mark.long
def test_the_batching_that_the_endpoint_has_is_not_carried_over(aws: Aws) -> None:
    client = aws.client("sagemaker")
    echo = client.describe_model(ModelName="echo")
    own = {"SAGEMAKER_TFS_MAX_BATCH_SIZE": "4", "MY_OWN": "1"}
    client.create_model(
        ModelName="batched",
        ExecutionRoleArn=echo["ExecutionRoleArn"],
        PrimaryContainer={**echo["PrimaryContainer"], "Environment": own},
    )
    variant = {"VariantName": "blue", "ModelName": "batched", "InstanceType": "ml.m5.large"}
    client.create_endpoint_config(
        EndpointConfigName="batched", ProductionVariants=[{**variant, "InitialInstanceCount": 1}]
    )
    client.create_endpoint(EndpointName="batched", EndpointConfigName="batched")
    try:
        with closing(EndpointTrials(aws, "batched", None)) as trials:
            trials.measure(Settings(), ASKED, callers=1, seconds=1)
            assert _variables(client, trials) == {"MY_OWN": "1"}
    finally:
        client.delete_endpoint(EndpointName="batched")


def test_the_copy_has_the_host_that_the_variant_prefers(aws: Aws) -> None:
    client = aws.client("sagemaker")
    ami = "al2-ami-sagemaker-inference-gpu-3-1"
    pools = [
        {"InstanceType": "ml.g5.xlarge", "Priority": 2},
        {"InstanceType": "ml.g4dn.xlarge", "Priority": 1},
    ]
    variant = {"VariantName": "gpu", "ModelName": "echo", "InstancePools": pools}
    client.create_endpoint_config(
        EndpointConfigName="either",
        ProductionVariants=[{**variant, "InitialInstanceCount": 1, "InferenceAmiVersion": ami}],
    )
    client.create_endpoint(EndpointName="either", EndpointConfigName="either")
    try:
        with closing(EndpointTrials(aws, "either", None)) as trials:
            trials.measure(Settings(), ASKED, callers=1, seconds=1)
            copy = _variant(client, trials)
    finally:
        client.delete_endpoint(EndpointName="either")
    assert (copy["InstanceType"], copy["InferenceAmiVersion"]) == ("ml.g4dn.xlarge", ami)


def test_an_unknown_variant_is_named_with_those_there_are(aws: Aws) -> None:
    with pytest.raises(NotFound, match="echo has no variant 'green'; it has blue"):
        EndpointTrials(aws, "echo", "green")


def test_an_endpoint_that_is_not_there_is_named(aws: Aws) -> None:
    with pytest.raises(NotFound, match="there is no endpoint 'nobody'"):
        EndpointTrials(aws, "nobody", None)


def _variant(client: Any, trials: EndpointTrials) -> Any:
    described = client.describe_endpoint(EndpointName=trials.name)
    config = client.describe_endpoint_config(EndpointConfigName=described["EndpointConfigName"])
    return config["ProductionVariants"][0]


def _variables(client: Any, trials: EndpointTrials) -> dict[str, str]:
    model = client.describe_model(ModelName=_variant(client, trials)["ModelName"])
    found: dict[str, str] = model["PrimaryContainer"].get("Environment", {})
    return found
