"""A Map Run: the child executions of one Distributed Map, as many at once as it may.

https://docs.aws.amazon.com/step-functions/latest/dg/state-map-distributed.html and
https://docs.aws.amazon.com/step-functions/latest/dg/maprun-fail-threshold.html.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from local_aws.clock import now
from local_aws.services.stepfunctions.engine.batches import ChildInput

AT_ONCE = 1000
"""Children that run at the same time at most; AWS's own limit is 10,000."""

_LOOK_SECONDS = 0.25
_STOPPED = "The parent Map Run was stopped."
_FAILED = ("FAILED", "TIMED_OUT", "ABORTED")
_COUNTED = {
    "PENDING": "pending",
    "RUNNING": "running",
    "SUCCEEDED": "succeeded",
    "FAILED": "failed",
    "TIMED_OUT": "timedOut",
    "ABORTED": "aborted",
}


class ChildExecution(Protocol):
    """What a Map Run, and the files that it writes, ask of an execution."""

    arn: str
    name: str
    status: str
    start_date: datetime
    stop_date: datetime | None
    output: str | None
    error: str | None
    cause: str | None

    @property
    def machine_arn(self) -> str:
        """The machine's, with the label of the Distributed Map."""

    def run(self) -> None:
        """Run to the end, in this thread."""

    def stop(self, *, error: str | None = None, cause: str | None = None) -> None:
        """Abort it."""

    def output_value(self) -> Any:
        """What it put out; None unless it succeeded."""

    def redrive(self) -> dict[str, str]:
        """Whether AWS would redrive it, as DescribeExecution says."""


@dataclass(kw_only=True, eq=False)
class Child:
    """One child execution, or its input while it has not started."""

    input: Any
    item_count: int
    execution: ChildExecution | None = None

    @property
    def status(self) -> str:
        """The execution's status; PENDING before it starts."""
        return "PENDING" if self.execution is None else self.execution.status


@dataclass(kw_only=True)
class Tolerance:
    """How many items may fail; what is absent sets no limit, and without both none may.

    ``percentage`` is 0 to 100.
    """

    count: int | None = None
    percentage: float | None = None

    def exceeded(self, failed: int, total: int) -> bool:
        """Whether so many failed items fail the Map Run."""
        if self.count is None and self.percentage is None:
            return failed > 0
        too_many = self.count is not None and failed > self.count
        too_large = self.percentage is not None and failed * 100 > self.percentage * total
        return too_many or too_large


class MapRun:
    """Children of a Distributed Map, their limits and how far they are.

    ``arn`` ends in ``<machine>/<label>:<uuid>``; ``max_concurrency`` 0 is no limit but
    `AT_ONCE`.
    """

    def __init__(
        self,
        *,
        arn: str,
        execution_arn: str,
        machine_arn: str,
        max_concurrency: int,
        tolerance: Tolerance,
    ) -> None:
        self.arn = arn
        self.uuid = arn.rpartition(":")[2]
        self.execution_arn = execution_arn
        self.machine_arn = machine_arn
        self.max_concurrency = max_concurrency
        self.tolerance = tolerance
        self.status = "RUNNING"
        self.start_date: datetime = now()
        self.stop_date: datetime | None = None
        self.children: list[Child] = []
        self._written: set[int] = set()
        self._waiting: list[Child] = []
        self._workers = 0
        self._over = False
        self._failed_items = 0
        self._total_items = 0
        self._changed = threading.Condition()

    def process(
        self,
        inputs: Iterable[ChildInput],
        start: Callable[[Child], ChildExecution],
        wanted: Callable[[], bool],
    ) -> None:
        """Run a child for each input; return when all have ended.

        Or earlier: when more fail than may, or when the run is no longer ``wanted``; then the
        children that run are aborted and the others stay pending.
        """
        with self._changed:
            self.children = [Child(input=each.value, item_count=each.item_count) for each in inputs]
            self._total_items = sum(child.item_count for child in self.children)
            self._waiting = self.children[::-1]
            while self._is_going_on() and wanted():
                while self._waiting and self._workers < self._limit():
                    self._workers += 1
                    self._hire(start, self._waiting.pop())
                self._changed.wait(_LOOK_SECONDS)
            self._over = True
        self._abort_running()

    @property
    def has_failed(self) -> bool:
        """Whether more items have failed than may."""
        return self.tolerance.exceeded(self._failed_items, self._total_items)

    def end(self, status: str) -> None:
        """The run is over: SUCCEEDED, FAILED or ABORTED; only the first end counts."""
        with self._changed:
            self._over = True
            if self.status == "RUNNING":
                self.status = status
                self.stop_date = now()
            self._changed.notify_all()

    def stop(self) -> None:
        """End the run as ABORTED, and every child that runs."""
        self.end("ABORTED")
        self._abort_running()

    def update(
        self, max_concurrency: int | None, count: int | None, percentage: float | None
    ) -> None:
        """Change limits while it runs; None leaves one as it is."""
        with self._changed:
            if max_concurrency is not None:
                self.max_concurrency = max_concurrency
            if count is not None:
                self.tolerance.count = count
            if percentage is not None:
                self.tolerance.percentage = percentage
            self._changed.notify_all()

    def results_written(self, children: Iterable[Child]) -> None:
        """A result writer has written these."""
        self._written |= {id(child) for child in children}

    def describe(self) -> dict[str, Any]:
        """DescribeMapRun's answer."""
        count, percentage = self.tolerance.count, self.tolerance.percentage
        ended = {} if self.stop_date is None else {"stopDate": self.stop_date}
        return {
            "mapRunArn": self.arn,
            "executionArn": self.execution_arn,
            "status": self.status,
            "startDate": self.start_date,
            **ended,
            "maxConcurrency": self.max_concurrency,
            "toleratedFailureCount": 0 if count is None else count,
            "toleratedFailurePercentage": 0.0 if percentage is None else percentage,
            "itemCounts": self._counts(lambda child: child.item_count),
            "executionCounts": self._counts(lambda _: 1),
            "redriveCount": 0,
        }

    def list_item(self) -> dict[str, Any]:
        """The run among others, as ListMapRuns has it."""
        ended = {} if self.stop_date is None else {"stopDate": self.stop_date}
        return {
            "executionArn": self.execution_arn,
            "mapRunArn": self.arn,
            "stateMachineArn": self.machine_arn,
            "startDate": self.start_date,
            **ended,
        }

    def _hire(self, start: Callable[[Child], ChildExecution], first: Child) -> None:
        arguments = (start, first)
        name = f"map {self.uuid}"
        threading.Thread(target=self._work, args=arguments, name=name, daemon=True).start()

    def _work(self, start: Callable[[Child], ChildExecution], first: Child) -> None:
        child: Child | None = first
        while child is not None:
            execution = start(child)
            with self._changed:
                child.execution = execution
                too_late = self._over
            if too_late:
                execution.stop(cause=_STOPPED)
            execution.run()
            with self._changed:
                if child.status in _FAILED:
                    self._failed_items += child.item_count
                self._changed.notify_all()
            child = self._next()

    def _next(self) -> Child | None:
        with self._changed:
            if self._waiting and self._is_going_on() and self._workers <= self._limit():
                return self._waiting.pop()
            self._workers -= 1
            self._changed.notify_all()
            return None

    def _is_going_on(self) -> bool:
        idle = not self._waiting and self._workers == 0
        return not (self._over or idle or self.has_failed)

    def _limit(self) -> int:
        return AT_ONCE if self.max_concurrency == 0 else min(self.max_concurrency, AT_ONCE)

    def _abort_running(self) -> None:
        for child in self.children:
            if child.execution is not None:
                child.execution.stop(cause=_STOPPED)

    def _counts(self, weight: Callable[[Child], int]) -> dict[str, int]:
        counts = dict.fromkeys([*_COUNTED.values(), "resultsWritten", "total"], 0)
        for child in self.children:
            counts[_COUNTED[child.status]] += weight(child)
            counts["total"] += weight(child)
            if id(child) in self._written:
                counts["resultsWritten"] += weight(child)
        return counts


class EndedMapRun:
    """A Map Run of an earlier life of the local AWS: no more than what it was described as."""

    def __init__(self, described: Mapping[str, Any]) -> None:
        self.arn: str = described["mapRunArn"]
        self.machine_arn: str = described["stateMachineArn"]
        self._described = {
            key: value for key, value in described.items() if key != "stateMachineArn"
        }

    def describe(self) -> dict[str, Any]:
        """DescribeMapRun's answer."""
        return dict(self._described)

    def list_item(self) -> dict[str, Any]:
        """The run among others, as ListMapRuns has it."""
        shown = ("executionArn", "mapRunArn", "startDate", "stopDate")
        kept = {key: self._described[key] for key in shown if key in self._described}
        return {**kept, "stateMachineArn": self.machine_arn}

    def update(self, *_: Any) -> None:
        """Nothing changes any more."""

    def stop(self) -> None:
        """It has ended already."""


AnyMapRun = MapRun | EndedMapRun
"""One that runs or has run in this life, or one of an earlier."""
