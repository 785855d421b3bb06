"""Outputs are copied by S3 as they are, small ones at once and large ones in parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.functions.batch_transform import tallying
from sagemaker_serving.functions.batch_transform.seen import Seen
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


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)


@given(there=st.sets(NAMES, max_size=30), wanted=st.sets(NAMES, max_size=30))
def test_a_look_up_finds_what_is_there_and_nothing_else(there: set[str], wanted: set[str]) -> None:
    s3 = MemoryS3()
    for name in there:
        s3.put_object(Bucket="b", Key=f"out/{name}", Body=b"")
    found = Store(s3).found(Place("b", "out/"), sorted(f"out/{name}" for name in wanted))
    assert {key.removeprefix("out/") for key in found} == there & wanted


def test_a_look_up_asks_for_no_more_pages_than_there_are_nor_than_names(s3: MemoryS3) -> None:
    for number in range(5000):
        s3.put_object(Bucket="b", Key=f"out/{number:05}", Body=b"")
    s3.lists = 0
    Store(s3).found(Place("b", "out/"), [f"out/{number:05}" for number in range(5000)])
    assert s3.lists <= 5
    s3.lists = 0
    Store(s3).found(Place("b", "out/"), ["out/00007", "out/04000"])
    assert s3.lists == 2


def test_of_two_that_write_the_same_new_object_one_is_told_so(s3: MemoryS3) -> None:
    store = Store(s3)
    assert store.write_if(Place("b", "lock"), b"1", etag=None)
    assert not store.write_if(Place("b", "lock"), b"2", etag=None)
    assert store.read(Place("b", "lock")) == b"1"


@given(names=st.lists(NAMES, max_size=300))
def test_a_name_is_new_once(names: list[str]) -> None:
    seen, known = Seen(), set()
    for name in names:
        assert seen.add(name) is (name not in known)
        known.add(name)


def test_many_names_are_told_apart() -> None:
    seen = Seen()
    assert all(seen.add(f"images/{number}.png") for number in range(20_000))
    assert not any(seen.add(f"images/{number}.png") for number in range(20_000))
