"""A progress bar on a terminal, nothing anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from local_aws.terminal import progress_bars

Progress = Callable[[int, int], None]
"""Is told what is done and what there is in all: bytes, or what is counted."""


@contextmanager
def progress_bar(title: str, *, counts: bool = False) -> Iterator[Progress | None]:
    """A bar called ``title`` on standard error, gone when its block ends.

    Gives what it is to be told, or None when standard error is no terminal. Shows bytes and their
    speed; with ``counts``, how many things are done and the time left.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress

    if counts:
        bars = progress_bars(progress.MofNCompleteColumn(), progress.TimeRemainingColumn())
    else:
        bars = progress_bars(progress.DownloadColumn(), progress.TransferSpeedColumn())
    with bars:
        task = bars.add_task(title, total=None)

        def advance(done: int, total: int) -> None:
            bars.update(task, completed=done, total=total)

        yield advance


class WatchedFile:
    """The file ``path``, opened for reading, with a progress bar while it is read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._size = path.stat().st_size
        self._done = 0

    def __enter__(self) -> WatchedFile:
        self._file: BinaryIO = self._path.open("rb")
        self._bar = progress_bar(f"read {self._path.name}")
        self._progress = self._bar.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._bar.__exit__(None, None, None)
        self._file.close()

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes; none at the end."""
        part = self._file.read(size)
        self._done += len(part)
        if self._progress is not None:
            self._progress(self._done, self._size)
        return part
