"""Files that are whole or as they were: how everything here is written that somebody keeps."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
        with partial_file(target.parent) as partial:
            yield partial
            if target.exists():
                partial.chmod(stat.S_IMODE(target.stat().st_mode))
            partial.replace(target)
    except OSError as error:
        if error.filename is not None and Path(error.filename).parent == target.parent:
            error.filename = str(path)
        raise


@contextmanager
def partial_file(folder: Path) -> Iterator[Path]:
    """An empty file in ``folder`` for what is not finished yet; it is gone afterwards."""
    partial = folder / f".unfinished-{secrets.token_hex(6)}"
    os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        yield partial
    finally:
        partial.unlink(missing_ok=True)
