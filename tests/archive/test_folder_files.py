"""A folder that is sent as it is: known by its content, read once, put beside the template."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sagemaker_serving.archive import Cache, UnreadableArtifact, folder_files
from tests.models import archive, saved_model

Change = Callable[[Path], object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("1/saved_model.pb", "1/variables/variables.index", ".hidden"):
        path = tmp_path / "m" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "m"


def identity(folder: Path) -> str:
    return folder_files(folder, cache=Cache.off()).sha256


@pytest.mark.parametrize(
    "change",
    [
        lambda m: (m / "1/saved_model.pb").write_text("1/saved_model.pB"),
        lambda m: (m / ".hidden").rename(m / ".other"),
        lambda m: (m / "more").write_text(""),
        lambda m: (m / ".hidden").unlink(),
    ],
    ids=["a byte", "a name", "one more", "one less"],
)
def test_any_change_is_another_identity(folder: Path, change: Change) -> None:
    before = identity(folder)
    change(folder)
    assert identity(folder) != before


@pytest.mark.parametrize(
    "change",
    [
        lambda m: os.utime(m / ".hidden", (1, 1)),
        lambda m: (m / ".hidden").chmod(0o600),
        lambda m: m.rename(m.parent / "n"),
        lambda m: (m / "empty").mkdir(),
        lambda m: ((m / ".hidden").rename(m / "a"), (m / ".hidden").symlink_to("a"), (m / "a")),
        lambda m: (m / ".DS_Store").write_text("left behind"),
    ],
    ids=["time", "mode", "its own name", "an empty folder", "a link", "what tools leave"],
)
def test_what_sagemaker_never_sees_changes_nothing(folder: Path, change: Change) -> None:
    before = [name for name, _ in named(folder)]
    change(folder)
    after = [name for name, _ in named(folder if folder.exists() else folder.parent / "n")]
    assert set(before) <= set(after) <= {*before, "a"}


def named(folder: Path) -> list[tuple[str, str]]:
    return [(entry.name, sha256) for entry, sha256 in folder_files(folder, cache=Cache.off()).files]


def test_unchanged_files_are_not_read_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = time.time_ns() + 3600 * 10**9
    monkeypatch.setattr(time, "time_ns", lambda: later)
    cache = Cache(folder=tmp_path / "cache")
    read: list[int] = []
    first = folder_files(folder, cache=cache, progress=lambda done, _: read.append(done))
    assert read[-1] == sum(entry.size for entry, _ in first.files)
    read.clear()
    again = folder_files(folder, cache=cache, progress=lambda done, _: read.append(done))
    assert (again.sha256, read) == (first.sha256, [])


def test_files_are_linked_and_one_that_differs_is_replaced(folder: Path, tmp_path: Path) -> None:
    for _ in range(2):
        put = dict(folder_files(folder, cache=Cache.off()).put_into(tmp_path / "out"))
        assert all((folder / name).samefile(path) for name, path in put.items())
        assert not any(path.suffix for path in put.values())
        put[".hidden"].unlink()
        put[".hidden"].write_text("what an earlier synth left")


@pytest.mark.parametrize("name", ["model.tar.gz", "model.h5"])
def test_what_is_no_folder_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(archive({"m/1/saved_model.pb": saved_model()}))
    with pytest.raises(UnreadableArtifact, match="is no folder; only a folder's files are sent"):
        folder_files(path)


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableArtifact, match="holds no file"):
        folder_files(tmp_path)
