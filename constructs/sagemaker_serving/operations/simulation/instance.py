"""One instance: requests that are worked on, alone or in batches, and those that wait."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from sagemaker_serving.operations.simulation.curve import ServiceCurve

if TYPE_CHECKING:
    from simpy import Environment, Event

INVOKE_SECONDS = 60.0
"""How long InvokeEndpoint waits for a model (API reference, InvokeEndpoint: "A customer's model
containers must respond to requests within 60 seconds", read 2026-11-25)."""

Answered = Callable[[float], None]
"""Is told when the request that was just answered had arrived."""


@dataclass(frozen=True, kw_only=True)
class Batching:
    """TensorFlow Serving's parameters, all of them known."""

    max_batch_size: int
    batch_timeout_seconds: float
    num_batch_threads: int
    max_enqueued_batches: int


@dataclass(frozen=True, kw_only=True)
class ServerLimits:
    """How much a server works on at once, and when a caller is told that it took too long.

    ``workers`` None: as many as its curve says. With ``batching`` these do not count.
    """

    workers: int | None = None
    batching: Batching | None = None
    timeout_seconds: float = INVOKE_SECONDS


class Instance:
    """A server that works through what it was given, first come first served.

    ``scale`` is how fast it is beside the one that was measured. Nobody takes a request back: what
    came too late was worked on all the same.
    """

    def __init__(
        self,
        environment: Environment,
        curve: ServiceCurve,
        *,
        scale: float,
        workers: int,
        random: Random,
        answered: Answered,
    ) -> None:
        self.outstanding = 0
        """Requests that are waiting or worked on."""
        self._environment = environment
        self._curve = curve
        self._scale = scale
        self._workers = workers
        self._random = random
        self._answered = answered
        self._busy = 0
        self._waiting: deque[float] = deque()

    def take(self, arrived: float) -> bool:
        """Takes a request; whether it did."""
        self.outstanding += 1
        if self._busy < self._workers:
            self._begin(arrived)
        else:
            self._waiting.append(arrived)
        return True

    def _begin(self, arrived: float) -> None:
        self._busy += 1
        takes = self._curve.seconds(self._busy, self.outstanding, self._random.random())
        done = self._environment.timeout(takes / self._scale, arrived)
        _then(done, self._end)

    def _end(self, done: Any) -> None:
        self._busy -= 1
        self.outstanding -= 1
        if self._waiting:
            self._begin(self._waiting.popleft())
        self._answered(done.value)


@dataclass(slots=True)
class _Batch:
    arrived: list[float] = field(default_factory=list)
    ripe: bool = False


class BatchingInstance:
    """A server that joins requests as TensorFlow Serving does, and refuses what it can't queue.

    As `model_server.engine.batching.Scheduler`, with requests of one example each.
    """

    def __init__(
        self,
        environment: Environment,
        curve: ServiceCurve,
        *,
        scale: float,
        batching: Batching,
        random: Random,
        answered: Answered,
    ) -> None:
        self.outstanding = 0
        """Requests that are waiting or worked on."""
        self._environment = environment
        self._curve = curve
        self._scale = scale
        self._batching = batching
        self._random = random
        self._answered = answered
        self._busy = 0
        self._joined = 0
        """Requests in the batches that run."""
        self._batches: deque[_Batch] = deque()

    def take(self, arrived: float) -> bool:
        """Takes a request; False: it is refused, since as many batches wait as may."""
        batches = self._batches
        if not batches or len(batches[-1].arrived) >= self._batching.max_batch_size:
            if len(batches) >= self._batching.max_enqueued_batches:
                return False
            batches.append(_Batch())
            waits = self._batching.batch_timeout_seconds
            timer = self._environment.timeout(waits, batches[-1])
            _then(timer, self._ripen)
        self.outstanding += 1
        batches[-1].arrived.append(arrived)
        self._dispatch()
        return True

    def _ripen(self, timer: Any) -> None:
        timer.value.ripe = True
        self._dispatch()

    def _dispatch(self) -> None:
        full = self._batching.max_batch_size
        while self._batches and self._busy < self._batching.num_batch_threads:
            first = self._batches[0]
            if len(self._batches) == 1 and len(first.arrived) < full and not first.ripe:
                return
            self._batches.popleft()
            self._busy += 1
            self._joined += len(first.arrived)
            done = self._environment.timeout(self._takes(len(first.arrived)) / self._scale, first)
            _then(done, self._end)

    def _takes(self, examples: int) -> float:
        """As measured by the examples of a batch; else by the callers that keep as many busy."""
        spread = self._curve.levels[0]
        known = self._curve.batch_seconds(examples, self._busy, self._batching.num_batch_threads)
        if known is not None:
            return known * spread.quantile(self._random.random()) / spread.mean
        takes = self._curve.seconds(self._joined, self.outstanding, self._random.random())
        if self.outstanding >= self._batching.max_batch_size:
            return takes
        # What was measured then has waited for more to join it, as this batch has already.
        return max(takes - self._batching.batch_timeout_seconds, takes / 10)

    def _end(self, done: Any) -> None:
        self._busy -= 1
        arrived = done.value.arrived
        self._joined -= len(arrived)
        self.outstanding -= len(arrived)
        self._dispatch()
        for each in arrived:
            self._answered(each)


def _then(event: Event, call: Callable[[Any], None]) -> None:
    assert event.callbacks is not None, "it was made just now"
    event.callbacks.append(call)
