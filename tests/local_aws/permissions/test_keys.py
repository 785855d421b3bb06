"""Objects that are encrypted with a KMS key: reading and writing them needs the key, too."""

from __future__ import annotations

from typing import Any

import pytest

from local_aws.permissions import deployed
from tests.local_aws.aws import REGION, Aws, policy
from tests.local_aws.permissions.callers import ACCOUNT, Caller, allow, numbers, refusal

ROOT = {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}


def key_policy(**more: Any) -> str:
    return policy(
        {"Effect": "Allow", "Principal": ROOT, "Action": "kms:*", "Resource": "*", **more}
    )


@pytest.fixture(scope="module")
def key(aws: Aws) -> str:
    """A key whose policy hands over to the account's own policies, as CDK's do."""
    arn: str = aws.client("kms").create_key(Policy=key_policy())["KeyMetadata"]["Arn"]
    return arn


@pytest.fixture(scope="module")
def bucket(aws: Aws, key: str) -> str:
    name = f"encrypted-{next(numbers)}"
    place = {"LocationConstraint": REGION}
    aws.s3.create_bucket(Bucket=name, CreateBucketConfiguration=place)
    default = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key}
    aws.s3.put_bucket_encryption(
        Bucket=name,
        ServerSideEncryptionConfiguration={
            "Rules": [{"ApplyServerSideEncryptionByDefault": default, "BucketKeyEnabled": True}]
        },
    )
    aws.s3.put_object(Bucket=name, Key="key", Body=b"body")
    return name


READ, WRITE = allow("s3:GetObject"), allow(["s3:PutObject", "s3:AbortMultipartUpload"])


def test_reading_needs_decrypt_on_the_key(aws: Aws, bucket: str, key: str) -> None:
    without = Caller(aws, READ)
    assert refusal(without.client("s3").get_object, Bucket=bucket, Key="key") == (
        403,
        "AccessDenied",
        f"User: {without.session.arn} is not authorized to perform: kms:Decrypt on resource: "
        f"{key} because no identity-based policy allows the kms:Decrypt action",
    )
    within = Caller(aws, READ, allow("kms:Decrypt", key))
    assert within.client("s3").get_object(Bucket=bucket, Key="key")["Body"].read() == b"body"
    within.client("s3").head_object(Bucket=bucket, Key="key")
    without.client("s3").head_object(Bucket=bucket, Key="key")


def test_writing_needs_a_data_key(aws: Aws, bucket: str, key: str) -> None:
    wanted = {"Bucket": bucket, "Key": "written", "Body": b"x"}
    without = Caller(aws, WRITE, allow("kms:Decrypt", key))
    message = refusal(without.client("s3").put_object, **wanted)[2]
    assert "is not authorized to perform: kms:GenerateDataKey on resource: arn:aws:kms" in message
    Caller(aws, WRITE, allow("kms:GenerateDataKey", key)).client("s3").put_object(**wanted)


def test_a_key_that_the_request_names_is_the_one_that_counts(
    aws: Aws, bucket: str, key: str
) -> None:
    other = aws.client("kms").create_key(Policy=key_policy())["KeyMetadata"]["Arn"]
    caller = Caller(aws, WRITE, allow("kms:GenerateDataKey", key))
    named = {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": other}
    message = refusal(
        caller.client("s3").put_object, Bucket=bucket, Key="named", Body=b"x", **named
    )[2]
    assert f"kms:GenerateDataKey on resource: {other}" in message
    plain = {"ServerSideEncryption": "AES256"}
    Caller(aws, WRITE).client("s3").put_object(Bucket=bucket, Key="plain", Body=b"x", **plain)


def test_several_parts_need_both(aws: Aws, bucket: str, key: str) -> None:
    where = {"Bucket": bucket, "Key": "parts"}
    writer = Caller(aws, WRITE, allow("kms:GenerateDataKey", key)).client("s3")
    upload = writer.create_multipart_upload(**where)["UploadId"]
    part = {**where, "UploadId": upload, "PartNumber": 1, "Body": b"x"}
    assert "kms:Decrypt" in refusal(writer.upload_part, **part)[2]
    both = Caller(aws, WRITE, allow(["kms:GenerateDataKey", "kms:Decrypt"], key)).client("s3")
    both.upload_part(**part)
    writer.abort_multipart_upload(**where, UploadId=upload)


def test_copying_needs_the_sources_key(aws: Aws, bucket: str, key: str) -> None:
    copy = {"Bucket": "models", "Key": "copied", "CopySource": f"{bucket}/key"}
    caller = Caller(aws, READ, WRITE)
    assert "kms:Decrypt" in refusal(caller.client("s3").copy_object, **copy)[2]
    Caller(aws, READ, WRITE, allow("kms:Decrypt", key)).client("s3").copy_object(**copy)


def test_a_copy_takes_tags_along_and_needs_them_of_both_unless_told_otherwise(aws: Aws) -> None:
    name = f"tagged-{next(numbers)}"
    aws.s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})
    aws.s3.put_object(Bucket=name, Key="from", Body=b"x", Tagging="team=search")
    copy: dict[str, Any] = {"Bucket": name, "Key": "to", "CopySource": f"{name}/from"}
    caller = Caller(aws, READ, WRITE)
    assert "s3:GetObjectTagging" in refusal(caller.client("s3").copy_object, **copy)[2]
    caller.client("s3").copy_object(**copy, TaggingDirective="REPLACE")
    caller = Caller(aws, READ, WRITE, allow("s3:GetObjectTagging"))
    assert "s3:PutObjectTagging" in refusal(caller.client("s3").copy_object, **copy)[2]
    both = allow(["s3:GetObjectTagging", "s3:PutObjectTagging"])
    Caller(aws, READ, WRITE, both).client("s3").copy_object(**copy)


def test_the_keys_policy_comes_before_the_roles(aws: Aws, bucket: str, key: str) -> None:
    caller = Caller(aws, READ, allow("kms:*"))
    kms = aws.client("kms")
    someone = {"AWS": f"arn:aws:iam::{ACCOUNT}:role/someone"}
    read = caller.client("s3").get_object
    try:
        kms.put_key_policy(KeyId=key, PolicyName="default", Policy=key_policy(Principal=someone))
        message = refusal(read, Bucket=bucket, Key="key")[2]
        assert message.endswith("because no resource-based policy allows the kms:Decrypt action")
        own = key_policy(Principal={"AWS": caller.arn}, Action="kms:Decrypt")
        kms.put_key_policy(KeyId=key, PolicyName="default", Policy=own)
        Caller(aws, READ)
        read(Bucket=bucket, Key="key")
        denied = policy(
            {"Effect": "Allow", "Principal": ROOT, "Action": "kms:*", "Resource": "*"},
            {"Effect": "Deny", "Principal": "*", "Action": "kms:Decrypt", "Resource": "*"},
        )
        kms.put_key_policy(KeyId=key, PolicyName="default", Policy=denied)
        message = refusal(read, Bucket=bucket, Key="key")[2]
        assert message.endswith("with an explicit deny in a resource-based policy")
    finally:
        kms.put_key_policy(KeyId=key, PolicyName="default", Policy=key_policy())


def test_a_key_may_be_for_those_who_come_by_way_of_s3(aws: Aws, bucket: str, key: str) -> None:
    by_s3 = {"StringEquals": {"kms:ViaService": f"s3.{REGION}.amazonaws.com"}}
    caller = Caller(aws, READ, allow("kms:Decrypt", key, Condition=by_s3))
    caller.client("s3").get_object(Bucket=bucket, Key="key")
    blob = aws.client("kms").encrypt(KeyId=key, Plaintext=b"secret")["CiphertextBlob"]
    _, code, message = refusal(caller.client("kms").decrypt, CiphertextBlob=blob)
    assert code == "AccessDeniedException"
    assert f"kms:Decrypt on resource: {key} because no identity-based policy" in message
    within = Caller(aws, allow("kms:Decrypt", key)).client("kms")
    assert within.decrypt(CiphertextBlob=blob)["Plaintext"] == b"secret"


def test_an_alias_that_is_not_there_is_no_key(aws: Aws, key: str) -> None:
    aws.client("kms").create_alias(AliasName="alias/there", TargetKeyId=key)
    assert deployed.key_arn("alias/there", ACCOUNT, REGION) == key
    assert deployed.key_arn("alias/absent", ACCOUNT, REGION) is None


def test_a_key_is_found_by_its_alias(aws: Aws, key: str) -> None:
    aws.client("kms").create_alias(AliasName="alias/data", TargetKeyId=key)
    caller = Caller(aws, allow("kms:Encrypt", key)).client("kms")
    caller.encrypt(KeyId="alias/data", Plaintext=b"x")
    assert refusal(caller.describe_key, KeyId="alias/data")[1] == "AccessDeniedException"
