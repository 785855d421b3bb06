from __future__ import annotations

import gzip
import hashlib
import os
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.archive import (
    BuiltArchive,
    UnreadableArtifact,
    build_archive,
    read_contents,
    unpack,
)
from sagemaker_serving.archive.tree import LEFT_OUT
from sagemaker_serving.errors import Failure

LETTERS = st.characters(exclude_characters="/\0", exclude_categories=["Cs"])
NAMES = st.text(LETTERS, min_size=1, max_size=40).filter(
    lambda name: (
        name not in {".", "..", "saved_model.pb", "Servo", *LEFT_OUT} and not name.endswith(".pyc")
    )
)
TREES = st.dictionaries(
    st.lists(NAMES, min_size=1, max_size=4).map("/".join), st.binary(max_size=1300), min_size=1
)


def build(source: Path, target: Path) -> BuiltArchive:
    return build_archive(source, lambda sha256: target / f"{sha256}.tar.gz")


def unpacked(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as tar:
        return {m.name: tar.extractfile(m).read() for m in tar if m.isfile()}  # type: ignore[union-attr]


def plant(folder: Path, tree: dict[str, bytes]) -> dict[str, bytes]:
    """Writes ``tree``, leaving out what cannot stand beside a folder of the same name."""
    planted = {}
    for name, content in sorted(tree.items()):
        path = folder / name
        if path.is_dir() or any(parent.is_file() for parent in path.parents):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        planted[name] = content
    return planted


@given(TREES)
def test_any_tree_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, tree: dict[str, bytes]
) -> None:
    """Through Python's tarfile, and through the reader and unpacker here."""
    folder = tmp_path_factory.mktemp("tree")
    planted = plant(folder / "source", tree)
    built = build(folder / "source", folder / "out").path
    assert unpacked(built) == planted
    with built.open("rb") as stream:
        unpack(stream, folder / "again", "model.tar.gz")
    found = [path for path in (folder / "again").rglob("*") if path.is_file()]
    read = {path.relative_to(folder / "again").as_posix(): path.read_bytes() for path in found}
    assert read == planted
    assert read_contents(built).files == {name: len(data) for name, data in planted.items()}


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, (1 << 20) - 1, 1 << 20, (1 << 20) + 1])
def test_every_size_comes_back(tmp_path: Path, size: int) -> None:
    planted = plant(tmp_path / "m", {"weights": os.urandom(size), "z": b"after"})
    assert unpacked(build(tmp_path / "m", tmp_path / "out").path) == planted


def test_the_identity_is_that_of_the_plain_tar(tmp_path: Path) -> None:
    """So it does not depend on how well anything compresses."""
    plant(tmp_path / "m", {"m/1/saved_model.pb": b"graph" * 5000})
    built = build(tmp_path / "m", tmp_path / "out")
    plain = gzip.decompress(built.path.read_bytes())
    assert hashlib.sha256(plain).hexdigest() == built.sha256


def test_a_file_that_changes_while_it_is_packed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path / "m", {"weights": b"1" * 1000})

    def grow(_done: int, _total: int) -> None:
        with (tmp_path / "m" / "weights").open("ab") as file:
            file.write(b"2")

    with pytest.raises(UnreadableArtifact, match="changed while it was packed"):
        build_archive(tmp_path / "m", lambda _: tmp_path / "out.tar.gz", progress=grow)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m"]


def test_progress_is_told_to_the_last_byte(tmp_path: Path) -> None:
    plant(tmp_path / "m", {"a": b"1" * 1000, "b": b"2" * 500})
    told: list[tuple[int, int]] = []
    build_archive(
        tmp_path / "m",
        lambda _: tmp_path / "out.tar.gz",
        progress=lambda done, total: told.append((done, total)),
    )
    assert told == [(1000, 1500), (1500, 1500)]


def test_replace_puts_the_new_archive_over_the_old(tmp_path: Path) -> None:
    plant(tmp_path / "m", {"a": b"1"})
    target = tmp_path / "model.tar.gz"
    target.write_bytes(b"old")
    build_archive(tmp_path / "m", lambda _: target, replace=True)
    assert unpacked(target) == {"a": b"1"}


def test_the_same_content_gives_the_same_archive(tmp_path: Path) -> None:
    for name in ("first", "second"):
        plant(tmp_path / name, {"m/1/saved_model.pb": b"graph", "code/inference.py": b"pass"})
    os.utime(tmp_path / "second" / "code" / "inference.py", (0, 0))
    (tmp_path / "second" / "code" / "inference.py").chmod(0o600)
    first = build(tmp_path / "first", tmp_path / "out1")
    second = build(tmp_path / "second", tmp_path / "out2")
    assert first.sha256 == second.sha256
    assert first.path.read_bytes() == second.path.read_bytes()


def test_every_user_may_read_what_is_packed_whoever_packed_it(tmp_path: Path) -> None:
    """Servers of images run as users of their own, and unpack it as it says."""
    plant(tmp_path / "m", {"m/1/saved_model.pb": b"graph", "code/inference.py": b"pass"})
    (tmp_path / "m" / "code" / "inference.py").chmod(0o400)
    with tarfile.open(build(tmp_path / "m", tmp_path / "out").path) as archive:
        said = {(each.mode, each.uid, each.gid, each.uname, each.mtime) for each in archive}
    assert said == {(0o644, 0, 0, "", 0)}


def test_one_changed_byte_changes_the_identity(tmp_path: Path) -> None:
    plant(tmp_path / "a", {"m/1/saved_model.pb": b"graph"})
    plant(tmp_path / "b", {"m/1/saved_model.pb": b"grapf"})
    assert build(tmp_path / "a", tmp_path).sha256 != build(tmp_path / "b", tmp_path).sha256


def test_a_ready_archive_is_taken_byte_for_byte(tmp_path: Path) -> None:
    plant(tmp_path / "m", {"m/1/saved_model.pb": b"graph"})
    ready = tmp_path / "model.tar.gz"
    with tarfile.open(ready, "w:gz") as archive:
        archive.add(tmp_path / "m", arcname=".")
    built = build(ready, tmp_path / "out")
    assert built.path.read_bytes() == ready.read_bytes()
    assert built.path.samefile(ready), "a copy of gigabytes was made"


def test_links_inside_are_followed(tmp_path: Path) -> None:
    plant(tmp_path / "m", {"shared/vocabulary": b"words"})
    (tmp_path / "m" / "again").symlink_to("shared/vocabulary")
    assert unpacked(build(tmp_path / "m", tmp_path / "out").path)["again"] == b"words"


@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        (lambda folder: (folder / "x").symlink_to("/etc/hostname"), "leads out of the model's"),
        (lambda folder: (folder / "x").symlink_to("nowhere"), "is a broken link"),
        (lambda folder: (folder / "x").symlink_to("."), "a link to a folder that holds it"),
        (lambda folder: os.mkfifo(folder / "x"), "is neither a file nor a folder"),
    ],
    ids=["out of the tree", "dangling", "circle", "fifo"],
)
def test_what_may_not_be_packed_is_refused_and_leaves_nothing(
    tmp_path: Path, trouble: object, message: str
) -> None:
    plant(tmp_path / "m", {"file": b""})
    trouble(tmp_path / "m")  # type: ignore[operator]
    with pytest.raises(UnreadableArtifact, match=message):
        build(tmp_path / "m", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableArtifact, match="holds no file"):
        build(tmp_path, tmp_path / "out")


def test_a_build_that_fails_leaves_no_partial_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path / "m", {"a": b"1", "b": b"2"})

    def disk_full(*_: object, **__: object) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tarfile.TarInfo, "tobuf", disk_full)
    with pytest.raises(Failure, match="packing failed: No space left on device"):
        build(tmp_path / "m", tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
