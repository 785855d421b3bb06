"""So many requests by so many callers, each once, and what fails is counted."""

from __future__ import annotations

import pytest

from sagemaker_serving.errors import Failure
from sagemaker_serving.operations.bench.load import load


def test_each_number_is_sent_once_whoever_takes_it() -> None:
    sent: list[int] = []

    def send(number: int) -> float:
        sent.append(number)
        return number / 1000

    report = load("many", lambda: send, callers=4, more=lambda number: number < 100)
    assert sorted(sent) == list(range(100))
    assert sorted(report.seconds) == [number / 1000 for number in range(100)]
    assert (report.name, report.failed) == ("many", 0)


def test_what_fails_is_counted_by_its_first_line() -> None:
    def send(number: int) -> float:
        raise Failure(f"refused\nTraceback {number}")

    report = load("", lambda: send, callers=2, more=lambda number: number < 5)
    assert (report.errors, report.seconds) == ({"refused": 5}, [])


def test_what_nobody_expected_is_raised() -> None:
    def send(number: int) -> float:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        load("", lambda: send, callers=1, more=lambda number: number < 5)
