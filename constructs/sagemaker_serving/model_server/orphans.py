"""What the front's children leave behind: adopted by the front, and ended when it is time.

In a container that is what its first process does. What user code starts beside its worker, in a
session of its own, lives on when a request or a gunicorn worker ends, and ends with the process
that the front has started for it, or with the container.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Protocol

from local_aws.process import end_descendants, reap_orphans
from local_aws.process.forking import fork

_REAPED_WITHIN_SECONDS = 1.0

_own: set[int] = set()
_being_started = 0


class Process(Protocol):
    """A child of the front, as asyncio has one."""

    @property
    def pid(self) -> int:
        """The process id."""

    async def wait(self) -> int:
        """Wait for its end; the exit status, less than 0 for a signal."""

    def send_signal(self, signal: int) -> None:
        """Send a signal; raises `ProcessLookupError` when it has ended."""

    def kill(self) -> None:
        """Send SIGKILL."""


async def spawn(*command: str, **options: Any) -> asyncio.subprocess.Process:
    """`asyncio.create_subprocess_exec` for a child of the front; its end is waited for by `end_of`.

    Not with pipes of asyncio's own: with those an end is an end only once all who hold them have
    ended, orphans too.
    """
    global _being_started
    _being_started += 1
    try:
        process = await asyncio.create_subprocess_exec(*command, **options)
        _own.add(process.pid)
    finally:
        _being_started -= 1
    return process


def fork_child(life: Callable[[], int], *, keep: Iterable[int]) -> Process:
    """The same as a fork of the front (`forking.fork`)."""
    process = _Fork(fork(life, keep=keep))
    _own.add(process.pid)
    return process


class _Fork:
    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[int] = self._loop.create_future()
        threading.Thread(target=self._wait, name=f"end of {pid}", daemon=True).start()

    async def wait(self) -> int:
        return await asyncio.shield(self._ended)

    def send_signal(self, signal: int) -> None:
        if self._ended.done():
            raise ProcessLookupError
        os.kill(self.pid, signal)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _wait(self) -> None:
        status = int(signal.SIGKILL)  # when all were killed at the end, and reaped there
        with suppress(ChildProcessError):
            _, status = os.waitpid(self.pid, 0)
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(
                self._ended.set_result, os.waitstatus_to_exitcode(status)
            )


async def end_of(process: Process, *, ran_user_code: bool) -> int:
    """Wait for a child's end and return its status; orphans of user code are killed then."""
    status = await process.wait()
    _own.discard(process.pid)
    if ran_user_code:
        while _being_started:  # what is not known yet would be taken for an orphan
            await asyncio.sleep(0.001)
        end_descendants(spare=_is_own)
    return status


def reap_orphans_as_they_end() -> None:
    """Let no orphan stay a zombie; for the running loop, in the main thread."""
    loop = asyncio.get_running_loop()
    due: list[asyncio.TimerHandle] = []

    def reap() -> None:
        due.clear()
        if not _being_started:
            reap_orphans(_is_own)

    def reap_soon() -> None:
        if not due:
            due.append(loop.call_later(_REAPED_WITHIN_SECONDS, reap))

    loop.add_signal_handler(signal.SIGCHLD, reap_soon)


def _is_own(pid: int, session: int) -> bool:
    return pid in _own
