"""S3 objects' bytes: each content once, whole, and gone when nothing needs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from moto.s3.models import FakeKey

from sagemaker_serving.local.context import ACCOUNT_ID
from sagemaker_serving.local.state.objects import SMALL_BYTES, ObjectStore


def s3_object(content: bytes) -> FakeKey:
    return FakeKey("key", content, account_id=ACCOUNT_ID, region_name="eu-west-1")


@pytest.fixture
def objects(tmp_path: Path) -> ObjectStore:
    return ObjectStore(tmp_path / "objects")


@pytest.mark.parametrize("size", [0, 1, SMALL_BYTES, SMALL_BYTES + 1, 10_000_000])
def test_a_content_comes_back(size: int, objects: ObjectStore, tmp_path: Path) -> None:
    content = bytes(index % 251 for index in range(997)) * (size // 997 + 1)
    name = objects.keep(s3_object(content[:size]))
    opened = ObjectStore(tmp_path / "objects").open(name)
    opened.seek(0)
    assert opened.read() == content[:size]


def test_the_same_content_is_kept_once(objects: ObjectStore, tmp_path: Path) -> None:
    names = {objects.keep(s3_object(b"same")) for _ in range(2)}
    assert {path.name for path in (tmp_path / "objects").iterdir()} == names
    assert len(names) == 1


def test_what_nothing_needs_is_deleted_and_can_be_kept_again(
    objects: ObjectStore, tmp_path: Path
) -> None:
    name, other = objects.keep(s3_object(b"one")), objects.keep(s3_object(b"two"))
    objects.forget_all_but({other})
    assert {path.name for path in (tmp_path / "objects").iterdir()} == {other}
    assert objects.keep(s3_object(b"one")) == name
    assert (tmp_path / "objects" / name).read_bytes() == b"one"


@pytest.mark.parametrize("spoiled", [b"twO", b"tw", b"three"])
def test_a_content_that_was_changed_is_refused(
    spoiled: bytes, objects: ObjectStore, tmp_path: Path
) -> None:
    name = objects.keep(s3_object(b"two"))
    (tmp_path / "objects" / name).write_bytes(spoiled)
    with pytest.raises(ValueError, match="written"):
        objects.open(name)
