"""Files that are whole or not there, and nobody else's; what is said of others."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from local_aws.errors import Mistake
from local_aws.program import program


def write_whole(path: Path, chunks: Iterable[bytes]) -> None:
    """Write ``chunks`` so that a kill or a power cut leaves the old file or the new one.

    Raises OSError that names ``path``, and leaves nothing half written, when the disk is full.
    """
    partial = path.with_name(f"{path.name}.partial")
    try:
        with open(partial, "wb", opener=_private) as file:
            file.writelines(chunks)
            file.flush()
            os.fsync(file.fileno())
        partial.rename(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None
    sync_folder(path.parent)


def read_own(path: Path) -> bytes:
    """What ``path`` holds, a file of the state. Raises `Mistake`: which file, and what is wrong."""
    with readable(path):
        refuse_foreign(path)
        return path.read_bytes()


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """What the disk says against reading ``path`` becomes `damaged`."""
    try:
        yield
    except FileNotFoundError:
        raise damaged(path, "it is missing") from None
    except IsADirectoryError:
        raise damaged(path, "it is a folder") from None
    except NotADirectoryError:
        raise damaged(path, f"{path.parent} is no folder") from None
    except OSError as error:
        raise damaged(path, f"it cannot be read: {error.strerror}") from None


def damaged(path: Path, why: str) -> Mistake:
    """What is said of a file of the state that cannot be used."""
    return Mistake(
        f"the kept state is damaged: {path}: {' '.join(why.split())}; put the file back, or forget "
        f"what was deployed: {starting_empty()}"
    )


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
            f"has, run `chmod go-w {path}`, else start empty with {program().command('up --fresh')}"
        )


def starting_empty() -> str:
    """What to do where what is kept cannot be used."""
    return f"{program().command('up --fresh')} starts empty"
