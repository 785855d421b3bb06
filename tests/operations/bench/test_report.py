"""A variant's figures."""

from __future__ import annotations

import json
import math

import pytest

from sagemaker_serving.errors import Failure
from sagemaker_serving.operations.bench import Difference, InputDifference, VariantReport
from sagemaker_serving.operations.bench.load import load


def a_report(*seconds: float, **more: object) -> VariantReport:
    return VariantReport(name="v", seconds=seconds, duration_seconds=2.0, **more)  # type: ignore[arg-type]


def test_what_was_measured_in_parts_counts_every_answer_and_every_failure() -> None:
    parts = [a_report(1.0, errors={"a": 2}), a_report(2.0, errors={"a": 3, "b": 1})]
    whole = VariantReport.joined("v", parts)
    assert (whole.seconds, whole.duration_seconds, whole.failed) == ([1.0, 2.0], 4.0, 6)
    assert whole.errors == {"a": 5, "b": 1}


@pytest.mark.parametrize(
    ("seconds", "percent", "found"),
    [
        ((), 50, None),
        ((0.5,), 99, 0.5),
        ((3.0, 1.0, 2.0), 50, 2.0),
        ((1.0, 2.0), 50, 1.5),
        (tuple(float(number) for number in range(101)), 90, 90.0),
        ((1.0, 3.0), 0, 1.0),
        ((1.0, 3.0), 100, 3.0),
    ],
)
def test_percentiles(seconds: tuple[float, ...], percent: float, found: float | None) -> None:
    assert a_report(*seconds).percentile(percent) == found


def test_what_fails_is_no_throughput() -> None:
    report = a_report(0.1, 0.1, errors={"no": 3})
    assert (report.per_second, report.failed) == (1.0, 3)
    assert report.as_dict()["requests"] == 5


def test_a_difference_of_form_is_json_too() -> None:
    other = Difference(size=math.inf, path="", expected=b"a", found=1)
    report = a_report(difference=InputDifference(baseline="w", input="i", difference=other))
    text = json.dumps(report.as_dict(), default=str, allow_nan=False)
    assert json.loads(text)["largest_difference"]["size"] is None


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
