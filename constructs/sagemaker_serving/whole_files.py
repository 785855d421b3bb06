"""Files that are whole or as they were: how everything here is written that somebody keeps."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

_UNFINISHED = ".unfinished-"


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes ``content``, text as UTF-8, in the place of what ``path`` holds; see `whole_file`."""
    with whole_file(path) as partial:
        partial.write_bytes(content if isinstance(content, bytes) else content.encode())


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A file to write into, which takes the place of ``path`` where the block ends well.

    Otherwise ``path`` is as it was, whatever ends the block, and nothing is left. A link stays
    one, a file keeps its mode, and what is no file, such as ``/dev/stdout``, is written to
    itself. Raises OSError of ``path``.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        yield path
        return
    try:
        with unfinished_folder(target.parent) as folder:
            partial = folder / target.name
            partial.touch()
            yield partial
            if target.exists():
                partial.chmod(stat.S_IMODE(target.stat().st_mode))
            partial.replace(target)
    except OSError as error:
        if error.filename is not None and _UNFINISHED in str(error.filename):
            error.filename = str(path)
        raise


@contextmanager
def unfinished_folder(folder: Path) -> Iterator[Path]:
    """A folder in ``folder`` for what is not finished yet; it is gone afterwards.

    Its lock lasts as long as this process. So what a killed one has left is known by having none,
    and the next process that writes into ``folder`` removes it (`remove_what_was_left`).
    """
    remove_what_was_left(folder)
    own, handle = _locked(folder)
    try:
        yield own
    finally:
        shutil.rmtree(own, ignore_errors=True)
        os.close(handle)


@cache
def remove_what_was_left(folder: Path) -> None:
    """Removes what killed processes left in ``folder``: once, since this one leaves nothing."""
    with suppress(OSError):
        for left in [each for each in folder.iterdir() if each.name.startswith(_UNFINISHED)]:
            with suppress(OSError):
                handle = os.open(left, os.O_RDONLY | os.O_DIRECTORY)
                with suppress(OSError):
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(left)
                os.close(handle)


def _locked(folder: Path) -> tuple[Path, int]:
    """A new folder, and what holds its lock."""
    while True:
        own = folder / f"{_UNFINISHED}{secrets.token_hex(6)}"
        own.mkdir()
        with suppress(FileNotFoundError):  # another process took it for left before it was locked
            handle = os.open(own, os.O_RDONLY | os.O_DIRECTORY)
            with suppress(OSError):  # a disk without locks: there nothing is known to be left
                fcntl.flock(handle, fcntl.LOCK_EX)
            if own.exists():
                return own, handle
            os.close(handle)
