"""S3 objects' bytes: each content once, whole, and gone when nothing needs it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from moto.s3.models import FakeKey

from local_aws.credentials import ACCOUNT_ID
from local_aws.state.objects import SMALL_BYTES, ObjectStore
from sagemaker_serving.errors import Mistake


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


@pytest.mark.parametrize("size", [3, SMALL_BYTES, SMALL_BYTES + 1, 5_000_000])
@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path: flip(path), r"its bytes have the CRC-32C [0-9a-f]{8}, not the [0-9a-f]{8}"),
        (lambda path: os.truncate(path, 1), r"it has 1 bytes, not the \d+ that were written"),
        (
            lambda path: path.write_bytes(path.read_bytes() + b"x"),
            r"it has \d+ bytes, not the \d+ that",
        ),
        (lambda path: path.unlink(), "it is missing"),
        (lambda path: (path.unlink(), path.mkdir()), "it is a folder"),
    ],
    ids=["flipped", "truncated", "longer", "missing", "a folder"],
)
def test_a_content_that_was_changed_is_refused_with_what_is_wrong(
    objects: ObjectStore, tmp_path: Path, size: int, spoil: Callable[[Path], object], said: str
) -> None:
    name = objects.keep(s3_object(b"x" * size))
    kept = objects.checksums({name})
    spoil(tmp_path / "objects" / name)
    again = ObjectStore(tmp_path / "objects")
    again.expect(kept)
    with pytest.raises(Mistake, match=rf"{name}: {said}.*--fresh"):
        again.open(name)


def test_what_was_there_before_checksums_were_kept_has_one_from_then_on(
    objects: ObjectStore, tmp_path: Path
) -> None:
    name = objects.keep(s3_object(b"two"))
    again = ObjectStore(tmp_path / "objects")
    again.open(name)
    assert again.checksums({name}) == objects.checksums({name})


def lengthen(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"x")


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
