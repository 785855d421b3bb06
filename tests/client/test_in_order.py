"""Threads at work, results in order."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.client.in_order import in_order
from sagemaker_serving.errors import Failure


@given(count=st.integers(0, 40), threads=st.integers(1, 5), ahead=st.none() | st.integers(1, 9))
def test_results_come_in_the_order_of_the_items(
    count: int, threads: int, ahead: int | None
) -> None:
    lock, busy, busiest = threading.Lock(), 0, 0

    def work(item: int) -> int:
        nonlocal busy, busiest
        with lock:
            busy += 1
            busiest = max(busiest, busy)
        with lock:
            busy -= 1
        return item * 2

    with ThreadPoolExecutor(threads + 2) as executor:
        results = in_order(work, range(count), executor=executor, at_once=threads, ahead=ahead)
        assert list(results) == [item * 2 for item in range(count)]
    assert busiest <= threads


@given(count=st.integers(1, 40), broken=st.integers(0, 39), threads=st.integers(1, 5))
def test_the_first_error_ends_it_and_little_more_is_begun(
    count: int, broken: int, threads: int
) -> None:
    begun: list[int] = []

    def work(item: int) -> int:
        begun.append(item)
        if item == broken:
            raise Failure(f"item {item}")
        return item

    with ThreadPoolExecutor(threads) as executor:
        results = in_order(work, range(count), executor=executor, at_once=threads)
        if broken >= count:
            assert list(results) == list(range(count))
            return
        with pytest.raises(Failure, match=f"item {broken}"):
            list(results)
    assert set(begun) >= set(range(broken + 1))


def test_items_that_break_are_an_error() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("the source broke")

    with ThreadPoolExecutor(2) as executor, pytest.raises(ValueError, match="the source broke"):
        list(in_order(lambda item: item, items(), executor=executor, at_once=2))


def test_nothing_begins_after_an_error_whose_turn_has_not_come() -> None:
    class FailsOnceItIsLookedAt(Future[int]):
        def done(self) -> bool:
            was_done = super().done()
            if not was_done:
                self.set_exception(Failure("too late for this look"))
            return was_done

    class Executor(ThreadPoolExecutor):
        def submit(self, *_: object) -> Future[int]:  # type: ignore[override]
            return FailsOnceItIsLookedAt()

    taken = iter(range(10))
    with pytest.raises(Failure, match="too late"):
        list(in_order(lambda item: item, taken, executor=Executor(1), at_once=1))
    assert next(taken) == 1
