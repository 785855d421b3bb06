"""What the local AWS asks of itself is answered as what others ask over HTTP."""

from __future__ import annotations

import urllib.error
import urllib.request
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from local_aws.authentication import vouched
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


def test_what_stays_inside_needs_a_key_that_somebody_has(aws: Aws) -> None:
    nobody = replace(aws.gateway.context.credentials, access_key_id="AKIANOBODY")
    client = aws.gateway.context.clients(nobody, "sns", REGION)

    with pytest.raises(ClientError) as failed:
        client.list_topics()

    assert failed.value.response["Error"]["Code"] == "InvalidClientTokenId"


def test_only_what_stays_inside_needs_no_signature(aws: Aws) -> None:
    key = aws.gateway.context.credentials.access_key_id
    request = urllib.request.Request(
        aws.url,
        b"Action=ListTopics&Version=2010-03-31",
        {"Authorization": vouched(key, REGION, "sns"), "X-Amz-Date": now()},
    )

    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)

    assert (refused.value.code, b"SignatureDoesNotMatch" in refused.value.read()) == (403, True)


def now() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
