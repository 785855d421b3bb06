"""The model registry: groups, versions, and models made of them."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import IMAGE, Aws

PREFIX = "arn:aws:sagemaker:eu-west-1:123456789012"
ROLE = "arn:aws:iam::123456789012:role/model"
URL = "s3://models/model.tar.gz"


def package(aws: Aws, *versions: str, **more: Any) -> str:
    containers = [
        {"Image": IMAGE, "ModelDataUrl": URL, "Environment": {"VERSION": version}}
        for version in versions
    ]
    arn: str = aws.sagemaker.create_model_package(
        InferenceSpecification={"Containers": containers}, **more
    )["ModelPackageArn"]
    return arn


@pytest.fixture(scope="module")
def group(aws: Aws) -> str:
    aws.sagemaker.create_model_package_group(ModelPackageGroupName="digits")
    return "digits"


def test_versions_of_a_group_count_from_one(aws: Aws, group: str) -> None:
    first = package(aws, "1", ModelPackageGroupName=group)
    second = package(aws, "2", ModelPackageGroupName=group, ModelApprovalStatus="Approved")
    assert (first, second) == (
        f"{PREFIX}:model-package/digits/1",
        f"{PREFIX}:model-package/digits/2",
    )
    described = aws.sagemaker.describe_model_package(ModelPackageName=first)
    assert (described["ModelPackageGroupName"], described["ModelPackageVersion"]) == ("digits", 1)
    assert described["ModelPackageStatus"] == "Completed"
    assert described["ModelApprovalStatus"] == "PendingManualApproval"
    aws.sagemaker.update_model_package(ModelPackageArn=first, ModelApprovalStatus="Approved")
    listed = aws.sagemaker.list_model_packages(
        ModelPackageGroupName=group, ModelApprovalStatus="Approved"
    )["ModelPackageSummaryList"]
    assert [found["ModelPackageVersion"] for found in listed] == [1, 2]
    with pytest.raises(ClientError, match="it still contains Model Packages"):
        aws.sagemaker.delete_model_package_group(ModelPackageGroupName=group)


def test_a_model_of_a_package_serves_what_is_in_it(aws: Aws, group: str) -> None:
    arn = package(aws, "packed", ModelPackageGroupName=group)
    aws.sagemaker.create_model(
        ModelName="packed", ExecutionRoleArn=ROLE, PrimaryContainer={"ModelPackageName": arn}
    )
    container = aws.sagemaker.describe_model(ModelName="packed")["PrimaryContainer"]
    assert (container["ModelPackageName"], container["Image"]) == (arn, IMAGE)
    aws.config("packed", {"v": "packed"})
    aws.endpoint("packed", "packed")
    aws.sagemaker.delete_model_package(ModelPackageName=arn)
    assert aws.ask("packed", b"which") == b"packed"
    aws.delete("packed")


def test_variables_of_the_model_win_and_a_packages_pipeline_is_one(aws: Aws) -> None:
    package(aws, "one", "two", ModelPackageName="unversioned")
    aws.sagemaker.create_model(
        ModelName="two",
        ExecutionRoleArn=ROLE,
        PrimaryContainer={"ModelPackageName": "unversioned", "Environment": {"VERSION": "own"}},
    )
    containers = aws.sagemaker.describe_model(ModelName="two")["Containers"]
    assert [container["Environment"]["VERSION"] for container in containers] == ["own", "own"]


def test_a_package_or_group_that_is_not_there_is_said(aws: Aws, group: str) -> None:
    absent = f"{PREFIX}:model-package/digits/99"
    with pytest.raises(ClientError, match=f"Model Package {absent} does not exist"):
        aws.sagemaker.create_model(
            ModelName="x", ExecutionRoleArn=ROLE, PrimaryContainer={"ModelPackageName": absent}
        )
    with pytest.raises(ClientError, match="model-package-group/nobody does not exist"):
        package(aws, "1", ModelPackageGroupName="nobody")
    with pytest.raises(ClientError, match="One of ModelPackageGroupName and ModelPackageName"):
        package(aws, "1")


def test_a_container_is_of_a_package_or_its_own(aws: Aws) -> None:
    package(aws, "1", ModelPackageName="both")
    with pytest.raises(ClientError, match="Both ModelPackageName and Image are set"):
        aws.sagemaker.create_model(
            ModelName="both",
            ExecutionRoleArn=ROLE,
            PrimaryContainer={"ModelPackageName": "both", "Image": IMAGE},
        )
