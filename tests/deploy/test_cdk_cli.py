"""Deploys that go wrong, by the real CDK CLI: what is named, what is left, what still serves.

The model servers are stand-ins; everything between the CLI and them is not.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from tests.deploy.assemblies import Cdk
from tests.local_aws.aws import IMAGE, Aws, children, eventually
from tests.local_aws.load import Load
from tests.local_aws.services.cloudformation.templates import (
    broken,
    get_att,
    parameter,
    ref,
    resource,
    template,
)
from tools.roles import MODEL_POLICY, trust

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def cdk(aws: Aws, tmp_path_factory: pytest.TempPathFactory) -> Cdk:
    return Cdk(aws.gateway, tmp_path_factory.mktemp("cdk"))


@dataclass(frozen=True, kw_only=True)
class Served:
    """A stack that the CLI deployed by ``method``, and its endpoint, which answers "1"."""

    method: str
    stack: str
    endpoint: str


@pytest.fixture(
    scope="module",
    params=["--method=change-set", pytest.param("--method=direct", marks=pytest.mark.long)],
)
def served(request: pytest.FixtureRequest, aws: Aws, cdk: Cdk) -> Served:
    way = request.param.rpartition("=")[2]
    served = Served(method=request.param, stack=f"Served-{way}", endpoint=f"served-{way}")
    ended = cdk.deploy(served.stack, serving(served.endpoint, VERSION="1"), served.method)
    assert ended.status == 0, ended.printed
    return served


@pytest.fixture(scope="module")
def bootstrapped(cdk: Cdk) -> None:
    """``cdk rollback`` asks for the bootstrap stack's version."""
    ended = cdk.bootstrap()
    assert ended.status == 0, ended.printed


def serving(endpoint: str, **environment: str) -> dict[str, Any]:
    """A role, a model whose server has this environment, its config and its endpoint."""
    variant = {
        "VariantName": "v",
        "ModelName": get_att("Model", "ModelName"),
        "InstanceType": "ml.m5.large",
        "InitialInstanceCount": 1,
        "InitialVariantWeight": 1,
    }
    container = {
        "Image": IMAGE,
        "ModelDataUrl": "s3://models/model.tar.gz",
        "Environment": environment,
    }
    return template(
        {"Model": get_att("Model", "ModelName")},
        Role=resource(
            "IAM::Role",
            AssumeRolePolicyDocument=trust("sagemaker"),
            Policies=[{"PolicyName": "model", "PolicyDocument": MODEL_POLICY}],
        ),
        Model=resource(
            "SageMaker::Model",
            ExecutionRoleArn=get_att("Role", "Arn"),
            PrimaryContainer=container,
        ),
        Config=resource("SageMaker::EndpointConfig", ProductionVariants=[variant]),
        Endpoint=resource(
            "SageMaker::Endpoint",
            EndpointName=endpoint,
            EndpointConfigName=get_att("Config", "EndpointConfigName"),
        ),
    )


def test_a_create_that_fails_leaves_nothing(aws: Aws, cdk: Cdk) -> None:
    before, processes = existing(aws), children()
    body = serving("never", EXIT_AT_START="1")
    body["Resources"]["Bucket"] = resource("S3::Bucket", BucketName="never-bucket")

    ended = cdk.deploy("Never", body)

    assert ended.status == 1
    assert "stand-in: the model is broken" in ended.printed, "the server's own last words"
    assert stack(aws, "Never")["StackStatus"] == "ROLLBACK_COMPLETE"
    assert existing(aws) == before
    eventually(lambda: children() <= processes)


def test_an_update_that_fails_returns_to_what_serves_throughout(
    aws: Aws, cdk: Cdk, served: Served
) -> None:
    before = (existing(aws), physical_ids(aws, served.stack))

    with Load(aws, served.endpoint, per_second=5) as load:
        body = serving(served.endpoint, VERSION="2", EXIT_AT_START="1")
        ended = cdk.deploy(served.stack, body, served.method)

    assert ended.status == 1
    assert "stand-in: the model is broken" in ended.printed
    assert load.failures == []
    assert set(load.answers) == {b"1"}
    assert stack(aws, served.stack)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert (existing(aws), physical_ids(aws, served.stack)) == before


def test_a_replaced_models_name_reaches_its_dependents_and_the_old_one_goes_last(
    aws: Aws, cdk: Cdk, served: Served
) -> None:
    before = physical_ids(aws, served.stack)

    with Load(aws, served.endpoint, per_second=5) as load:
        body = serving(served.endpoint, VERSION="3")
        ended = cdk.deploy(served.stack, body, served.method)

    assert ended.status == 0, ended.printed
    assert load.failures == []
    after = physical_ids(aws, served.stack)
    assert after["Model"] != before["Model"]
    used = model_in_use(aws, served.endpoint)
    assert used.lower() == name_of(after["Model"])
    assert f"{served.stack}.Model = {used}" in ended.printed
    assert aws.ask(served.endpoint, b"which") == b"3"
    latest = {event: number for number, event in enumerate(events(aws, served.stack))}
    order = [
        latest[event]
        for event in (
            ("UPDATE_COMPLETE", after["Model"]),
            ("UPDATE_COMPLETE", after["Config"]),
            ("UPDATE_COMPLETE", after["Endpoint"]),
            ("DELETE_COMPLETE", before["Config"]),
            ("DELETE_COMPLETE", before["Model"]),
        )
    ]
    assert order == sorted(order)
    assert name_of(before["Model"]) not in map(str.lower, existing(aws))


@pytest.mark.usefixtures("bootstrapped")
def test_a_rollback_that_fails_is_continued_by_the_cli(aws: Aws, cdk: Cdk) -> None:
    old = stack_whose_rollback_failed(aws, "Continued")
    aws.client("ssm").put_parameter(Name="/Continued/source", Value="old", Type="String")

    ended = cdk.rollback("Continued", old)

    assert ended.status == 0, ended.printed
    assert stack(aws, "Continued")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert value_of(aws, "/Continued/copy") == "old"


@pytest.mark.usefixtures("bootstrapped")
def test_what_cannot_be_rolled_back_is_orphaned_by_the_cli(aws: Aws, cdk: Cdk) -> None:
    old = stack_whose_rollback_failed(aws, "Orphaned")

    ended = cdk.rollback("Orphaned", old, "--orphan=Copy")

    assert ended.status == 0, ended.printed
    assert stack(aws, "Orphaned")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert value_of(aws, "/Orphaned/copy") == "new"


def test_a_bucket_that_is_not_empty_stops_the_destroy_and_is_named(aws: Aws, cdk: Cdk) -> None:
    data = resource("S3::Bucket", BucketName="full-bucket")
    submit(aws, "create_stack", "Full", template(Data=data, A=parameter()))
    aws.s3.put_object(Bucket="full-bucket", Key="k", Body=b"v")

    ended = cdk.destroy("Full")

    assert ended.status == 1
    assert "Data" in ended.printed
    assert "not empty" in ended.printed
    assert stack(aws, "Full")["StackStatus"] == "DELETE_FAILED"
    assert aws.s3.get_object(Bucket="full-bucket", Key="k")["Body"].read() == b"v"
    aws.s3.delete_object(Bucket="full-bucket", Key="k")
    assert cdk.destroy("Full").status == 0
    assert "full-bucket" not in existing(aws)


def test_an_unknown_type_is_refused_by_its_logical_id_before_anything_is_made(
    aws: Aws, cdk: Cdk
) -> None:
    before = existing(aws)
    body = template(
        Bucket=resource("S3::Bucket", BucketName="refused-bucket"),
        Studio=resource("SageMaker::Studio", "Bucket", DomainName="d"),
        Copy=parameter(ref("Bucket")),
    )

    ended = cdk.deploy("Refused", body)

    assert ended.status == 1
    assert "Studio" in ended.printed
    assert "AWS::SageMaker::Studio" in ended.printed
    assert "refused-bucket" not in existing(aws)
    assert existing(aws) == before


def stack_whose_rollback_failed(aws: Aws, name: str) -> dict[str, Any]:
    """A parameter copies one that is taken away before the rollback; the template without fault."""
    ssm = aws.client("ssm")
    ssm.put_parameter(Name=f"/{name}/source", Value="old", Type="String")
    copy = parameter(f"{{{{resolve:ssm:/{name}/source}}}}", Name=f"/{name}/copy")
    submit(aws, "create_stack", name, template(Copy=copy))
    ssm.delete_parameter(Name=f"/{name}/source")
    changed = parameter("new", Name=f"/{name}/copy")
    submit(aws, "update_stack", name, template(Copy=changed, Broken=broken("Copy")))
    assert stack(aws, name)["StackStatus"] == "UPDATE_ROLLBACK_FAILED"
    return template(Copy=copy)


def submit(aws: Aws, operation: str, name: str, body: dict[str, Any]) -> None:
    """Create or update a stack without the CLI, and wait for its end."""
    getattr(aws.client("cloudformation"), operation)(
        StackName=name, TemplateBody=json.dumps(body), Capabilities=["CAPABILITY_NAMED_IAM"]
    )
    eventually(lambda: not stack(aws, name)["StackStatus"].endswith("_IN_PROGRESS"))


def value_of(aws: Aws, name: str) -> str:
    value: str = aws.client("ssm").get_parameter(Name=name)["Parameter"]["Value"]
    return value


def stack(aws: Aws, name: str) -> Any:
    return aws.client("cloudformation").describe_stacks(StackName=name)["Stacks"][0]


def physical_ids(aws: Aws, name: str) -> dict[str, str]:
    found = aws.client("cloudformation").describe_stack_resources(StackName=name)
    return {
        part["LogicalResourceId"]: part["PhysicalResourceId"] for part in found["StackResources"]
    }


def events(aws: Aws, name: str) -> list[tuple[str, str]]:
    """Status and physical id of every event of the stack, oldest first."""
    pages = aws.client("cloudformation").get_paginator("describe_stack_events")
    found = [event for page in pages.paginate(StackName=name) for event in page["StackEvents"]]
    return [(event["ResourceStatus"], event.get("PhysicalResourceId", "")) for event in found[::-1]]


def existing(aws: Aws) -> set[str]:
    """The names of everything that the templates here may make, whoever made it."""
    sagemaker = aws.sagemaker
    return {
        *(bucket["Name"] for bucket in aws.s3.list_buckets()["Buckets"]),
        *(role["RoleName"] for role in aws.client("iam").list_roles()["Roles"]),
        *(found["ModelName"] for found in sagemaker.list_models()["Models"]),
        *(
            found["EndpointConfigName"]
            for found in sagemaker.list_endpoint_configs()["EndpointConfigs"]
        ),
        *(found["EndpointName"] for found in sagemaker.list_endpoints()["Endpoints"]),
    }


def name_of(physical_id: str) -> str:
    """CloudFormation knows a model by its ARN, which is in lower case."""
    return physical_id.rpartition("/")[2]


def model_in_use(aws: Aws, endpoint: str) -> str:
    config = aws.sagemaker.describe_endpoint(EndpointName=endpoint)["EndpointConfigName"]
    described = aws.sagemaker.describe_endpoint_config(EndpointConfigName=config)
    name: str = described["ProductionVariants"][0]["ModelName"]
    return name
