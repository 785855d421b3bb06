"""Deploys that go wrong, by the real CDK CLI: what is named, what is left, what still serves.

The model servers are stand-ins; everything between the CLI and them is not.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.deploy.assemblies import Cdk
from tests.local_aws.aws import Aws, eventually
from tests.local_aws.services.cloudformation.templates import (
    broken,
    parameter,
    resource,
    template,
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def cdk(aws: Aws, tmp_path_factory: pytest.TempPathFactory) -> Cdk:
    return Cdk(aws.gateway, tmp_path_factory.mktemp("cdk"))


@pytest.fixture(scope="module")
def bootstrapped(cdk: Cdk) -> None:
    """``cdk rollback`` asks for the bootstrap stack's version."""
    ended = cdk.bootstrap()
    assert ended.status == 0, ended.printed


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
