"""Work in threads, its results in order, and only so much of it at once."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_order(
    work: Callable[[T], R],
    items: Iterable[T],
    *,
    executor: Executor,
    at_once: int,
    ahead: int | None = None,
) -> Iterator[R]:
    """``work`` of each of ``items``, in their order, ``at_once`` of them at a time.

    An item is taken when there is a thread for it, so never more than
    ``at_once`` unfinished ones exist. Results wait for their turn; with
    ``ahead`` no more than that many do. The first error, in the order of the
    items, ends it: what has not begun then never begins.
    """
    slots = threading.Semaphore(at_once)
    waiting: deque[Future[R]] = deque()
    failed = threading.Event()

    def done(future: Future[R]) -> None:
        if not future.cancelled() and future.exception() is not None:
            failed.set()
        slots.release()

    try:
        source = iter(items)
        while True:
            slots.acquire()
            if failed.is_set():
                break
            try:
                item = next(source)
            except StopIteration:
                break
            future = executor.submit(work, item)
            future.add_done_callback(done)
            waiting.append(future)
            del item
            while waiting and (waiting[0].done() or (ahead is not None and len(waiting) >= ahead)):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


@contextmanager
def threads(count: int) -> Iterator[ThreadPoolExecutor]:
    """So many threads, whose work the end of the block waits for; Ctrl-C does not."""
    pool = ThreadPoolExecutor(count)
    wait = True
    try:
        yield pool
    except KeyboardInterrupt:
        wait = False
        raise
    finally:
        pool.shutdown(wait=wait, cancel_futures=not wait)
