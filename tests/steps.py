"""Work in a process of its own that is killed right before one of its steps on the disk.

A step is a call from Python to the system that may change something on the disk, in any thread.
Counting up until the work ends before it comes to the number finds all of them.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from itertools import count
from typing import Any

_LOOKS = frozenset(
    {"stat", "lstat", "fstat", "fspath", "_path_normpath", "scandir", "listdir", "getcwd"}
    | {"read", "readinto", "tell", "fileno", "isatty", "getpid", "urandom"}
)
"""What changes nothing; whatever is not known to is a step."""

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    ["tests.archive.writing", "tests.local_aws.state.dying"]
)  # so that no process imports it again


def run(work: Callable[..., None], *arguments: Any, killed_at: int | None = None) -> bool:
    """Runs ``work``, a function of a module, in a new process, killed before that step, from 1.

    Whether it was: false once it has fewer steps.
    """
    process = _FORKS.Process(target=_counted, args=(work, arguments, killed_at))
    process.start()
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL), process.exitcode
    return process.exitcode != 0


def fork(work: Callable[..., None], *arguments: Any) -> bool:
    """Runs ``work`` in a copy of this process, whose threads must end; whether it was killed."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join(10)
    child = os.fork()
    if not child:
        status = 1
        try:
            work(*arguments)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL), code
    return code != 0


def _counted(work: Callable[..., None], arguments: tuple[Any, ...], killed_at: int | None) -> None:
    steps = count(1)

    def profile(_: Any, event: str, called: Any) -> None:
        if event == "c_call" and _is_step(called) and next(steps) == killed_at:
            os.kill(os.getpid(), signal.SIGKILL)

    if killed_at is not None:
        threading.setprofile(profile)
        sys.setprofile(profile)
    work(*arguments)
    sys.setprofile(None)


def _is_step(called: Any) -> bool:
    if called.__name__ in _LOOKS:
        return False
    is_of_a_file = isinstance(getattr(called, "__self__", None), io.IOBase)
    return is_of_a_file or getattr(called, "__module__", None) in ("posix", "io", "_io", "fcntl")
