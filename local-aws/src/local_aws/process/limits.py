"""How many files, and with them connections, a process may have open."""

from __future__ import annotations

import resource
from contextlib import suppress

_MANY_FILES = 65_536
"""Enough. Where any number is allowed, some programs close each that could be open, one by one."""


def raise_file_limit() -> None:
    """Let this process, and what it starts from now on, open as many files as it may be allowed.

    A shell allows 1024, for the sake of programs that use select(2), though the system would allow
    more (systemd.exec(5), "LimitNOFILE", read 2026-11-22); a request that is passed on takes two.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MANY_FILES if hard == resource.RLIM_INFINITY else min(hard, _MANY_FILES)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    with suppress(OSError, ValueError):  # macOS may allow fewer than it says
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
