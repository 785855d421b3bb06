"""Processes that leave nothing at their end, and what falls to this one when they are killed."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from local_aws.process import supervisor
from local_aws.process.supervisor import PATIENCE_SECONDS, adopt_orphans, end_descendants

ISOLATED_PYTHON = (sys.executable, "-I", "-S")
"""Without this environment's packages and variables."""

SUPERVISOR: str = supervisor.__file__
"""The program, and the module for those that are forks of one process."""

_LOOK_SECONDS = 2.0


class OwnProcess(Protocol):
    """A process as `subprocess.Popen` has it."""

    @property
    def pid(self) -> int:
        """The process id."""

    @property
    def returncode(self) -> int | None:
        """The exit status, once the end has been seen."""

    def terminate(self) -> None:
        """Send SIGTERM."""

    def kill(self) -> None:
        """Send SIGKILL."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; raises `subprocess.TimeoutExpired`."""


_P = TypeVar("_P", bound=OwnProcess)
_starting = threading.Lock()
_own: weakref.WeakSet[OwnProcess] = weakref.WeakSet()


class Tree:
    """A command under a supervisor (`supervisor`), with all that it starts.

    It ends with this process, however that ends, and with the processes of ``pidfds``.
    ``options`` are those of `subprocess.Popen`. At its end as a context manager nothing of it is
    left. ``process`` is the supervisor, which ends as the command does.
    """

    def __init__(
        self, command: Sequence[str], *, pidfds: Sequence[int] = (), **options: Any
    ) -> None:
        their_end, self._parent_pipe = os.pipe()
        watched = ",".join(map(str, pidfds)) or "-"
        try:
            self.process = popen(
                [*ISOLATED_PYTHON, SUPERVISOR, str(their_end), watched, *command],
                pass_fds=(their_end, *pidfds),
                **options,
            )
        except BaseException:
            os.close(self._parent_pipe)
            raise
        finally:
            os.close(their_end)

    def __enter__(self) -> Tree:
        return self

    def __exit__(self, *_: object) -> None:
        end_tree(self.process)
        os.close(self._parent_pipe)


def popen(command: Sequence[str], **options: Any) -> subprocess.Popen[Any]:
    """`subprocess.Popen` for a process that adopts orphans, in a session of its own."""
    return own(lambda: subprocess.Popen(command, start_new_session=True, **options))


def own(start: Callable[[], _P]) -> _P:
    """The process that ``start`` makes at once; while it runs, it is no leftover of another's."""
    with _starting:
        process = start()
        _own.add(process)
        return process


def end_tree(process: OwnProcess) -> None:
    """End a supervisor: told to, or by force when it does not come to it in time."""
    process.terminate()
    try:
        process.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        end_descendants(process.pid)
        process.kill()
        process.wait()


@contextmanager
def ending_all() -> Iterator[None]:
    """At the end of the block nothing is left that this process has started, or adopted."""
    adopt_orphans()
    try:
        yield
    finally:
        end_descendants()


def end_leftovers_from_now_on() -> None:
    """Kill whatever falls to this process because its own supervisor was killed, when it does.

    Processes of `popen` and `own`, and those of this process's own session are no such leftovers.
    To be called from the main thread.
    """
    if not adopt_orphans():
        return
    # A signal may come while the last one is being handled: of all queues this one bears that.
    ends: queue.SimpleQueue[None] = queue.SimpleQueue()
    signal.signal(signal.SIGCHLD, lambda *_: ends.put(None))

    def watch() -> None:
        while True:
            with contextlib.suppress(queue.Empty):
                # A main thread that is about to wait misses its signal: look without one, too.
                ends.get(timeout=_LOOK_SECONDS)
            while not ends.empty():
                ends.get()
            with _starting:
                end_descendants(spare=_is_no_leftover)

    threading.Thread(target=watch, name="leftovers", daemon=True).start()


def _is_no_leftover(pid: int, session: int) -> bool:
    return session == os.getsid(0) or pid in {
        process.pid for process in _own if process.returncode is None
    }
