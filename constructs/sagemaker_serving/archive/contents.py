"""What a model archive, or the folder that becomes one, holds."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import cast

from isal import igzip, igzip_lib

from sagemaker_serving.archive.tree import UnreadableArtifact, walk

_DAMAGED = cast(type[Exception], igzip_lib.error)

SAVED_MODEL = ("saved_model.pb", "saved_model.pbtxt")


def read_contents(path: Path) -> ArchiveContents:
    """What the archive made of ``path`` holds; ``path`` is a folder or a ``.tar.gz``.

    An archive is streamed, never unpacked. Raises `UnreadableArtifact` when
    there is nothing at ``path``, when it is neither a folder nor a gzipped
    tar, or when its gzip is damaged.
    """
    if path.is_dir():
        return ArchiveContents(files={entry.name: entry.size for entry in walk(path)})
    if not path.exists():
        raise UnreadableArtifact(f"there is nothing at {path}")
    return ArchiveContents(files=dict(_members(path)))


@dataclass(frozen=True)
class ArchiveContents:
    """The files of an archive: name inside the archive to size in bytes, unpacked."""

    files: dict[str, int]

    @property
    def models(self) -> tuple[ModelVersion, ...]:
        """The SavedModels where TensorFlow Serving looks: ``[name/]<digits>/saved_model.pb``."""
        found = (
            ModelVersion(model=path.parent.parent.name or "model", version=int(path.parent.name))
            for path in map(PurePosixPath, self.files)
            if path.name == "saved_model.pb" and path.parent.name.isdecimal()
        )
        return tuple(sorted(found, key=lambda found: (found.model, found.version)))

    @property
    def misplaced_models(self) -> tuple[str, ...]:
        """SavedModels that TensorFlow Serving would not find, by their folder."""
        return tuple(
            str(path.parent)
            for path in map(PurePosixPath, self.files)
            if path.name in SAVED_MODEL and not path.parent.name.isdecimal()
        )

    @property
    def graphs(self) -> tuple[str, ...]:
        """Other ``.pb`` files: frozen graphs, most likely."""
        return tuple(
            name
            for name in self.files
            if name.endswith(".pb")
            and "saved_model" not in name
            and PurePosixPath(name).name not in ("fingerprint.pb", "keras_metadata.pb")
        )

    @property
    def size(self) -> int:
        """Bytes of all files, unpacked."""
        return sum(self.files.values())


@dataclass(frozen=True)
class ModelVersion:
    """One SavedModel in an archive: the name and version that requests call it by."""

    model: str
    version: int


def _members(path: Path) -> Iterator[tuple[str, int]]:
    try:
        with igzip.open(path, "rb") as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                if member.isfile():
                    yield str(PurePosixPath(member.name)), member.size
    except (OSError, EOFError, tarfile.TarError, _DAMAGED) as error:
        raise UnreadableArtifact(
            f"{path} is not a whole gzipped tar ({str(error).lower() or 'it ends too early'}); "
            "make one with `tar czf model.tar.gz -C FOLDER .`, or give the folder itself"
        ) from None
