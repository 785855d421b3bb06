"""How many children run, fail and wait in a Map Run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from local_aws.services.stepfunctions.engine.batches import ChildInput, single
from local_aws.services.stepfunctions.engine.map_run import Child, MapRun, Tolerance


class Work:
    """Stands for an execution: does what it is told, and can be stopped."""

    def __init__(self, do: Callable[[], str]) -> None:
        self.status = "RUNNING"
        self._do = do

    def run(self) -> None:
        ended = self._do()
        if self.status == "RUNNING":
            self.status = ended

    def stop(self, **_: Any) -> None:
        if self.status == "RUNNING":
            self.status = "ABORTED"


def map_run(max_concurrency: int = 0, **tolerance: Any) -> MapRun:
    return MapRun(
        arn="arn:aws:states:eu-west-1:123456789012:mapRun:m/l:0",
        execution_arn="arn:aws:states:eu-west-1:123456789012:execution:m:e",
        machine_arn="arn:aws:states:eu-west-1:123456789012:stateMachine:m/l",
        max_concurrency=max_concurrency,
        tolerance=Tolerance(**tolerance),
    )


def process(run: MapRun, inputs: list[ChildInput], do: Callable[[Any], str]) -> None:
    def start(child: Child) -> Any:
        return Work(lambda: do(child.input))

    run.process(inputs, start, lambda: True)


@pytest.mark.parametrize(
    ("tolerance", "failed", "exceeded"),
    [
        ({}, 0, False),
        ({}, 1, True),
        ({"count": 0}, 1, True),
        ({"count": 2}, 2, False),
        ({"count": 2}, 3, True),
        ({"percentage": 30.0}, 3, False),
        ({"percentage": 29.9}, 3, True),
        ({"count": 5, "percentage": 10.0}, 2, True),
        ({"count": 1, "percentage": 90.0}, 2, True),
        ({"percentage": 100.0}, 10, False),
    ],
)
def test_tolerance_is_a_count_a_percentage_or_the_stricter_of_both(
    tolerance: dict[str, Any], failed: int, exceeded: bool
) -> None:
    assert Tolerance(**tolerance).exceeded(failed, 10) is exceeded


def test_no_more_children_run_at_once_than_may() -> None:
    lock, now, most = threading.Lock(), 0, 0
    together = threading.Barrier(3)

    def do(_: Any) -> str:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        together.wait(timeout=120)  # three must be there at once, or this breaks
        with lock:
            now -= 1
        return "SUCCEEDED"

    run = map_run(max_concurrency=3)
    process(run, single(range(12)), do)
    assert most == 3
    assert run.describe()["executionCounts"]["succeeded"] == 12


def test_a_failed_batch_counts_with_all_its_items() -> None:
    run = map_run(count=4)
    batches = [ChildInput(value=n, item_count=5) for n in range(2)]
    process(run, batches, lambda item: "FAILED" if item == 0 else "SUCCEEDED")
    assert run.has_failed
    assert run.describe()["itemCounts"]["failed"] == 5
    assert run.describe()["executionCounts"]["failed"] == 1


def test_limits_can_be_raised_while_it_runs() -> None:
    run = map_run(max_concurrency=1)
    both = threading.Barrier(2)

    def do(_: Any) -> str:
        run.update(2, 7, None)
        both.wait(timeout=120)
        return "SUCCEEDED"

    process(run, single([1, 2]), do)
    described = run.describe()
    assert (described["maxConcurrency"], described["toleratedFailureCount"]) == (2, 7)


def test_a_run_that_is_no_longer_wanted_leaves_its_children() -> None:
    run = map_run(max_concurrency=1)
    wanted, release = threading.Event(), threading.Event()
    wanted.set()

    def do() -> str:
        wanted.clear()
        release.wait(120)
        return "SUCCEEDED"

    def started(_: Child) -> Any:
        return Work(do)

    run.process(single([1, 2, 3]), started, wanted.is_set)
    counts = run.describe()["executionCounts"]
    release.set()
    assert (counts["aborted"], counts["pending"]) == (1, 2)
