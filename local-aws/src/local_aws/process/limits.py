"""What a process may have of the system: open files and connections, and memory beyond its own."""

from __future__ import annotations

import ctypes
import resource
from contextlib import suppress

_MANY_FILES = 65_536
"""Enough. Where any number is allowed, some programs close each that could be open, one by one."""

_M_ARENA_MAX, _ARENAS = -8, 2
_M_MMAP_THRESHOLD, _LARGE_BYTES = -3, 1 << 20


def raise_file_limit() -> None:
    """Let this process, and what it starts from now on, open as many files as it may be allowed.

    A shell allows 1024, for the sake of programs that use select(2), though the system would allow
    more (systemd.exec(5), "LimitNOFILE"); a request that is passed on takes two.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MANY_FILES if hard == resource.RLIM_INFINITY else min(hard, _MANY_FILES)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    with suppress(OSError, ValueError):  # macOS may allow fewer than it says
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def return_freed_memory() -> None:
    """Give the system back what this process has freed, from now on, as far as glibc can.

    glibc keeps up to eight heaps per core for threads, and puts objects of up to 32 MiB into them
    once one of that size was freed; what lies above keeps a heap from shrinking (mallopt(3),
    "M_ARENA_MAX" and "M_MMAP_THRESHOLD"). A state of 30 MB, saved again and again,
    cost 100 MB by that. What the process starts is not concerned.
    """
    with suppress(OSError, AttributeError):  # another C library
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_ARENA_MAX, _ARENAS)
        mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)
