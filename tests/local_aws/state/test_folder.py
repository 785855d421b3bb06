"""A kept state that cannot be used: one message, which file, what to do."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from local_aws.private_files import write_whole
from local_aws.state.folder import FORMAT, StateFolder, forget
from sagemaker_serving.errors import Failure, Mistake

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


def folder_at(path: Path) -> None:
    path.unlink()
    path.mkdir()


def file_at(path: Path) -> None:
    shutil.rmtree(path)
    path.write_text("a file")


def unreadable(path: Path) -> None:
    """A link to itself: nobody can read it, whoever runs the tests."""
    path.unlink()
    path.symlink_to(path)


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

    monkeypatch.setattr("local_aws.state.folder.asdict", cut_off)
    with pytest.raises(KeyboardInterrupt):
        StateFolder(folder).write({"cloudformation": b"[1]"}, (), ended=False, not_kept={})
    read = StateFolder(folder).read()
    assert read is not None
    assert read[1] == PARTS


SPOILED: dict[str, tuple[Callable[[Path], object], str]] = {
    "part missing": (lambda f: part(f, "cloudformation").unlink(), "cloudformation-.* is missing"),
    "part changed": (
        lambda f: part(f, "moto").write_bytes(b"byteS"),
        "moto.s3.models.S3Backend-.*: its 5 bytes have the sha256 .*, not the one in its name",
    ),
    "part half written": (
        lambda f: os.truncate(part(f, "moto"), 2),
        "its 2 bytes have the sha256",
    ),
    "part is a folder": (lambda f: folder_at(part(f, "moto")), "S3Backend-.*: it is a folder"),
    "part is unreadable": (
        lambda f: unreadable(part(f, "moto")),
        "S3Backend-.*: it cannot be read: Too many levels|S3Backend-.* is a symbolic link",
    ),
    "parts are missing": (lambda f: shutil.rmtree(f / "parts"), "cloudformation-.* is missing"),
    "parts are a file": (
        lambda f: file_at(f / "parts"),
        "cloudformation-.*: .*/parts is no folder",
    ),
    "state is a file": (file_at, "state: it is no folder"),
    "manifest missing": (lambda f: (f / "manifest.json").unlink(), "manifest.json: it is missing"),
    "manifest is a folder": (lambda f: folder_at(f / "manifest.json"), "json: it is a folder"),
    "manifest of other kinds": (lambda f: manifest(f, files=["a"]), "json: it is no manifest"),
    "manifest with other kinds within": (
        lambda f: manifest(f, objects={"a": "b"}),
        "json: it is no manifest",
    ),
    "manifest with something more": (lambda f: manifest(f, more=1), "json: it is no manifest"),
    "manifest with a strange name": (
        lambda f: manifest(f, files={"a": "a-\0" + "0" * 64}),
        "manifest.json: it names 'a-",
    ),
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
        rf"another version .format {FORMAT}, moto 5.0.0, .*"
        rf"this one reads format {FORMAT}, moto 5\.2",
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


@pytest.mark.parametrize("error", [errno.EACCES, errno.EIO])
def test_a_file_that_the_disk_does_not_give_is_named(
    folder: Path, error: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine = Path.read_bytes

    def read(path: Path) -> bytes:
        if path.name.startswith("moto"):
            raise OSError(error, os.strerror(error), str(path))
        return genuine(path)

    monkeypatch.setattr(Path, "read_bytes", read)
    with pytest.raises(Mistake, match=rf"S3Backend-.*: it cannot be read: {os.strerror(error)}"):
        StateFolder(folder).read()


def test_a_folder_where_something_began_and_nothing_was_saved_has_nothing(tmp_path: Path) -> None:
    begun = StateFolder(tmp_path / "state")
    begun.begin()
    read = begun.read()
    assert read is not None
    assert read[1] == {}
    assert not begun.ended()
    begun.write(PARTS, (), ended=True, not_kept={})
    assert begun.ended()
    begun.begin()
    assert not begun.ended()
    again = begun.read()
    assert again is not None
    assert again[1] == PARTS


def test_what_is_written_to_a_full_disk_names_its_file_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space left on device") as raised:
        write_whole(tmp_path / "part", full())
    assert raised.value.filename == str(tmp_path / "part")
    assert list(tmp_path.iterdir()) == []


def full() -> Iterator[bytes]:
    yield b"x"
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("made", [lambda p: p.write_text("a file"), lambda p: p.mkdir()])
def test_forgetting_takes_away_what_is_no_folder_too(
    tmp_path: Path, made: Callable[[Path], object]
) -> None:
    made(tmp_path / "state")
    forget(tmp_path)
    assert not (tmp_path / "state").exists()


def test_what_cannot_be_forgotten_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path / "parts"))

    (tmp_path / "state").mkdir()
    monkeypatch.setattr(shutil, "rmtree", refused)
    with pytest.raises(Failure, match=r"state/parts cannot be deleted: Permission denied; delete"):
        forget(tmp_path)


def test_forgetting_leaves_the_logs(folder: Path) -> None:
    log = folder.parent / "logs" / "endpoint.log"
    log.parent.mkdir()
    log.write_text("said")
    forget(folder.parent)
    assert not folder.exists()
    assert log.exists()
