"""Requests from so many callers at once, for so many seconds."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable

from sagemaker_serving.operations.bench import VariantReport

Send = Callable[[int], None]
"""Sends the request of that number and returns when it was answered; raises when it was not."""


def load(name: str, sender: Callable[[], Send], *, callers: int, seconds: float) -> VariantReport:
    """Has ``callers`` send for ``seconds``, each the next request when the last was answered.

    ``name`` is what the report is called. ``sender`` makes each caller's own
    way to send: a connection of its own. The first tenth of the time warms up
    and is not counted.
    """
    began = time.perf_counter()
    counted_from, ends = began + seconds / 10, began + seconds
    found: list[list[float]] = [[] for _ in range(callers)]
    errors: Counter[str] = Counter()
    lock = threading.Lock()

    def call(caller: int) -> None:
        send = sender()
        number = caller
        while (sent := time.perf_counter()) < ends:
            try:
                send(number)
            except Exception as error:
                with lock:
                    errors[str(error)] += 1
            else:
                if sent >= counted_from:
                    found[caller].append(time.perf_counter() - sent)
            number += callers

    threads = [threading.Thread(target=call, args=(caller,)) for caller in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return VariantReport(
        name=name,
        seconds=[second for each in found for second in each],
        duration_seconds=time.perf_counter() - counted_from,
        errors=dict(errors),
    )
