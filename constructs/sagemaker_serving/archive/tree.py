"""A folder as the list of entries its archive will have."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sagemaker_serving.archive.refusals import Refusal, UnreadableArtifact

LEFT_OUT = {"__pycache__", ".ipynb_checkpoints", ".DS_Store", ".git"}
"""What tools leave behind; never part of a model."""


@dataclass(frozen=True)
class Entry:
    """A file and the name it has inside the archive (relative, with ``/``)."""

    name: str
    path: Path
    status: os.stat_result

    @property
    def size(self) -> int:
        """Bytes, when it was looked at."""
        return self.status.st_size


def walk(folder: Path) -> Iterator[Entry]:
    """The files of ``folder`` in any order, each by its path below it.

    Links inside the folder are followed, since SageMaker refuses links in
    archives. Raises `UnreadableArtifact` for a link that leads out of it, and
    for anything that is no file.
    """
    root = folder.resolve()
    for path in _files(folder, root):
        yield Entry(path.relative_to(folder).as_posix(), path, path.stat())


class SkippingFile:
    """A file on disk whose bytes can be passed over without reading them."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes; none at the end."""
        return self._stream.read(size)

    def skip(self, size: int) -> None:
        """Passes over ``size`` bytes."""
        self._stream.seek(size, 1)


def _files(folder: Path, root: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name in LEFT_OUT or path.suffix == ".pyc":
            continue
        if path.is_symlink():
            _must_stay_inside(path, root)
        if path.is_dir():
            yield from _files(path, root)
        elif path.is_file():
            yield path
        else:
            raise UnreadableArtifact(
                f"{path} is neither a file nor a folder; an archive takes only those: remove it",
                Refusal.SPECIAL_FILE,
            )


def _must_stay_inside(path: Path, root: Path) -> None:
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        raise UnreadableArtifact(
            f"{path} is a broken link; remove it or repair it", Refusal.OUTSIDE_LINK
        ) from None
    if not target.is_relative_to(root):
        raise UnreadableArtifact(
            f"{path} is a link that leads out of the model's folder; copy the file there instead",
            Refusal.OUTSIDE_LINK,
        )
    if target.is_dir() and path.absolute().is_relative_to(target):
        raise UnreadableArtifact(
            f"{path} is a link to a folder that holds it; remove it", Refusal.OUTSIDE_LINK
        )
