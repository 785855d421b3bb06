"""Outputs are copied by S3 as they are, small ones at once and large ones in parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sagemaker_serving.functions.batch_transform import tallying
from sagemaker_serving.functions.batch_transform.store import Place, Store
from sagemaker_serving.functions.batch_transform.tallying import publish
from tests.functions.batch_transform.memory import MemoryS3
from tests.functions.batch_transform.runs import begun, put
from tests.local_aws.aws import Aws

NAME = "models", "an/öbject+with?odd#name%20.out"
BODY = bytes(range(256)) * 21_000


@pytest.mark.parametrize("at_most", [tallying.MAX_ONE_COPY_BYTES, 1024])
@pytest.mark.parametrize("accept", [None, "application/jsonlines"])
def test_the_copy_is_the_output_with_its_type(
    aws: Aws, monkeypatch: pytest.MonkeyPatch, at_most: int, accept: str | None
) -> None:
    monkeypatch.setattr(tallying, "MAX_ONE_COPY_BYTES", at_most)
    monkeypatch.setattr(tallying, "_PART_BYTES", 5 * 1024 * 1024)
    memory = MemoryS3()
    put(memory, {"a": b"1"})
    run = replace(begun(memory, accept=accept), store=Store(aws.s3))
    given = {} if accept is None else {"ContentType": accept}
    source, target = (Place("models", f"{at_most}/{kind}/{NAME[1]}") for kind in ("from", "to"))
    aws.s3.put_object(Bucket=source.bucket, Key=source.key, Body=BODY, **given)
    publish(run, source, target, len(BODY))
    found = aws.s3.get_object(Bucket=target.bucket, Key=target.key)
    assert found["Body"].read() == BODY
    assert found["ContentType"] == (accept or "binary/octet-stream")


@pytest.mark.parametrize("at_most", [tallying.MAX_ONE_COPY_BYTES, 1024])
def test_the_copy_is_encrypted_as_outputs_are(
    aws: Aws, monkeypatch: pytest.MonkeyPatch, at_most: int
) -> None:
    monkeypatch.setattr(tallying, "MAX_ONE_COPY_BYTES", at_most)
    key = aws.client("kms").create_key()["KeyMetadata"]["Arn"]
    memory = MemoryS3()
    put(memory, {"a": b"1"})
    run = replace(begun(memory), store=Store(aws.s3))
    job: dict[str, Any] = {**run.job, "TransformOutput": {"KmsKeyId": key}}
    object.__setattr__(run, "job", job)
    source, target = Place("models", f"{at_most}/plain"), Place("models", f"{at_most}/encrypted")
    aws.s3.put_object(Bucket=source.bucket, Key=source.key, Body=BODY)
    publish(run, source, target, len(BODY))
    found = aws.s3.head_object(Bucket=target.bucket, Key=target.key)
    assert (found["ServerSideEncryption"], found["SSEKMSKeyId"]) == ("aws:kms", key)


def test_a_copy_that_fails_leaves_nothing(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallying, "MAX_ONE_COPY_BYTES", 1024)
    memory = MemoryS3()
    put(memory, {"a": b"1"})
    run = replace(begun(memory), store=Store(aws.s3))
    source = Place("models", "short")
    aws.s3.put_object(Bucket=source.bucket, Key=source.key, Body=b"x" * 2048)
    with pytest.raises(ClientError):
        publish(run, source, Place("models", "never"), 10 * tallying._PART_BYTES)
    assert "Contents" not in aws.s3.list_objects_v2(Bucket="models", Prefix="never")
    assert "Uploads" not in aws.s3.list_multipart_uploads(Bucket="models")
