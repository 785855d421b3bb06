"""A service curve: kept, read again, and what it says between what was measured."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from sagemaker_serving.errors import Failure, Mistake
from sagemaker_serving.operations.bench import BenchInput, VariantReport
from sagemaker_serving.operations.simulation import (
    Batching,
    Level,
    ServerLimits,
    ServiceCurve,
    limits_of_variables,
)
from sagemaker_serving.operations.simulation.measuring import blocks_in, measured, variables_of
from tests.operations.simulation.served import batches, server

NO_LIMITS = ServerLimits()
ONE = BenchInput(name="1", body=b'{"instances": [1.0]}', content_type="application/json")


def measure(
    answers: dict[int, float], *, most: int = 64, limits: ServerLimits = NO_LIMITS
) -> tuple[ServiceCurve, list[tuple[int, int]]]:
    """The curve of a server that answers so many a second, and what it was asked."""
    asked: list[tuple[int, int]] = []

    def load(inputs: Sequence[BenchInput], callers: int) -> VariantReport:
        examples = len(json.loads(inputs[0].body)["instances"])
        asked.append((callers, examples))
        seconds = callers / answers[callers] * examples
        return VariantReport(
            name="", seconds=[seconds] * 10, duration_seconds=10 / answers[callers]
        )

    curve = measured(
        load, [ONE], of="a model", where="here", blocks={}, limits=limits, most_callers=most
    )
    return curve, asked


def test_callers_are_doubled_until_that_gains_nothing_twice() -> None:
    curve, asked = measure({1: 100, 2: 180, 4: 200, 8: 201, 16: 202, 32: 999})
    assert [callers for callers, _ in asked] == [1, 2, 4, 8, 16]
    assert curve.at_once == 4
    assert curve.highest == 202


def test_no_more_callers_are_tried_than_allowed() -> None:
    _, asked = measure({1: 1, 2: 2, 4: 4, 8: 8}, most=7)
    assert [callers for callers, _ in asked] == [1, 2, 4]


def test_a_server_that_joins_requests_is_asked_for_ever_larger_ones_without_its_timeout() -> None:
    batching = Batching(
        max_batch_size=6, batch_timeout_seconds=0.004, num_batch_threads=1, max_enqueued_batches=8
    )
    curve, asked = measure({1: 100}, most=1, limits=ServerLimits(batching=batching))
    assert asked == [(1, 1), (1, 1), (1, 2), (1, 4), (1, 6)]
    assert [each.examples for each in curve.batches] == [1, 2, 4, 6]
    a_full_one_waits_for_nothing = 0.060
    assert [each.seconds for each in curve.batches] == pytest.approx(
        [0.006, 0.016, 0.036, a_full_one_waits_for_nothing]
    )


def test_a_server_that_answers_nothing_is_no_curve() -> None:
    def load(inputs: Sequence[BenchInput], callers: int) -> VariantReport:
        return VariantReport(name="", seconds=[], duration_seconds=1, errors={"500: broken": 3})

    with pytest.raises(Failure, match="with 1 callers nothing was answered: 500: broken"):
        measured(load, [ONE], of="", where="", blocks={}, limits=ServerLimits(), most_callers=4)


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    curve = server(
        0.02, workers=3, batches=batches({1: 0.02, 8: 0.05}), settings={"batching": {"a": 1}}
    )
    curve.save(tmp_path / "curve.json")
    again = ServiceCurve.load(tmp_path / "curve.json")
    assert again.as_dict() == curve.as_dict()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "there is no such curve; measure one with `sagemaker-serving bench MODEL --curve"),
        ("[]", "this is no curve of `bench --curve`"),
        ('{"format": 2}', "its format is 2, not 1"),
        ("{", "this is no curve"),
    ],
)
def test_what_is_no_curve_says_how_to_get_one(tmp_path: Path, text: str | None, said: str) -> None:
    if text is not None:
        (tmp_path / "curve.json").write_text(text)
    with pytest.raises(Mistake) as raised:
        ServiceCurve.load(tmp_path / "curve.json")
    assert said in str(raised.value)


def test_between_what_was_measured_it_is_a_line_and_beyond_it_flat() -> None:
    levels = [
        Level(callers=callers, per_second=answered, quantiles=[0.1])
        for callers, answered in ((1, 10.0), (4, 40.0), (8, 20.0))
    ]
    curve = ServiceCurve(of="", where="", measured="", levels=levels)
    assert [curve.per_second(each) for each in (1, 2, 4, 6, 8, 99)] == [10, 20, 40, 30, 20, 20]


def test_variables_of_the_container_say_what_it_takes_at_once_and_refuses() -> None:
    limits = limits_of_variables(
        variables_of({"batching": {"max_batch_size": 16}, "server": {"gunicorn_threads": 4}}),
        processors=2,
    )
    assert limits.workers is None  # gevent's workers take a thousand
    assert limits.batching == Batching(
        max_batch_size=16, batch_timeout_seconds=0.001, num_batch_threads=2, max_enqueued_batches=64
    )
    own = {"SAGEMAKER_GUNICORN_WORKER_CLASS": "gthread", "SAGEMAKER_GUNICORN_THREADS": "4"}
    assert limits_of_variables(own, processors=2) == ServerLimits(workers=4)


@pytest.mark.parametrize("text", ["- 1", "batching: {size: 4}", "models: {}", "{"])
def test_settings_that_are_none_are_named(text: str) -> None:
    with pytest.raises(Mistake, match=r"block\.yaml: these are no settings of a server"):
        blocks_in(text, Path("block.yaml"))
