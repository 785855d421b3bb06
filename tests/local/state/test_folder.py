"""A kept state that cannot be used: one message, which file, what to do."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sagemaker_serving.errors import Mistake
from sagemaker_serving.local.state.folder import StateFolder, forget

PARTS = {"cloudformation": b"[]", "moto.s3.models.S3Backend": b"bytes"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "state"
    StateFolder(path).write(PARTS, (), ended=True, not_kept={})
    return path


def part(folder: Path, name: str) -> Path:
    (path,) = (folder / "parts").glob(f"{name}*-*")
    return path


def manifest(folder: Path, **members: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **members}))


def link(path: Path) -> None:
    elsewhere = path.rename(path.with_suffix(".elsewhere"))
    path.symlink_to(elsewhere)


def test_what_was_written_is_read(folder: Path) -> None:
    read = StateFolder(folder).read()
    assert read is not None
    assert read[0].ended
    assert read[1] == PARTS


def test_an_empty_folder_has_nothing(tmp_path: Path) -> None:
    assert StateFolder(tmp_path / "state").read() is None


def test_nobody_else_may_read_it(folder: Path) -> None:
    files = [folder, *folder.rglob("*")]
    assert {path.stat().st_mode & 0o077 for path in files} == {0}


def test_a_part_that_did_not_change_is_not_written_again(folder: Path) -> None:
    before = {path.name: path.stat().st_ino for path in (folder / "parts").iterdir()}
    StateFolder(folder).write({**PARTS, "cloudformation": b"[1]"}, (), ended=False, not_kept={})
    after = {path.name: path.stat().st_ino for path in (folder / "parts").iterdir()}
    assert len(after) == len(PARTS)
    assert len(before.items() & after.items()) == 1


def test_a_save_that_was_cut_off_changes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_off(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sagemaker_serving.local.state.folder.asdict", cut_off)
    with pytest.raises(KeyboardInterrupt):
        StateFolder(folder).write({"cloudformation": b"[1]"}, (), ended=False, not_kept={})
    read = StateFolder(folder).read()
    assert read is not None
    assert read[1] == PARTS


SPOILED: dict[str, tuple[Callable[[Path], object], str]] = {
    "part missing": (lambda f: part(f, "cloudformation").unlink(), "cloudformation-.* is missing"),
    "part changed": (
        lambda f: part(f, "moto").write_bytes(b"byteS"),
        "moto.s3.models.S3Backend-.* its content is not what was written",
    ),
    "part half written": (lambda f: os.truncate(part(f, "moto"), 2), "its content is not"),
    "manifest half written": (
        lambda f: os.truncate(f / "manifest.json", 20),
        "manifest.json: it is no manifest",
    ),
    "manifest of something else": (
        lambda f: (f / "manifest.json").write_text("[1]"),
        "manifest.json: it is no manifest",
    ),
    "manifest with a path": (
        lambda f: manifest(f, files={"cloudformation": "../../secret"}),
        "manifest.json: it names '../../secret'",
    ),
    "another format": (lambda f: manifest(f, format=99), "another version .format 99, moto"),
    "another emulator": (
        lambda f: manifest(f, emulator="moto 5.0.0"),
        r"another version .format 1, moto 5.0.0, .*this one reads format 1, moto 5\.2",
    ),
    "another Python": (lambda f: manifest(f, python="3.99"), "Python 3.99"),
    "folder open to others": (lambda f: f.chmod(0o777), r"can be written by others .mode 777"),
    "manifest open to others": (
        lambda f: (f / "manifest.json").chmod(0o666),
        "manifest.json can be written by others",
    ),
    "part open to others": (
        lambda f: part(f, "moto").chmod(0o622),
        "S3Backend-.* can be written by others",
    ),
    "folder is a link": (link, "state is a symbolic link"),
    "part is a link": (lambda f: link(part(f, "moto")), "S3Backend-.* is a symbolic link"),
}


@pytest.mark.parametrize("case", SPOILED)
def test_a_spoiled_state_is_refused_with_what_to_do(folder: Path, case: str) -> None:
    spoil, said = SPOILED[case]
    spoil(folder)
    with pytest.raises(Mistake, match=said) as refused:
        StateFolder(folder).read()
    assert "\n" not in str(refused.value)
    assert "--fresh" in str(refused.value) or "wrote itself" in str(refused.value)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_a_file_of_another_user_is_refused(folder: Path) -> None:
    os.chown(part(folder, "moto"), 12345, -1)
    with pytest.raises(Mistake, match="belongs to user id 12345"):
        StateFolder(folder).read()


def test_forgetting_leaves_the_logs(folder: Path) -> None:
    log = folder.parent / "logs" / "endpoint.log"
    log.parent.mkdir()
    log.write_text("said")
    forget(folder.parent)
    assert not folder.exists()
    assert log.exists()
