"""Ctrl-C where no command runs that could tell of it: before one is imported, and after its end.

Python would show where it was by then. It imports nothing that takes time.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


def end_without_a_word() -> None:
    """Ctrl-C ends this process from now on as it ends any program, which shells call status 130.

    Where it is ignored, as in what a shell runs in the background, it stays so.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def told_as_errors() -> Iterator[None]:
    """Ctrl-C is a `KeyboardInterrupt` in the block, where `end_without_a_word` was called."""
    was_called = signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    if was_called:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if was_called:
            end_without_a_word()
