"""Forks of a process that has imported what they need, which is most of what a start takes.

`serve` is that process; `local_aws.process.forks` starts it and asks it. It is also run by path,
without packages, so it takes the standard library alone.
"""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import socket
import struct
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

SIZE = struct.Struct("!I")
READY = b"r"

log = logging.getLogger("front")


def serve(asking: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Fork at each request until nobody can ask any more, which None tells.

    Returns in each fork alone, which leads a session of its own: what was asked for, and the
    descriptors that came with it. Of this function's own descriptors a fork has none, and signals
    do in it what they do in a new process. How each ended is told by the pipe that came first.
    """
    tell: dict[int, int] = {}
    waking, wake = os.pipe()
    os.set_blocking(waking, False)
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    poll = select.poll()
    for descriptor in (asking.fileno(), waking):
        poll.register(descriptor, select.POLLIN)
    asking.sendall(READY)
    while True:
        for descriptor, _ in poll.poll():
            if descriptor == waking:
                os.read(waking, 512)
                _tell_ends(tell)
                continue
            size, received, _, _ = socket.recv_fds(asking, SIZE.size, 4)
            if not size:
                return None
            for each in received:
                os.set_inheritable(each, False)
            request = json.loads(read_exactly(asking, SIZE.unpack(size)[0]))
            telling, *given = received
            _flush()
            if (pid := os.fork()) == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                asking.close()
                for each in (waking, wake, telling, *tell.values()):
                    os.close(each)
                os.setsid()
                return request, given
            for each in given:
                os.close(each)
            tell[pid] = telling
            asking.sendall(SIZE.pack(pid))


def fork(life: Callable[[], int], *, keep: Iterable[int] = ()) -> int:
    """Fork this process, and return the child's id; the child ends with the status of ``life``.

    To be called from the main thread. Signals do in the child what they do in a new process. Of
    this process's descriptors it has the standard ones and those of ``keep``.
    """
    _flush()
    return os.fork() or live(life, keep=keep)


def live(life: Callable[[], int], *, keep: Iterable[int] = ()) -> NoReturn:
    """End this fork with the status of ``life``; see `fork`."""
    status = 1
    try:
        _begin_anew(frozenset(keep))
        status = life()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        log.exception("process %d failed", os.getpid())
    finally:
        logging.shutdown()
        # Tearing TensorFlow down takes a second, and nothing is left to be saved.
        exit_at_once(status)


def exit_at_once(status: int) -> NoReturn:
    """End this process without waiting for its threads: they may wait for what has ended."""
    _flush()
    os._exit(status)


def read_exactly(connection: socket.socket, size: int) -> bytes:
    """The next ``size`` bytes; raises `ConnectionError` when there are fewer."""
    read = b""
    while len(read) < size:
        part = connection.recv(size - len(read))
        if not part:
            raise ConnectionError("the other end was closed")
        read += part
    return read


def _tell_ends(tell: dict[int, int]) -> None:
    for pid in list(tell):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            descriptor = tell.pop(pid)
            with suppress(BrokenPipeError):
                os.write(descriptor, str(os.waitstatus_to_exitcode(status)).encode())
            os.close(descriptor)


def _begin_anew(keep: frozenset[int]) -> None:
    signal.set_wakeup_fd(-1)  # the parent's event loop would hear of this process's signals
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    # Their numbers stay taken: an object of the parent's that is collected here closes its own.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in [int(each.name) for each in Path("/dev/fd").iterdir()]:
        if descriptor > 2 and descriptor not in keep | {nowhere}:
            os.dup2(nowhere, descriptor, inheritable=False)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # a full disk costs lines of a log, and no process
            stream.flush()
