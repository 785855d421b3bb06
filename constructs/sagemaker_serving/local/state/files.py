"""Files that are whole or not there, and nobody else's."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from sagemaker_serving.errors import Mistake


def write_whole(path: Path, chunks: Iterable[bytes]) -> None:
    """Write ``chunks`` so that a kill or a power cut leaves the old file or the new one."""
    partial = path.with_name(f"{path.name}.partial")
    with open(partial, "wb", opener=_private) as file:
        file.writelines(chunks)
        file.flush()
        os.fsync(file.fileno())
    partial.rename(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames in ``folder`` last through a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _private(path: str, flags: int) -> int:
    """Open for this user alone, whatever the umask, and through no link that others made."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)


def refuse_foreign(path: Path) -> None:
    """Raise `Mistake` unless ``path`` is this user's own and nobody else can write it.

    What is kept is turned into objects again, so that reading a file that another user could
    have written would let that user run code here.
    """
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        raise Mistake(f"{path} is a symbolic link; the local AWS reads only what it wrote itself")
    if found.st_uid != os.getuid():
        raise Mistake(
            f"{path} belongs to user id {found.st_uid}, not to you ({os.getuid()}); the local AWS "
            "reads only what it wrote itself: give another --state-dir"
        )
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise Mistake(
            f"{path} can be written by others (mode {stat.S_IMODE(found.st_mode):o}); if nobody "
            f"has, run `chmod go-w {path}`, else start empty with `sagemaker-serving local up "
            "--fresh`"
        )
