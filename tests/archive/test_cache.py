"""An unchanged model costs nothing; a changed one is always seen."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from sagemaker_serving.archive import BuiltArchive, Cache, Limits, build_archive, known_contents
from sagemaker_serving.archive.build import link_or_copy
from tests.models import archive, saved_model

MODEL = "m/1/saved_model.pb"


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets the clock go on by an hour, so that everything on disk has settled."""
    ahead = 0

    def go_on() -> None:
        nonlocal ahead
        ahead += 3600 * 10**9
        monkeypatch.setattr(time, "time_ns", lambda: now() + ahead)

    now = time.time_ns
    return go_on


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(folder=tmp_path / "cache")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model" / MODEL
    path.parent.mkdir(parents=True)
    path.write_bytes(b"one")
    return tmp_path / "model"


def build(model: Path, folder: Path, cache: Cache) -> BuiltArchive:
    return build_archive(model, lambda sha256: folder / f"{sha256}.tar.gz", cache=cache)


def forbid_packing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> str:
        raise AssertionError("it was packed again")

    monkeypatch.setattr("sagemaker_serving.archive.build.pack", refuse)


def test_an_unchanged_model_is_not_read_again(
    tmp_path: Path, model: Path, cache: Cache, later: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    later()
    first = build(model, tmp_path / "out", cache)
    forbid_packing(monkeypatch)
    again = build(model, tmp_path / "out", cache)
    elsewhere = build(model, tmp_path / "other", cache)
    assert (first.reused, again.reused, elsewhere.reused) == (False, True, True)
    assert again.sha256 == first.sha256
    assert elsewhere.path.samefile(first.path), "a copy was made"


def test_what_changed_just_now_is_not_trusted(tmp_path: Path, model: Path, cache: Cache) -> None:
    build(model, tmp_path / "out", cache)
    assert not build(model, tmp_path / "out", cache).reused


def test_a_rewritten_file_of_the_same_size_and_mtime_is_seen(
    tmp_path: Path, model: Path, cache: Cache, later: Callable[[], None]
) -> None:
    later()
    first = build(model, tmp_path / "out", cache)
    status = (model / MODEL).stat()
    with (model / MODEL).open("r+b") as file:
        file.write(b"two")
    os.utime(model / MODEL, ns=(status.st_atime_ns, status.st_mtime_ns))
    again = build(model, tmp_path / "out", cache)
    after = (model / MODEL).stat()
    assert (after.st_size, after.st_mtime_ns, after.st_ino) == (
        status.st_size, status.st_mtime_ns, status.st_ino,
    )  # fmt: skip
    assert again.sha256 != first.sha256
    assert not again.reused


@pytest.mark.parametrize("change", ["renamed", "added", "removed"])
def test_a_changed_tree_is_seen(
    tmp_path: Path, model: Path, cache: Cache, later: Callable[[], None], change: str
) -> None:
    (model / "second").write_bytes(b"2")
    later()
    first = build(model, tmp_path / "out", cache)
    if change == "renamed":
        (model / "second").rename(model / "third")
    elif change == "added":
        (model / "third").write_bytes(b"")
    else:
        (model / "second").unlink()
    assert build(model, tmp_path / "out", cache).sha256 != first.sha256


def test_a_cached_archive_that_was_written_to_is_packed_anew(
    tmp_path: Path, model: Path, cache: Cache, later: Callable[[], None]
) -> None:
    later()
    first = build(model, tmp_path / "out", cache)
    right = first.path.read_bytes()
    first.path.write_bytes(b"x" * len(right))
    assert build(model, tmp_path / "other", cache).path.read_bytes() == right


def test_the_cache_is_bounded_and_drops_what_was_unused_longest(
    tmp_path: Path, later: Callable[[], None]
) -> None:
    later()
    cache = Cache(folder=tmp_path / "cache", max_bytes=70_000)
    built = []
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "weights").write_bytes(os.urandom(30_000))
        built.append(build(folder, tmp_path / "out", cache))
        record = cache.folder / "archives" / f"{built[-1].sha256}.json"
        os.utime(record, (number, number))
    assert [cache.archive(each.sha256) is not None for each in built] == [False, True, True]


def test_a_cache_that_cannot_be_written_fails_no_build(tmp_path: Path, model: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    built = build(model, tmp_path / "out", Cache(folder=tmp_path / "file" / "cache"))
    assert built.path.exists()


def test_junk_in_the_cache_counts_as_not_there(
    tmp_path: Path, model: Path, cache: Cache, later: Callable[[], None]
) -> None:
    later()
    build(model, tmp_path / "out", cache)
    for record in cache.folder.rglob("*.json"):
        record.write_bytes(b"{")
    assert not build(model, tmp_path / "out", cache).reused


def test_a_verdict_is_kept_by_content(
    tmp_path: Path, cache: Cache, later: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.tar.gz"
    path.write_bytes(archive({MODEL: saved_model()}))
    later()
    first = known_contents(path, cache)
    with monkeypatch.context() as patched:
        patched.setattr("sagemaker_serving.archive.verdict.read_stream", None)
        again = known_contents(path, cache)
    assert (again, again.packed_size) == (first, path.stat().st_size)
    with monkeypatch.context() as patched:
        patched.setattr("sagemaker_serving.archive.verdict.read_stream", None)
        path.rename(tmp_path / "other.tar.gz")
        copied = tmp_path / "model.tar.gz"
        copied.write_bytes((tmp_path / "other.tar.gz").read_bytes())
        assert known_contents(copied, cache) == first, "another file of the same bytes"
    path.write_bytes(archive({"n/2/saved_model.pb": saved_model()}))
    assert known_contents(path, cache).models != first.models


def test_bytes_that_were_read_before_are_not_unpacked_to_their_end(
    tmp_path: Path, cache: Cache, later: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, copied = tmp_path / "model.tar.gz", tmp_path / "copied.tar.gz"
    path.write_bytes(archive({MODEL: saved_model()}))
    later()
    first = known_contents(path, cache)
    copied.write_bytes(path.read_bytes())
    ended: list[bool] = []

    def read(ready: Path, limits: Limits, unwanted: Event) -> None:
        ended.append(unwanted.wait(120))

    monkeypatch.setattr("sagemaker_serving.archive.verdict._read", read)
    assert (known_contents(copied, cache), ended) == (first, [True])


def test_an_archive_that_was_linked_is_not_read_again(
    tmp_path: Path, cache: Cache, later: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.tar.gz"
    path.write_bytes(archive({MODEL: saved_model()}))
    later()
    first = build(path, tmp_path / "out", cache)
    assert first.path.samefile(path)
    monkeypatch.setattr("sagemaker_serving.archive.build._sha256", None)
    assert build(path, tmp_path / "again", cache).sha256 == first.sha256


def test_what_is_written_while_an_archive_is_linked_is_seen(
    tmp_path: Path, cache: Cache, later: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.tar.gz"
    path.write_bytes(archive({MODEL: saved_model()}))
    later()

    def link_and_write(source: Path, target: Path) -> None:
        link_or_copy(source, target)
        source.write_bytes(archive({"n/2/saved_model.pb": saved_model()}))

    monkeypatch.setattr("sagemaker_serving.archive.build.link_or_copy", link_and_write)
    first = build(path, tmp_path / "out", cache)
    assert build(path, tmp_path / "again", cache).sha256 != first.sha256


@pytest.mark.parametrize("text", ["", "-1", "many"])
def test_a_wrong_bound_is_named(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("SAGEMAKER_SERVING_CACHE_BYTES", text)
    with pytest.raises(Exception, match="it must be a whole number, 0 for no cache"):
        Cache.of_this_user()
