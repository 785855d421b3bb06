"""When each request of a replay is sent."""

from __future__ import annotations

import time
from collections.abc import Sequence


class Pace:
    """The recorded rhythm, ``speed`` times as fast; None is as fast as the callers are free.

    ``times`` are when each request was, in seconds and in order. ``late_seconds`` is how far the
    replay fell behind at most, because every caller was waiting for an answer.
    """

    def __init__(self, times: Sequence[float], speed: float | None) -> None:
        self._times = times
        self._speed = speed
        self._began = time.monotonic()
        self.late_seconds = 0.0

    def begin(self) -> None:
        """The first request is due now."""
        self._began = time.monotonic()

    def wait(self, number: int) -> None:
        """Wait until the request of this number is due."""
        if self._speed is None:
            return
        due = self._began + (self._times[number] - self._times[0]) / self._speed
        ahead = due - time.monotonic()
        if ahead > 0:
            time.sleep(ahead)
        else:
            self.late_seconds = max(self.late_seconds, -ahead)
