"""Steady requests to an endpoint while a test does something to it."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import Any

from tests.local_aws.aws import Aws


class Load:
    """Requests at a rate from a thread, and what came back."""

    def __init__(
        self, aws: Aws, endpoint: str, *, per_second: float, body: bytes = b"which", **more: Any
    ) -> None:
        self.answers: list[bytes] = []
        self.failures: list[Exception] = []
        self._ask = partial(aws.ask, endpoint, body, **more)
        self._pause = 1 / per_second
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Load:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        due = time.monotonic() + self._pause
        while not self._ended.wait(max(0.0, due - time.monotonic())):
            due += self._pause  # of the schedule, not of the last answer: the rate is kept
            try:
                self.answers.append(self._ask())
            except Exception as failure:
                self.failures.append(failure)
