"""A folder as the list of entries its archive will have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sagemaker_serving.errors import Mistake

LEFT_OUT = {"__pycache__", ".ipynb_checkpoints", ".DS_Store", ".git"}
"""What tools leave behind; never part of a model."""


class UnreadableArtifact(Mistake):
    """A model on disk that cannot be read or may not be packed."""


@dataclass(frozen=True)
class Entry:
    """A file and the name it has inside the archive (relative, with ``/``)."""

    name: str
    path: Path
    size: int


def walk(folder: Path) -> Iterator[Entry]:
    """The files of ``folder``, sorted by their name in the archive.

    A SavedModel folder itself (``saved_model.pb`` at its top) is put where
    TensorFlow Serving looks: ``<folder's name>/1/``, its ``code/`` stays at the
    top. Links inside the folder are followed, since SageMaker refuses links in
    archives. Raises `UnreadableArtifact` for a link that leads out of it, and
    for anything that is no file.
    """
    root = folder.resolve()
    nested = (folder / "saved_model.pb").is_file()
    entries = []
    for path in _files(folder, root):
        name = path.relative_to(folder).as_posix()
        if nested and not name.startswith("code/"):
            name = f"{root.name}/1/{name}"
        entries.append(Entry(name=name, path=path, size=path.stat().st_size))
    yield from sorted(entries, key=lambda entry: entry.name)


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
                f"{path} is neither a file nor a folder; an archive takes only those: remove it"
            )


def _must_stay_inside(path: Path, root: Path) -> None:
    target = path.resolve()
    if not target.exists():
        raise UnreadableArtifact(f"{path} is a link to nothing; remove it or mend it")
    if not target.is_relative_to(root):
        raise UnreadableArtifact(
            f"{path} is a link that leads out of the model's folder; copy the file there instead"
        )
    if target.is_dir() and path.absolute().is_relative_to(target):
        raise UnreadableArtifact(f"{path} is a link to a folder that holds it; remove it")
