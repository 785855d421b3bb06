"""Whether a process that is nobody's child has ended, told by the system and not by asking."""

from __future__ import annotations

import os
import select
import sys
import time
from contextlib import suppress

_LOOK_AGAIN_SECONDS = 0.1


def has_ended(pid: int, *, within_seconds: float | None = 0.0) -> bool:
    """Whether a process has ended, or does within that time; None waits until it has."""
    pidfd = open_pidfd(pid)
    if pidfd is None:
        return _is_gone(pid, within_seconds)
    try:
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        return bool(poll.poll(None if within_seconds is None else within_seconds * 1000))
    finally:
        os.close(pidfd)


def open_pidfd(pid: int) -> int | None:
    """A descriptor that can be read once the process has ended (pidfd_open(2), man7.org); None
    when it has, and where there is no such thing."""
    if sys.platform == "linux":
        with suppress(OSError):
            return os.pidfd_open(pid)
    return None


def _is_gone(pid: int, within_seconds: float | None) -> bool:
    end = None if within_seconds is None else time.monotonic() + within_seconds
    while True:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass  # somebody else's, and there
        if end is not None and time.monotonic() >= end:
            return False
        time.sleep(_LOOK_AGAIN_SECONDS)
