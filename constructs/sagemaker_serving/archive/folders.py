"""A folder's files as they are: known by their content, and sent without being packed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sagemaker_serving.archive.build import archive_identity, place
from sagemaker_serving.archive.cache import Cache
from sagemaker_serving.archive.packing import must_be_unchanged
from sagemaker_serving.archive.refusals import UnreadableArtifact
from sagemaker_serving.archive.sources import plan
from sagemaker_serving.archive.tree import Entry
from sagemaker_serving.errors import Failure
from sagemaker_serving.progress import Progress
from sagemaker_serving.whole_files import remove_what_was_left


def folder_files(
    path: Path, *, cache: Cache | None = None, progress: Progress | None = None
) -> FolderFiles:
    """The files of the folder ``path``, named as they would be in its archive.

    Each is read once to find its sha256, and again when it changes. ``cache`` defaults to this
    user's. Raises `UnreadableArtifact` for an archive, for a file that is converted, and for what
    may not be packed either; `Failure` when the disk fails.
    """
    kept = cache if cache is not None else Cache.of_this_user()
    planned = plan([path])
    if planned.ready is not None or planned.conversions:
        raise UnreadableArtifact(f"{path} is no folder; only a folder's files are sent as they are")
    total = sum(entry.size for entry in planned.entries)
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(done, total)

    known = []
    try:
        for entry in planned.entries:
            known.append((entry, archive_identity(entry.path, kept, advance)))
            must_be_unchanged(entry)
    except OSError as error:
        raise Failure(f"{error.filename} cannot be read: {error.strerror}") from None
    return FolderFiles(tuple(known), kept)


@dataclass(frozen=True)
class FolderFiles:
    """Files with the sha256 of each."""

    files: tuple[tuple[Entry, str], ...]
    cache: Cache

    @property
    def sha256(self) -> str:
        """What identifies all of them: the sha256 of their names, and of the sha256 of each."""
        known = [[entry.name, sha256] for entry, sha256 in self.files]
        return hashlib.sha256(json.dumps(known).encode()).hexdigest()

    def put_into(self, folder: Path) -> Iterator[tuple[str, Path]]:
        """Links or copies them into ``folder``; each file's name, and its path there.

        They are numbered there, since CDK adds what follows a dot in a path to the object's key.
        What lies there already is kept if it has the same content. Raises `Failure` when the disk
        fails.
        """
        remove_what_was_left(folder)
        for number, (entry, sha256) in enumerate(self.files):
            target = folder / str(number)
            try:
                if not target.exists() or archive_identity(target, self.cache) != sha256:
                    place(entry.path, target, self.cache)
            except OSError as error:
                raise Failure(f"{target} cannot be written: {error.strerror}") from None
            yield entry.name, target
