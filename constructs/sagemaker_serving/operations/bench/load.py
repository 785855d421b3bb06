"""Requests from so many callers at once, and how long each took."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from itertools import count

from sagemaker_serving.client.in_order import threads
from sagemaker_serving.errors import ReportedError
from sagemaker_serving.operations.bench.report import VariantReport

Send = Callable[[int], float]
"""Sends the request of that number: the seconds until it was answered. Raises `ReportedError`
when it was not."""


def load(
    name: str, sender: Callable[[], Send], *, callers: int, more: Callable[[int], bool]
) -> VariantReport:
    """Has ``callers`` send, each the next request when its last one was answered.

    ``name`` is what the report is called. ``sender`` makes each caller's own way to send. Requests
    are numbered from 0; ``more`` says of a number whether that one is still sent. What fails is
    counted by the first line of what was said.
    """
    numbers = count()
    seconds: list[float] = []
    errors: list[str] = []

    def call() -> None:
        send = sender()
        # next() of itertools.count is atomic: no number is taken twice.
        while more(number := next(numbers)):
            try:
                seconds.append(send(number))
            except ReportedError as error:
                errors.append(_summary(error))

    began = time.perf_counter()
    with threads(callers) as pool:
        for caller in [pool.submit(call) for _ in range(callers)]:
            caller.result()
    return VariantReport(
        name=name,
        seconds=seconds,
        duration_seconds=time.perf_counter() - began,
        errors=dict(Counter(errors).most_common()),
    )


def load_for(
    seconds: float, name: str, sender: Callable[[], Send], *, callers: int
) -> VariantReport:
    """`load` for so many seconds, of which the first tenth warms up and is not counted."""
    load(name, sender, callers=callers, more=_within(seconds * 0.1))
    return load(name, sender, callers=callers, more=_within(seconds * 0.9))


def _within(seconds: float) -> Callable[[int], bool]:
    ends = time.perf_counter() + seconds
    return lambda _: time.perf_counter() < ends


def _summary(error: Exception) -> str:
    """A trace has many lines, and no two are alike."""
    return str(error).partition("\n")[0].partition("; its log:")[0][:300]
