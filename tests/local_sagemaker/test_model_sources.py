"""Models whose files are not in an archive: below a prefix in S3, or in the image itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import Aws, running
from tests.local_sagemaker.own_server import command_of

IMAGE = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/team/command:1"


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    """A gateway where a command stands in for the image."""
    folder = tmp_path_factory.mktemp("sources")
    engines = {"team/command": f"command:{command_of(folder)}"}
    with running(folder / "local", settings=Settings(engines=engines)) as gateway:
        yield Aws(gateway)


def test_a_model_without_an_archive_is_served_over_an_empty_folder(aws: Aws) -> None:
    model = {"Image": IMAGE, "Environment": {"MODE": "team/words"}}
    role = "arn:aws:iam::123456789012:role/model"
    aws.sagemaker.create_model(ModelName="words", ExecutionRoleArn=role, PrimaryContainer=model)
    aws.endpoint("words", aws.config("words", {"v": "words"}))
    told = json.loads(aws.ask("words", b"x"))
    assert (told["mode"], told["factor"]) == ("team/words", None)
    assert aws.sagemaker.describe_model(ModelName="words")["PrimaryContainer"] == model
    aws.delete("words")


def a_source(url: str, kind: str = "S3Prefix", compression: str = "None") -> dict[str, Any]:
    return {
        "ModelDataSource": {
            "S3DataSource": {"S3Uri": url, "S3DataType": kind, "CompressionType": compression}
        }
    }


def create_model(aws: Aws, name: str, **container: Any) -> None:
    aws.sagemaker.create_model(
        ModelName=name,
        ExecutionRoleArn="arn:aws:iam::123456789012:role/model",
        PrimaryContainer={"Image": IMAGE, **container},
    )


def test_files_below_a_prefix_are_served_as_they_are(aws: Aws) -> None:
    aws.s3.put_object(Bucket="models", Key="tripling/factor", Body=b"3")
    source = a_source("s3://models/tripling/")
    create_model(aws, "tripling", **source)
    aws.endpoint("tripling", aws.config("tripling", {"v": "tripling"}))
    assert json.loads(aws.ask("tripling", b"x"))["factor"] == "3"
    described = aws.sagemaker.describe_model(ModelName="tripling")["PrimaryContainer"]
    assert described["ModelDataSource"] == source["ModelDataSource"]
    aws.delete("tripling")


@pytest.mark.parametrize(
    ("container", "said"),
    [
        (a_source("s3://models/none/"), "Could not find model data at s3://models/none/."),
        (a_source("s3://models/tripling"), "an S3Prefix ends with a slash"),
        (a_source("s3://models/m.tar.gz/", "S3Object", "Gzip"), "an S3Object does not"),
        (
            a_source("s3://models/", compression="Gzip"),
            "Gzip and S3DataType is S3Prefix",
        ),
        (
            a_source("s3://models/") | {"ModelDataUrl": "s3://models/m.tar.gz"},
            "ModelDataUrl stands beside ModelDataSource",
        ),
        (a_source("s3://models/") | {"Mode": "MultiModel"}, "name that by ModelDataUrl"),
    ],
)
def test_a_model_data_source_that_sagemaker_does_not_take_makes_no_model(
    aws: Aws, container: dict[str, Any], said: str
) -> None:
    with pytest.raises(ClientError, match=said):
        create_model(aws, "refused", **container)


def test_serverless_and_transform_jobs_take_archives_alone(aws: Aws) -> None:
    aws.s3.put_object(Bucket="models", Key="unpacked/factor", Body=b"3")
    create_model(aws, "unpacked", **a_source("s3://models/unpacked/"))
    serverless = {"MemorySizeInMB": 1024, "MaxConcurrency": 1}
    with pytest.raises(ClientError, match="a serverless endpoint takes an archive"):
        aws.sagemaker.create_endpoint_config(
            EndpointConfigName="unpacked",
            ProductionVariants=[
                {"VariantName": "v", "ModelName": "unpacked", "ServerlessConfig": serverless}
            ],
        )
    source = {"S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": "s3://models/unpacked/"}}
    with pytest.raises(ClientError, match="a transform job takes an archive"):
        aws.sagemaker.create_transform_job(
            TransformJobName="unpacked",
            ModelName="unpacked",
            TransformInput={"DataSource": source},
            TransformOutput={"S3OutputPath": "s3://models/out"},
            TransformResources={"InstanceType": "ml.m5.large", "InstanceCount": 1},
        )
