"""The archive writer is killed before each of its steps, and goes on: whole files, nothing left."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from sagemaker_serving.archive import Cache, build_archive
from tests import steps
from tests.archive import writing

UNFINISHED = ".unfinished-"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of more bytes than are packed at once."""
    folder = tmp_path_factory.mktemp("model")
    (folder / "code").mkdir()
    (folder / "code" / "inference.py").write_text("x = 1\n")
    (folder / "weights").write_bytes(random.Random(1).randbytes((1 << 20) + 1))
    return folder


@pytest.fixture(scope="module")
def ready(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("ready") / "model.tar.gz"
    return build_archive(model, lambda _: target, cache=Cache.off()).path


def files(folder: Path) -> dict[str, bytes]:
    """All that there is, but for what the cache knows of files by when they last changed."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if not path.is_dir() and path.suffix != ".json"
    }


def folders(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_dir()}


@pytest.mark.parametrize(
    ("work", "before"),
    [
        (writing.pack, b"an older archive"),
        (writing.adopt, None),
        *(
            pytest.param(*each, marks=pytest.mark.long)
            for each in (
                (writing.pack, None),
                (writing.pack_twice, None),
                (writing.put_files, None),
                (writing.put_files, b"an older file"),
            )
        ),
    ],
)
def test_wherever_the_writer_is_killed_files_are_whole_and_the_next_one_leaves_nothing_else(
    tmp_path: Path,
    model: Path,
    ready: Path,
    work: Callable[[Path, Path], None],
    before: bytes | None,
) -> None:
    source = ready if work is writing.adopt else model

    def start(name: str) -> Path:
        folder = tmp_path / name
        (folder / "out").mkdir(parents=True)
        if before is not None:
            (folder / "out" / "model.tar.gz").write_bytes(before)
            (folder / "out" / "1").write_bytes(before)
        return folder

    undisturbed = start("undisturbed")
    before_it = files(undisturbed)
    assert not steps.run(work, source, undisturbed)
    after_it = files(undisturbed)
    left = []
    for number in count(1):
        left.append(folder := start(str(number)))
        is_killed = steps.run(work, source, folder, killed_at=number)
        for name, content in files(folder).items():
            assert UNFINISHED in name or content in (before_it.get(name), after_it[name])
        assert before_it.keys() <= files(folder).keys(), number
        if not is_killed:
            break
    assert number > 20, "it has steps on the disk"
    assert not steps.run(writing.in_each, work, source, left)
    for folder in left:
        assert files(folder) == after_it, folder.name
        assert folders(folder) == folders(undisturbed), folder.name
