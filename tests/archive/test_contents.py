from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from sagemaker_serving.archive import ModelVersion, UnreadableArtifact, read_contents


def write(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 10)
    return folder


def packed(folder: Path, target: Path) -> Path:
    with tarfile.open(target, "w:gz") as archive:
        archive.add(folder, arcname=".")
    return target


def test_an_archive_reads_as_its_folder(tmp_path: Path) -> None:
    folder = write(tmp_path / "model", "digits/1/saved_model.pb", "code/inference.py")
    assert read_contents(packed(folder, tmp_path / "m.tar.gz")) == read_contents(folder)


def test_models_are_found_where_tensorflow_serving_looks(tmp_path: Path) -> None:
    folder = write(
        tmp_path, "a/1/saved_model.pb", "a/00000012/saved_model.pb", "deep/er/3/saved_model.pb"
    )
    assert read_contents(folder).models == (
        ModelVersion("a", 1),
        ModelVersion("a", 12),
        ModelVersion("er", 3),
    )


def test_a_version_at_the_top_serves_as_model(tmp_path: Path) -> None:
    assert read_contents(write(tmp_path, "1/saved_model.pb")).models == (ModelVersion("model", 1),)


def test_a_saved_model_folder_itself_is_put_where_it_is_found(tmp_path: Path) -> None:
    folder = write(tmp_path / "digits", "saved_model.pb", "variables/x", "code/inference.py")
    contents = read_contents(folder)
    assert contents.models == (ModelVersion("digits", 1),)
    assert set(contents.files) == {
        "digits/1/saved_model.pb",
        "digits/1/variables/x",
        "code/inference.py",
    }


def test_what_would_not_be_found_is_told_apart(tmp_path: Path) -> None:
    contents = read_contents(write(tmp_path, "v1/saved_model.pb", "frozen.pb"))
    assert contents.models == ()
    assert contents.misplaced_models == ("v1",)
    assert contents.graphs == ("frozen.pb",)


def test_leavings_of_tools_are_no_part_of_a_model(tmp_path: Path) -> None:
    folder = write(tmp_path, "code/__pycache__/x.pyc", "code/y.pyc", ".DS_Store", "code/a.py")
    assert set(read_contents(folder).files) == {"code/a.py"}


@pytest.mark.parametrize("damage", ["text", "truncated", "flipped", "crc"])
def test_a_damaged_archive_is_named(tmp_path: Path, damage: str) -> None:
    path = packed(
        write(tmp_path / "model", *(f"{n}/saved_model.pb" for n in range(30))),
        tmp_path / "m.tar.gz",
    )
    raw = path.read_bytes()
    path.write_bytes(
        {
            "text": b"this is no archive",
            "truncated": raw[: len(raw) // 2],
            "flipped": raw[:40] + b"\xff" * 40 + raw[80:],
            "crc": raw[:-8] + b"\0" * 4 + raw[-4:],
        }[damage]
    )
    with pytest.raises(UnreadableArtifact, match="is not a whole gzipped tar"):
        read_contents(path)


def test_nothing_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableArtifact, match="there is nothing at"):
        read_contents(tmp_path / "gone")
