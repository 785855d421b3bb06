"""Code that leaves processes behind as daemons do, and the look whether they are left."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import psutil
from typing_extensions import override

PATIENCE_SECONDS = 120.0
"""How long a test waits at most; no promise."""

LEAVE = """
import os as _os, signal as _signal, sys as _sys

_fork, _waitpid = _os.fork, _os.waitpid
if "gevent.monkey" in _sys.modules:
    # After a fork of gevent's own the parent sometimes hears of no child, here as in AWS's image.
    from gevent.monkey import get_original as _original
    _fork, _waitpid = _original("os", ["fork", "waitpid"])

def leave(note):
    '''Two processes without parent, group or session of this one; neither minds being told to end.

    The first holds every descriptor of this process, the second was executed anew. Returns once
    both live; their ids are in the file ``note``.
    '''
    for anew in (False, True):
        reading, writing = _os.pipe()
        _os.set_inheritable(writing, True)
        child = _fork()
        if child == 0:
            _os.setsid()
            if _fork() == 0:
                _signal.alarm(600)  # where a test fails it shall not stay for ever
                for number in (_signal.SIGTERM, _signal.SIGHUP, _signal.SIGINT, _signal.SIGQUIT):
                    _signal.signal(number, _signal.SIG_IGN)
                with open(note, "a") as file:
                    print(_os.getpid(), file=file)
                if anew:
                    tell = "import os, signal; os.write(%d, b'x'); signal.pause()" % writing
                    _os.execv(_sys.executable, [_sys.executable, "-I", "-S", "-c", tell])
                _os.write(writing, b"x")
                while True:
                    _signal.pause()
            _os._exit(0)
        _waitpid(child, 0)
        _os.read(reading, 1)
        _os.close(reading)
        _os.close(writing)
"""


class Note:
    """Where `LEAVE` writes down what it has left."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.path.touch()

    def __str__(self) -> str:
        return str(self.path)

    @property
    def pids(self) -> list[int]:
        """What was left, whether or not it lives."""
        return [int(line) for line in self.path.read_text().split()]

    def wait(self) -> list[int]:
        """`pids`, once something was left."""
        end = time.monotonic() + PATIENCE_SECONDS
        while len(self.pids) < 2:
            assert time.monotonic() < end, "nothing was left"
            time.sleep(0.01)
        return self.pids

    def nothing_is_left(self) -> bool:
        """Whether all of it has ended, or does."""
        assert len(self.pids) >= 2, "nothing was left to begin with"
        return gone(self.pids)


class Killed(subprocess.Popen[str]):
    """A process that a test which fails does not wait for."""

    @override
    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is not None:
            self.kill()
        super().__exit__(kind, error, trace)


def program(code: str, *arguments: object) -> Killed:
    """Python code as a program that may import tests; it is spoken to by its standard streams."""
    return Killed(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=Path(__file__).parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def said(by: subprocess.Popen[str]) -> str:
    """The next line that a program prints; empty when it has ended."""
    assert by.stdout is not None
    return by.stdout.readline().strip()


def lives(process: psutil.Process) -> bool:
    """Whether it runs: not one that has ended and whose end nobody has asked for yet."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:  # it ended between the two questions
        return False


def gone(pids: Iterable[int]) -> bool:
    """Whether these processes have ended, or do; the kernel tells when."""
    end = time.monotonic() + PATIENCE_SECONDS
    return all(_ends(pid, end) for pid in pids)


def _ends(pid: int, end: float) -> bool:
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        ready, _, _ = select.select([pidfd], [], [], max(0.0, end - time.monotonic()))
        return bool(ready)
    finally:
        os.close(pidfd)
