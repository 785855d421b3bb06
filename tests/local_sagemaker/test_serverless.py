"""Serverless variants: cold at first, gone when idle, no more at once than they may."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import Aws, children, eventually
from tests.local_sagemaker.numbers import figures


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(time_scale=50)  # idle after 6 s


def serverless(aws: Aws, name: str, environment: dict[str, str], **config: int) -> Any:
    variant = {
        "VariantName": "v",
        "ModelName": aws.model(name, environment),
        "ServerlessConfig": {"MemorySizeInMB": 2048, "MaxConcurrency": 1, **config},
    }
    aws.sagemaker.create_endpoint_config(EndpointConfigName=name, ProductionVariants=[variant])
    return aws.endpoint(name, name)


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left(aws: Aws) -> Iterator[None]:
    before = children()
    yield
    eventually(lambda: children() <= before)


def test_there_is_a_process_only_while_there_are_requests(aws: Aws) -> None:
    before = children()
    described = serverless(aws, "cold", {})
    (variant,) = described["ProductionVariants"]
    assert variant["CurrentServerlessConfig"] == {"MemorySizeInMB": 2048, "MaxConcurrency": 1}
    assert "CurrentInstanceCount" not in variant
    eventually(lambda: children() <= before)
    assert aws.ask("cold", b"ab") == b"ba"
    assert len(children() - before) == 1
    eventually(lambda: children() <= before)
    assert aws.ask("cold", b"ab") == b"ba"
    setup = figures(aws, "ModelSetupTime", "cold")
    assert (setup["SampleCount"], setup["Unit"]) == (2, "Microseconds")
    overhead = figures(aws, "OverheadLatency", "cold")
    assert overhead["Maximum"] >= setup["Minimum"]
    # Of two requests, as a busy machine may hold one of them up for as long as a start takes.
    assert figures(aws, "ModelLatency", "cold")["Minimum"] < setup["Minimum"]
    assert figures(aws, "Invocations", "cold")["Sum"] == 2
    assert figures(aws, "ServerlessConcurrentExecutionsUtilization", "cold")["Maximum"] == 1
    assert figures(aws, "InvocationsPerInstance", "cold") is None
    aws.delete("cold")


def test_a_broken_model_fails_when_it_is_deployed(aws: Aws) -> None:
    described = serverless(aws, "broken", {"EXIT_AT_START": "1"})
    assert described["EndpointStatus"] == "Failed"
    assert "the model is broken" in described["FailureReason"]
    aws.delete("broken")


def test_more_at_once_than_it_may_is_throttled(aws: Aws) -> None:
    serverless(aws, "busy", {"SLEEP": "30"}, ProvisionedConcurrency=1)

    def wait_for_an_answer() -> None:
        with suppress(ClientError):  # the endpoint is deleted under it
            aws.ask("busy", b"x")

    patient = threading.Thread(target=wait_for_an_answer)
    patient.start()
    eventually(lambda: in_flight(aws, "busy") == 1)
    with pytest.raises(ClientError) as throttled:
        aws.ask("busy", b"y")
    assert throttled.value.response["Error"]["Code"] == "ThrottlingException"
    assert throttled.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert figures(aws, "Invocations", "busy") is None, "no model has seen it"
    aws.delete("busy")
    patient.join()


def in_flight(aws: Aws, endpoint: str) -> int:
    (found,) = (each for each in aws.status()["endpoints"] if each["name"] == endpoint)
    return int(found["variants"][0]["in_flight"])


def test_provisioned_concurrency_stays_warm(aws: Aws) -> None:
    before = children()
    serverless(aws, "warm", {}, MaxConcurrency=2, ProvisionedConcurrency=1)
    (process,) = children() - before
    aws.ask("warm", b"x")
    assert children() - before == {process}
    assert figures(aws, "ModelSetupTime", "warm") is None
    prefix = "ServerlessProvisionedConcurrency"
    assert figures(aws, f"{prefix}Utilization", "warm")["Maximum"] == 1
    assert figures(aws, f"{prefix}Invocations", "warm")["Sum"] == 1
    assert figures(aws, f"{prefix}SpilloverInvocations", "warm")["Sum"] == 0
    aws.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName="warm",
        DesiredWeightsAndCapacities=[
            {"VariantName": "v", "ServerlessUpdateConfig": {"MaxConcurrency": 5}}
        ],
    )
    (variant,) = aws.settled("warm")["ProductionVariants"]
    assert variant["CurrentServerlessConfig"]["MaxConcurrency"] == 5
    aws.delete("warm")


def test_a_body_above_its_own_limit_is_refused(aws: Aws) -> None:
    serverless(aws, "large", {})
    with pytest.raises(ClientError, match=r"Request [0-9a-f-]{36} has oversize body\."):
        aws.ask("large", b"x" * (4 * 1024 * 1024 + 1))
    aws.delete("large")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"InstanceType": "ml.m5.large"}, "InstanceType is given on a serverless variant"),
        ({"ServerlessConfig": {"MemorySizeInMB": 1500, "MaxConcurrency": 1}},
         "is 1500; serverless endpoints"),
        ({"ServerlessConfig": {"MemorySizeInMB": 1024, "MaxConcurrency": 1,
          "ProvisionedConcurrency": 2}}, "ProvisionedConcurrency is 2 and MaxConcurrency is 1"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(aws: Aws, changes: dict[str, Any], said: str) -> None:
    if "s" not in [found["ModelName"] for found in aws.sagemaker.list_models()["Models"]]:
        aws.model("s")
    variant = {
        "VariantName": "v",
        "ModelName": "s",
        "ServerlessConfig": {"MemorySizeInMB": 1024, "MaxConcurrency": 1},
        **changes,
    }
    with pytest.raises(ClientError, match=said):
        aws.sagemaker.create_endpoint_config(EndpointConfigName="no", ProductionVariants=[variant])
