"""Quotas of an account: what is within them runs, what is beyond is refused as AWS refuses it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.errors import Mistake
from sagemaker_serving.local_sagemaker.common.settings import QUOTAS, Settings
from tests.local_aws.aws import Aws, eventually
from tests.local_sagemaker.transforming import ended, job, put

ENDPOINTS = "ml.m5.large for endpoint usage"
LISTED = {ENDPOINTS: 3.0, "ml.m5.large for transform job usage": 1.0, "Number of endpoints": 100.0}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """From a file as the AWS CLI writes it."""
    file = tmp_path_factory.mktemp("quotas") / "quotas.json"
    quotas = [{"QuotaName": name, "Value": value, "Unit": "None"} for name, value in LISTED.items()]
    file.write_text(json.dumps({"Quotas": quotas}))
    return Settings.from_environment({QUOTAS: str(file)})


@pytest.fixture(scope="module", autouse=True)
def serving(aws: Aws) -> None:
    """One endpoint with one instance, and a config that would take three."""
    aws.model("echo")
    aws.config("one", {"blue": "echo"})
    aws.config("other", {"blue": "echo"})
    config(aws, "three", 3)
    assert aws.endpoint("serving", "one")["EndpointStatus"] == "InService"


def config(aws: Aws, name: str, count: int, **more: Any) -> None:
    variant = {"VariantName": "blue", "ModelName": "echo", "InitialInstanceCount": count}
    aws.sagemaker.create_endpoint_config(
        EndpointConfigName=name,
        ProductionVariants=[{**variant, "InstanceType": "ml.m5.large"}],
        **more,
    )


def refused(caught: pytest.ExceptionInfo[ClientError]) -> str:
    error = caught.value.response["Error"]
    assert error["Code"] == "ResourceLimitExceeded"
    return str(error["Message"])


def test_both_lists_have_what_the_file_has(aws: Aws) -> None:
    client = aws.client("service-quotas")
    for listed in ("list_service_quotas", "list_aws_default_service_quotas"):
        quotas = getattr(client, listed)(ServiceCode="sagemaker")["Quotas"]
        assert {each["QuotaName"]: each["Value"] for each in quotas} == LISTED


def test_an_endpoint_beyond_is_refused_and_is_not_there(aws: Aws) -> None:
    with pytest.raises(ClientError) as caught:
        aws.sagemaker.create_endpoint(EndpointName="beyond", EndpointConfigName="three")
    assert refused(caught).startswith(
        f"The account-level service limit '{ENDPOINTS}' is 3 Instances, with current utilization "
        "of 1 Instances and a request delta of 3 Instances. Please use AWS Service Quotas"
    )
    names = [each["EndpointName"] for each in aws.sagemaker.list_endpoints()["Endpoints"]]
    assert "beyond" not in names


def test_an_update_takes_its_new_fleet_beside_the_old_one_and_a_rolling_one_a_batch(
    aws: Aws,
) -> None:
    update = {"EndpointName": "serving", "EndpointConfigName": "three"}
    with pytest.raises(ClientError) as caught:
        aws.sagemaker.update_endpoint(**update)
    assert "request delta of 3 Instances" in refused(caught)
    batch = {"Type": "INSTANCE_COUNT", "Value": 1}
    rolling = {"MaximumBatchSize": batch, "WaitIntervalInSeconds": 0}
    rolling |= {"MaximumExecutionTimeoutInSeconds": 600}
    aws.sagemaker.update_endpoint(**update, DeploymentConfig={"RollingUpdatePolicy": rolling})
    assert aws.settled("serving")["EndpointConfigName"] == "three"
    with pytest.raises(ClientError) as caught:
        aws.sagemaker.update_endpoint(EndpointName="serving", EndpointConfigName="other")
    assert "current utilization of 3 Instances and a request delta of 1" in refused(caught)


def test_more_instances_of_a_variant_are_refused_and_fewer_are_not(aws: Aws) -> None:
    for count in (2, 3):
        scale(aws, count)
    with pytest.raises(ClientError) as caught:
        scale(aws, 4)
    assert "current utilization of 3 Instances and a request delta of 1" in refused(caught)
    scale(aws, 1)


def scale(aws: Aws, count: int) -> None:
    aws.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName="serving",
        DesiredWeightsAndCapacities=[{"VariantName": "blue", "DesiredInstanceCount": count}],
    )


def test_a_second_transform_job_at_once_is_refused_and_after_the_first_is_not(aws: Aws) -> None:
    aws.model("slow", {"SLEEP": "60"})
    put(aws, {"in/a.csv": b"1,2\n"})
    first = job(aws, "in/", ModelName="slow")
    with pytest.raises(ClientError) as caught:
        job(aws, "in/", ModelName="echo")
    assert "'ml.m5.large for transform job usage' is 1 Instances" in refused(caught)
    aws.sagemaker.stop_transform_job(TransformJobName=first)
    eventually(lambda: ended(aws, first))
    assert ended(aws, job(aws, "in/", ModelName="echo"))["TransformJobStatus"] == "Completed"


@pytest.mark.parametrize(
    ("written", "why"),
    {
        "": "line 1, column 1 is not JSON",
        "[]": "its members are of other types",
        "{}": "it has no 'Quotas'",
        '{"quotas": [1]}': "its members are of other types",
        '{"Quotas": [{"QuotaName": "x"}]}': "it has no 'Value'",
        '{"quotas": {"x": "2"}}': "x is '2', which is no number",
    }.items(),
)
def test_another_file_is_named_with_how_to_write_one(
    tmp_path: Path, written: str, why: str
) -> None:
    file = tmp_path / "quotas.json"
    file.write_text(written)
    with pytest.raises(Mistake, match=rf"these are no quotas \({why}\); .*--account-file FILE"):
        Settings.from_environment({QUOTAS: str(file)})
