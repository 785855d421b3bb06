"""What the archive writer does, each as work for a process that may be killed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from sagemaker_serving.archive import Cache, build_archive, folder_files

_time_ns = time.time_ns


def pack(model: Path, folder: Path) -> None:
    """A folder as an archive, where there may be one of this name already."""
    build_archive(model, lambda _: folder / "out" / "model.tar.gz", replace=True, cache=_in(folder))


def pack_twice(model: Path, folder: Path) -> None:
    """A folder as an archive, and again as another one, out of the cache."""
    build_archive(model, lambda it: folder / "out" / f"{it}.tar.gz", cache=_in(folder))
    build_archive(model, lambda it: folder / "other" / f"{it}.tar.gz", cache=_in(folder))


def adopt(model: Path, folder: Path) -> None:
    """A ready archive as it is."""
    build_archive(model, lambda it: folder / "out" / f"{it}.tar.gz", cache=_in(folder))


def put_files(model: Path, folder: Path) -> None:
    """A folder's files as they are."""
    for _ in folder_files(model, cache=_in(folder)).put_into(folder / "out"):
        pass


def in_each(work: Callable[[Path, Path], None], model: Path, folders: Iterable[Path]) -> None:
    """One of the above in each folder, by one process: its start is most of what it takes."""
    for folder in folders:
        work(model, folder)


def _in(folder: Path) -> Cache:
    """A cache, and an hour that has passed, so that it trusts what is on the disk."""
    now = _time_ns() + 3600 * 10**9
    time.time_ns = lambda: now
    return Cache(folder=folder / "cache")
