"""A model's archive, fetched and unpacked, or refused in AWS's words."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from local_aws.s3_location import S3Location
from sagemaker_serving.local_sagemaker.models.archives import (
    ArchiveRefused,
    ModelFiles,
    fetch_and_unpack,
    fetch_files,
    head_status,
)
from tests.local_aws.aws import REGION, Aws, archive


def unpack(aws: Aws, content: bytes, folder: Path) -> None:
    aws.s3.put_object(Bucket="models", Key="tried.tar.gz", Body=content)
    fetch_and_unpack(aws.s3, "s3://models/tried.tar.gz", region=REGION, folder=folder)


def member(kind: bytes, name: str, target: str = "") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = kind, target
        tar.addfile(entry)
    return packed.getvalue()


def test_folders_and_bytes_arrive_as_they_were_packed(aws: Aws, tmp_path: Path) -> None:
    files = {"model/1/saved_model.pb": bytes(range(256)) * 500, "code/inference.py": b"x = 1\n"}
    unpack(aws, archive(files), tmp_path)
    found = {path.relative_to(tmp_path).as_posix(): path for path in tmp_path.rglob("*.p*")}
    assert {name: path.read_bytes() for name, path in found.items()} == files


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"not an archive", "is a text file, not a gzipped tar"),
        (b"", "is empty (0 bytes)"),
        (archive({"model": b"x" * 100_000})[:60], ""),
        (member(tarfile.SYMTYPE, "link", "file"), "'link' is neither a file nor a folder"),
        (member(tarfile.LNKTYPE, "link", "file"), "'link' is neither a file nor a folder"),
        (member(tarfile.FIFOTYPE, "pipe"), "'pipe' in the archive is a FIFO"),
        (archive({"../outside": b"x"}), "outside"),
        (archive({"/absolute": b"x"}), "'/absolute' in the archive is an absolute path"),
    ],
    ids=["text", "empty", "cut short", "symlink", "hard link", "pipe", "outside", "absolute"],
)
def test_a_bad_archive_is_refused(aws: Aws, tmp_path: Path, content: bytes, why: str) -> None:
    inside = tmp_path / "inside"
    with pytest.raises(ArchiveRefused, match="Failed to extract model data archive") as refused:
        unpack(aws, content, inside)
    assert '"s3://models/tried.tar.gz"' in str(refused.value)
    assert why in str(refused.value)
    assert [path for path in tmp_path.iterdir() if path != inside] == []


def test_a_bucket_of_another_region_is_refused(aws: Aws, tmp_path: Path) -> None:
    with pytest.raises(ArchiveRefused, match="The bucket is in eu-west-1; it must be in"):
        fetch_and_unpack(
            aws.s3, "s3://models/model.tar.gz", region="us-west-2", folder=tmp_path / "model"
        )


@pytest.mark.parametrize("url", ["s3://models/none", "s3://no-bucket/none", "https://models/a"])
def test_what_is_not_there_cannot_be_downloaded(aws: Aws, tmp_path: Path, url: str) -> None:
    assert head_status(aws.s3, url) == 404
    with pytest.raises(ArchiveRefused, match="Failed to download model data"):
        fetch_and_unpack(aws.s3, url, region=REGION, folder=tmp_path / "model")


def test_a_key_may_hold_what_urls_may_not() -> None:
    assert S3Location.parse("s3://b/a b?c#d.tar.gz") == S3Location("b", "a b?c#d.tar.gz")
    assert str(S3Location("b", "a/b")) == "s3://b/a/b"


def put(aws: Aws, prefix: str, *keys: str) -> ModelFiles:
    for key in keys:
        aws.s3.put_object(Bucket="models", Key=f"{prefix}/{key}", Body=key.encode())
    return ModelFiles(url=f"s3://models/{prefix}/", is_packed=False)


def test_files_that_are_not_packed_lie_as_their_keys_say(aws: Aws, tmp_path: Path) -> None:
    files = put(aws, "plain", "config.json", "weights/part 1")
    put(aws, "plain-too", "beside")
    fetch_files(aws.s3, files, region=REGION, folder=tmp_path / "model")
    found = {
        path.relative_to(tmp_path / "model").as_posix(): path.read_text()
        for path in (tmp_path / "model").rglob("*")
        if path.is_file()
    }
    assert found == {name: name for name in ("config.json", "weights/part 1")}


def test_one_object_that_is_not_packed_has_its_keys_last_name(aws: Aws, tmp_path: Path) -> None:
    put(aws, "alone", "deep/model.gguf")
    files = ModelFiles(url="s3://models/alone/deep/model.gguf", is_packed=False)
    fetch_files(aws.s3, files, region=REGION, folder=tmp_path / "model")
    assert [path.name for path in (tmp_path / "model").iterdir()] == ["model.gguf"]


@pytest.mark.parametrize(
    ("name", "keys", "why"),
    [
        ("nothing", (), "there is no object below it"),
        ("console", ("weights/",), "console/weights/ is no path of a file: '' in it"),
        ("dots", ("a/../b",), "'..' in it cannot be a name"),
        ("long", ("x" * 256,), "cannot be a name"),
        ("both", ("weights", "weights/part1"), "both/weights/part1 names a file and a folder"),
    ],
)
def test_keys_that_are_no_files_fail_the_deployment(
    aws: Aws, tmp_path: Path, name: str, keys: tuple[str, ...], why: str
) -> None:
    files = put(aws, name, *keys)
    with pytest.raises(ArchiveRefused, match="Failed to download model data") as refused:
        fetch_files(aws.s3, files, region=REGION, folder=tmp_path / "model")
    assert why in str(refused.value)
