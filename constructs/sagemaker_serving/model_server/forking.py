"""Forks of a process that has imported what they need, which is most of what a start takes."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

log = logging.getLogger("front")


def fork(life: Callable[[], int], *, keep: Iterable[int] = ()) -> int:
    """Fork this process, and return the child's id; the child ends with the status of ``life``.

    To be called from the main thread. Signals do in the child what they do in a new process. Of
    this process's descriptors it has the standard ones and those of ``keep``.
    """
    _flush()
    pid = os.fork()
    if pid:
        return pid
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
        _flush()
        # Tearing TensorFlow down takes a second, and nothing is left to be saved.
        os._exit(status)


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
        stream.flush()
