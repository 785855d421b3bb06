"""What S3 says beside an object: its encryption, its checksum, the request's numbers; and what
its objects leave behind."""

from __future__ import annotations

import gc
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from moto.s3.models import FakeKey

from tests.local_aws.aws import REGION, Aws, keys_of

KEY = "arn:aws:kms:eu-west-1:123456789012:key/0f1e2d3c-0000-4000-8000-000000000000"


def bucket(aws: Aws, name: str, algorithm: dict[str, Any] | None = None) -> str:
    place = {"LocationConstraint": "eu-west-1"}
    aws.s3.create_bucket(Bucket=name, CreateBucketConfiguration=place)
    if algorithm is not None:
        rule = {"ApplyServerSideEncryptionByDefault": algorithm, "BucketKeyEnabled": True}
        aws.s3.put_bucket_encryption(
            Bucket=name, ServerSideEncryptionConfiguration={"Rules": [rule]}
        )
    return name


@pytest.mark.parametrize(
    ("algorithm", "said"),
    [
        (None, {"ServerSideEncryption": "AES256"}),
        (
            {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": KEY},
            {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": KEY, "BucketKeyEnabled": True},
        ),
    ],
    ids=["no default", "a key"],
)
def test_an_object_is_encrypted_as_its_bucket_says_and_every_answer_tells_it(
    aws: Aws, algorithm: dict[str, Any] | None, said: dict[str, Any]
) -> None:
    """S3 encrypts with AES256 since 2023; recorded by LocalStack's suite, 2025."""
    at = {"Bucket": bucket(aws, f"encrypted-{len(said)}", algorithm), "Key": "k"}
    answers = [
        aws.s3.put_object(**at, Body=b"x"),
        aws.s3.get_object(**at),
        aws.s3.head_object(**at),
        aws.s3.copy_object(**at | {"Key": "copy"}, CopySource=at),
        aws.s3.get_object(**at | {"Key": "copy"}),
    ]
    for answer in answers:
        assert {name: answer.get(name) for name in said} == said
    upload = aws.s3.create_multipart_upload(**at)
    assert upload["ServerSideEncryption"] == said["ServerSideEncryption"]


def test_a_request_may_say_another_encryption_than_its_bucket(aws: Aws) -> None:
    name = bucket(aws, "own", {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": KEY})
    aws.s3.put_object(Bucket=name, Key="k", Body=b"x", ServerSideEncryption="AES256")
    found = aws.s3.head_object(Bucket=name, Key="k")
    assert found["ServerSideEncryption"] == "AES256"
    assert "SSEKMSKeyId" not in found


def test_a_bucket_has_an_encryption_that_nobody_gave_it(aws: Aws) -> None:
    found = aws.s3.get_bucket_encryption(Bucket=bucket(aws, "plain"))
    (rule,) = found["ServerSideEncryptionConfiguration"]["Rules"]
    assert rule["ApplyServerSideEncryptionByDefault"] == {"SSEAlgorithm": "AES256"}
    assert rule["BucketKeyEnabled"] is False


def test_a_checksum_comes_with_what_it_is_of(aws: Aws) -> None:
    """Recorded by LocalStack's suite, 2025."""
    at = {"Bucket": bucket(aws, "checksums"), "Key": "k"}
    written = aws.s3.put_object(**at, Body=b"x", ChecksumAlgorithm="SHA256")
    read = aws.s3.get_object(**at, ChecksumMode="ENABLED")
    looked = aws.s3.head_object(**at, ChecksumMode="ENABLED")
    for answer in (written, read, looked):
        assert answer["ChecksumType"] == "FULL_OBJECT"
        assert answer["ChecksumSHA256"] == written["ChecksumSHA256"]


def test_an_error_has_both_of_s3s_numbers(aws: Aws) -> None:
    """Causes of failed tasks have them; recorded by LocalStack's suite, 2024."""
    with pytest.raises(ClientError) as refused:
        aws.s3.get_object(Bucket=bucket(aws, "numbers"), Key="none")
    assert refused.value.response["ResponseMetadata"]["RequestId"]
    assert refused.value.response["ResponseMetadata"]["HostId"]


@pytest.mark.parametrize(
    ("operation", "parameters", "code"),
    [
        ("complete_multipart_upload", {"Key": "k", "UploadId": {}}, "MethodNotAllowed"),
        ("restore_object", {"Key": "", "RestoreRequest": {"Days": 1}}, "PreconditionFailed"),
        ("select_object_content", {"Key": ""}, "PreconditionFailed"),
    ],
)
def test_a_post_without_an_operation_is_refused_as_s3_refuses_it(
    aws: Aws, operation: str, parameters: dict[str, Any], code: str
) -> None:
    """S3 API reference, "Error responses"."""
    unchecked = boto3.client(
        "s3",
        endpoint_url=aws.gateway.url,
        region_name=REGION,
        config=Config(parameter_validation=False),
        **keys_of(aws.gateway),
    )
    with pytest.raises(ClientError) as refused:
        getattr(unchecked, operation)(Bucket="models", **parameters)
    assert refused.value.response["Error"]["Code"] == code


def test_objects_that_were_deleted_or_written_over_take_no_memory(aws: Aws) -> None:
    bucket = "memory"
    aws.s3.create_bucket(
        Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
    )
    before = _objects_held()
    for number in range(20):
        aws.s3.put_object(Bucket=bucket, Key="written over", Body=b"x")
        aws.s3.put_object(Bucket=bucket, Key=f"deleted/{number}", Body=b"x")
        aws.s3.delete_object(Bucket=bucket, Key=f"deleted/{number}")
    assert _objects_held() == before + 1


def _objects_held() -> int:
    gc.collect()
    return sum(isinstance(thing, FakeKey) for thing in gc.get_objects())
