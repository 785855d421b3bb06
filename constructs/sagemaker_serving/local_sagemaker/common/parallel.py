"""Several things at once, and an end when all are done."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence


def in_parallel(tasks: Sequence[Callable[[], None]]) -> None:
    """Do every task at once, each in a thread; return when all are done."""
    threads = [threading.Thread(target=task, daemon=True) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
