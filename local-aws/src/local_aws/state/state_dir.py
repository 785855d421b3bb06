"""What is said of a --state-dir that cannot be one."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local_aws.errors import Mistake


def must_be_state_dir(path: Path) -> Path:
    """``path`` itself: a folder, or where one may be made.

    Raises `Mistake` for a file, a path below one, one that is too long, and a
    folder that may not be read.
    """
    with state_dir_errors(path):
        try:
            found = path.stat()
        except FileNotFoundError:
            return path
        if not stat.S_ISDIR(found.st_mode):
            raise NotADirectoryError
        os.listdir(path)  # noqa: PTH208  (raises what is wrong)
    return path


@contextmanager
def state_dir_errors(path: Path) -> Iterator[None]:
    """What the disk says against ``path`` becomes a `Mistake` that names the option."""
    try:
        yield
    except (NotADirectoryError, FileExistsError):
        places = (path, *path.parents)
        file = next((place for place in places if place.exists() and not place.is_dir()), path)
        raise _unfit(path, f"{_shown(file)} is no folder") from None
    except OSError as error:
        raise _unfit(path, (error.strerror or str(error)).lower()) from None


def _unfit(path: Path, why: str) -> Mistake:
    return Mistake(
        f"--state-dir is {_shown(path)}: {why}; give a folder that you may read and write, or one "
        "that can be made"
    )


def _shown(path: Path) -> str:
    text = str(path)
    return text if len(text) <= 100 else f"{text[:60]}…{text[-30:]}"
