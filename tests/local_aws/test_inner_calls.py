"""What the local AWS asks of itself is answered as what others ask over HTTP."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import REGION, Aws, keys_of


@pytest.fixture(scope="module", params=["inside", "over HTTP"])
def client(request: pytest.FixtureRequest, aws: Aws) -> Any:
    def of(service: str) -> Any:
        if request.param == "inside":
            return aws.client(service)
        return boto3.client(
            service, region_name=REGION, endpoint_url=aws.url, **keys_of(aws.gateway)
        )

    return of


@pytest.mark.parametrize("key", ["plain", "a b/ü+%41?c=d&e", "slash//twice/"])
def test_bodies_and_keys_arrive_as_they_are(client: Any, key: str) -> None:
    s3 = client("s3")

    s3.put_object(Bucket="models", Key=key, Body=b"\x00\xff", Metadata={"with_underscore": "kept"})

    answer = s3.get_object(Bucket="models", Key=key)
    assert answer["Body"].read() == b"\x00\xff"
    assert answer["Metadata"] == {"with_underscore": "kept"}
    assert s3.head_object(Bucket="models", Key=key)["ContentLength"] == 2
    assert key in [each["Key"] for each in s3.list_objects_v2(Bucket="models")["Contents"]]
    s3.delete_object(Bucket="models", Key=key)


def test_streams_arrive(client: Any) -> None:
    s3 = client("s3")

    s3.upload_fileobj(BytesIO(b"x" * 9_000_000), "models", "stream")

    assert len(s3.get_object(Bucket="models", Key="stream")["Body"].read()) == 9_000_000


@pytest.mark.parametrize(
    ("service", "operation", "arguments", "code"),
    [
        ("s3", "get_object", {"Bucket": "models", "Key": "none"}, "NoSuchKey"),
        ("s3", "head_object", {"Bucket": "models", "Key": "none"}, "404"),
        ("ssm", "get_parameter", {"Name": "none"}, "ParameterNotFound"),
        ("iam", "get_role", {"RoleName": "none"}, "NoSuchEntity"),
    ],
)
def test_errors_are_the_same(
    client: Any, service: str, operation: str, arguments: dict[str, str], code: str
) -> None:
    with pytest.raises(ClientError) as failed:
        getattr(client(service), operation)(**arguments)
    assert failed.value.response["Error"]["Code"] == code
