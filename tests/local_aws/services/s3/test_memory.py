"""Each patch of what the emulator holds on to."""

from __future__ import annotations

import gc

from moto.s3.models import FakeKey

from tests.local_aws.aws import Aws


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
