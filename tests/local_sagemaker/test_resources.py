"""Models, endpoint configs and tags, as boto3 sees them."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.listing import DEFAULT_PAGE, Listing
from sagemaker_serving.local_sagemaker.common.store import Resource
from tests.local_aws.aws import IMAGE, Aws

PREFIX = "arn:aws:sagemaker:eu-west-1:123456789012"


def refusal(call: Any, **parameters: Any) -> tuple[str, str]:
    with pytest.raises(ClientError) as refused:
        call(**parameters)
    error = refused.value.response["Error"]
    return error["Code"], error["Message"]


def test_a_model_is_described_as_it_was_created(aws: Aws) -> None:
    aws.model("described", {"A": "1"})
    described = aws.sagemaker.describe_model(ModelName="described")
    assert described["ModelArn"] == f"{PREFIX}:model/described"
    assert described["PrimaryContainer"] == {
        "Image": IMAGE,
        "ModelDataUrl": "s3://models/model.tar.gz",
        "Environment": {"A": "1"},
    }
    assert described["CreationTime"].timestamp() > 1_700_000_000


def test_a_model_may_be_a_pipeline_of_containers(aws: Aws) -> None:
    container = {"Image": IMAGE, "ModelDataUrl": "s3://models/model.tar.gz"}
    aws.sagemaker.create_model(ModelName="one-of-containers", Containers=[container])
    aws.sagemaker.create_model(ModelName="pipeline", Containers=[container, container])
    described = aws.sagemaker.describe_model(ModelName="pipeline")
    assert described["Containers"] == [container, container]
    job = {
        "TransformJobName": "of-a-pipeline",
        "ModelName": "pipeline",
        "TransformInput": {
            "DataSource": {"S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": "s3://models/m"}}
        },
        "TransformOutput": {"S3OutputPath": "s3://models/out"},
        "TransformResources": {"InstanceType": "ml.m5.large", "InstanceCount": 1},
    }
    assert refusal(aws.sagemaker.create_transform_job, **job) == (
        "ValidationException",
        "the local AWS offers pipelines of containers to endpoints only",
    )


def test_a_model_without_its_archive_is_refused(aws: Aws) -> None:
    container = {"Image": IMAGE, "ModelDataUrl": "s3://models/none.tar.gz"}
    assert refusal(aws.sagemaker.create_model, ModelName="none", PrimaryContainer=container) == (
        "ValidationException",
        "Could not find model data at s3://models/none.tar.gz.",
    )


def test_names_are_taken_once(aws: Aws) -> None:
    aws.config("taken", {"v": aws.model("taken")})
    with pytest.raises(ClientError, match=f'existing model "{PREFIX}:model/taken".'):
        aws.model("taken")
    with pytest.raises(
        ClientError, match=f'existing endpoint configuration "{PREFIX}:endpoint-config/taken".'
    ):
        aws.config("taken", {"v": "taken"})


@pytest.mark.parametrize(
    ("operation", "parameter", "message"),
    [
        ("describe_model", "ModelName", f'Could not find model "{PREFIX}:model/absent".'),
        ("delete_model", "ModelName", f'Could not find model "{PREFIX}:model/absent".'),
        ("describe_endpoint_config", "EndpointConfigName",
         f'Could not find endpoint configuration "{PREFIX}:endpoint-config/absent".'),
        ("delete_endpoint_config", "EndpointConfigName",
         f'Could not find endpoint configuration "{PREFIX}:endpoint-config/absent".'),
        ("describe_endpoint", "EndpointName",
         f'Could not find endpoint "{PREFIX}:endpoint/absent".'),
        ("delete_endpoint", "EndpointName", f'Could not find endpoint "{PREFIX}:endpoint/absent".'),
    ],
)  # fmt: skip
def test_what_is_absent_is_said_as_aws_says_it(
    aws: Aws, operation: str, parameter: str, message: str
) -> None:
    call = getattr(aws.sagemaker, operation)
    assert refusal(call, **{parameter: "absent"}) == ("ValidationException", message)


def test_a_config_needs_its_models(aws: Aws) -> None:
    with pytest.raises(ClientError, match=f'Could not find model "{PREFIX}:model/absent".'):
        aws.config("of-absent", {"v": "absent"})


def test_weights_default_to_one_and_zero_is_kept(aws: Aws) -> None:
    aws.model("weighed")
    aws.config("weighed", {"a": "weighed", "b": "weighed"}, b=0)
    variants = aws.sagemaker.describe_endpoint_config(EndpointConfigName="weighed")
    assert [found["InitialVariantWeight"] for found in variants["ProductionVariants"]] == [1.0, 0.0]


def test_variant_names_are_taken_once(aws: Aws) -> None:
    aws.model("twice")
    variant = {
        "VariantName": "v",
        "ModelName": "twice",
        "InstanceType": "ml.m5.large",
        "InitialInstanceCount": 1,
    }
    code, message = refusal(
        aws.sagemaker.create_endpoint_config,
        EndpointConfigName="twice",
        ProductionVariants=[variant, variant],
    )
    assert code == "ValidationException"
    assert message == (
        "ProductionVariants[1].VariantName: a variant named 'v' stands above; rename one of them"
    )


def test_a_deleted_name_is_free_again(aws: Aws) -> None:
    aws.config("again", {"v": aws.model("again")})
    aws.sagemaker.delete_endpoint_config(EndpointConfigName="again")
    aws.sagemaker.delete_model(ModelName="again")
    aws.config("again", {"v": aws.model("again")})


def test_lists_are_paged_by_boto3(aws: Aws) -> None:
    for number in range(12):
        aws.model(f"paged-{number:02}")
    pages = aws.sagemaker.get_paginator("list_models").paginate(
        NameContains="paged", SortBy="Name", SortOrder="Ascending"
    )
    found = [model["ModelName"] for page in pages for model in page["Models"]]
    assert found == [f"paged-{number:02}" for number in range(12)]


def test_tags_are_added_changed_and_deleted(aws: Aws) -> None:
    arn = f"{PREFIX}:model/{aws.model('tagged')}"
    tags = aws.sagemaker
    tags.add_tags(ResourceArn=arn, Tags=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}])
    tags.add_tags(ResourceArn=arn, Tags=[{"Key": "a", "Value": "3"}])
    tags.delete_tags(ResourceArn=arn, TagKeys=["b", "never"])
    assert tags.list_tags(ResourceArn=arn)["Tags"] == [{"Key": "a", "Value": "3"}]


def test_a_resource_has_at_most_fifty_tags(aws: Aws) -> None:
    arn = f"{PREFIX}:model/{aws.model('well-tagged')}"
    fifty = [{"Key": str(number), "Value": ""} for number in range(50)]
    aws.sagemaker.add_tags(ResourceArn=arn, Tags=fifty)
    code, _ = refusal(
        aws.sagemaker.add_tags, ResourceArn=arn, Tags=[{"Key": "one more", "Value": ""}]
    )
    assert code == "ResourceLimitExceeded"


def test_tags_of_what_is_absent_are_refused(aws: Aws) -> None:
    with pytest.raises(ClientError, match="Could not find resource"):
        aws.sagemaker.list_tags(ResourceArn=f"{PREFIX}:model/absent")


LISTING = Listing("Endpoint")


def endpoint(number: int, status: str = "InService") -> Resource:
    return {
        "EndpointName": f"endpoint-{number:03}",
        "EndpointStatus": status,
        "CreationTime": 1000.0 + number,
        "LastModifiedTime": 2000.0 + number,
    }


def names(page: dict[str, Any]) -> list[str]:
    return [found["EndpointName"] for found in page["Endpoints"]]


def test_the_newest_come_first() -> None:
    page = LISTING.page([endpoint(1), endpoint(3), endpoint(2)], {})
    assert names(page) == ["endpoint-003", "endpoint-002", "endpoint-001"]
    assert "NextToken" not in page


@pytest.mark.parametrize("order", ["Ascending", "Descending"])
@pytest.mark.parametrize("sort_by", ["Name", "CreationTime", "Status"])
def test_pages_hold_everything_once(sort_by: str, order: str) -> None:
    everything = [endpoint(number) for number in range(25)]
    found: list[str] = []
    parameters: dict[str, Any] = {"SortBy": sort_by, "SortOrder": order}
    while True:
        page = LISTING.page(everything, parameters)
        assert len(page["Endpoints"]) <= DEFAULT_PAGE
        found += names(page)
        if "NextToken" not in page:
            break
        parameters["NextToken"] = page["NextToken"]
    assert found == sorted(found, reverse=order == "Descending")
    assert len(found) == 25


def test_a_page_is_as_long_as_it_was_asked_to_be() -> None:
    everything = [endpoint(number) for number in range(5)]
    assert len(LISTING.page(everything, {"MaxResults": 5})["Endpoints"]) == 5
    assert "NextToken" not in LISTING.page(everything, {"MaxResults": 5})
    assert "NextToken" in LISTING.page(everything, {"MaxResults": 4})


def test_a_token_outlives_what_it_pointed_at() -> None:
    everything = [endpoint(number) for number in range(4)]
    token = LISTING.page(everything, {"MaxResults": 2})["NextToken"]
    rest = LISTING.page([everything[0], everything[1], endpoint(9)], {"NextToken": token})
    assert names(rest) == ["endpoint-001", "endpoint-000"]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"NameContains": "POINT-001"}, ["endpoint-001"]),
        ({"StatusEquals": "Failed"}, ["endpoint-002"]),
        ({"CreationTimeAfter": 1001.0}, ["endpoint-002"]),
        ({"CreationTimeBefore": 1002}, ["endpoint-001"]),
        ({"LastModifiedTimeAfter": "1970-01-01T00:33:21Z"}, ["endpoint-002"]),
        ({"NameContains": "other"}, []),
    ],
)
def test_what_does_not_match_is_left_out(parameters: dict[str, Any], expected: list[str]) -> None:
    everything = [endpoint(1), endpoint(2, status="Failed")]
    assert names(LISTING.page(everything, parameters)) == expected


def test_a_token_that_is_none_of_ours_is_refused() -> None:
    with pytest.raises(AwsError, match="the NextToken 'nonsense' is not one"):
        LISTING.page([], {"NextToken": "nonsense"})
