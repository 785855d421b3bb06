"""How many requests are under way at a time, when the endpoint says that they are too many."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf

from sagemaker_serving.errors import Failure


@dataclass
class Pace:
    """Any number of requests at a time, until one is refused because there are too many.

    A refusal halves what was under way, and every answer adds one over a round of them: additive
    increase, multiplicative decrease, as TCP shares a line (RFC 5681, section 3.1). Refusals of
    requests that were under way together count once. Threads may share it.
    """

    most: float = inf
    """Requests that may be under way; 1 and more."""

    refusals: int = 0
    """How many there were."""

    _under_way: int = 0
    _halved: int = 0
    _closed: bool = False
    _changed: threading.Condition = field(default_factory=threading.Condition, repr=False)

    @contextmanager
    def turn(self) -> Iterator[Turn]:
        """Waits until one more request may be sent; it is under way while the block runs.

        Raises `Failure` when `close` was called meanwhile.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._under_way < max(1, self.most))
            if self._closed:
                raise closed()
            self._under_way += 1
            turn = Turn(_pace=self, _since=self._halved)
        try:
            yield turn
        finally:
            with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    def close(self) -> None:
        """Ends every wait for a turn, now and later, with an error."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One request that is under way."""

    _pace: Pace
    _since: int

    def answered(self) -> None:
        """It was taken: one more may be sent after a round of these."""
        pace = self._pace
        with pace._changed:
            pace.most += 1 / pace.most

    def refused(self) -> None:
        """It was refused because there were too many."""
        pace = self._pace
        with pace._changed:
            pace.refusals += 1
            if self._since == pace._halved:
                pace.most = max(1.0, min(pace.most, pace._under_way) / 2)
                pace._halved += 1


def closed() -> Failure:
    """What is said to those who wait when the predictor is closed."""
    return Failure("the predictor was closed while it waited")
