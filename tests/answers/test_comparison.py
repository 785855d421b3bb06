"""How far answers are apart, and what the gate says of it."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from sagemaker_serving.answers.acceptance import misses
from sagemaker_serving.answers.comparison import Comparison, compare
from sagemaker_serving.operations.golden import Answer
from sagemaker_serving.spec.compilation import Acceptance


def compared(expected: Any, found: Any) -> Comparison:
    return compare([(answer(expected), answer(found))])


def answer(value: Any, status: int = 200) -> Answer:
    body = value.encode() if isinstance(value, str) else json.dumps(value).encode()
    return Answer(status=status, body=body)


def test_errors_are_told_by_output() -> None:
    found = compared(
        {"predictions": [{"class": 1, "scores": [0.25, 0.75]}]},
        {"predictions": [{"class": 1, "scores": [0.5, 0.5]}]},
    )
    assert {name: (each.max, each.mean) for name, each in found.outputs.items()} == {
        "predictions.class": (0, 0),
        "predictions.scores": (0.25, 0.25),
    }
    assert (found.max_error, found.mean_error) == (0.25, 0.5 / 3)


@pytest.mark.parametrize(
    ("expected", "found", "agreement"),
    [
        ({"predictions": [[0.1, 0.9], [0.8, 0.2]]}, {"predictions": [[0.4, 0.6], [0.3, 0.7]]}, 0.5),
        ({"outputs": {"p": [[1.0, 2.0]]}}, {"outputs": {"p": [[1.5, 2.0]]}}, 1.0),
        ({"predictions": [1.0, 2.0]}, {"predictions": [2.0, 1.0]}, None),
        ("0.1,0.9\n0.2,0.8\n", "0.9,0.1\n0.2,0.8\n", 0.5),
    ],
)
def test_rows_agree_whose_largest_number_stands_at_the_same_place(
    expected: Any, found: Any, agreement: float | None
) -> None:
    assert compared(expected, found).agreement == agreement


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ({"a": [1.0]}, {"a": [1.0, 2.0]}),
        ({"a": 1.0}, {"b": 1.0}),
        ({"a": "seven"}, {"a": "one"}),
        ({"a": 1.0}, {"a": math.nan}),
        ({"a": 1.0}, "no JSON"),
    ],
)
def test_another_form_is_infinitely_far(expected: Any, found: Any) -> None:
    assert compared(expected, found).max_error == math.inf


def test_an_answer_that_became_an_error_is_infinitely_far_and_equal_errors_are_equal() -> None:
    bad = answer("no", 400)
    assert compare([(answer([1.0]), bad)]).max_error == math.inf
    assert compare([(bad, answer("other words", 400))]).max_error == 0
    assert compared([math.nan], [math.nan]).max_error == 0


RIGHT = {"predictions": [[0.1, 0.9]]}


@pytest.mark.parametrize(
    ("accept", "found", "speedup", "said"),
    [
        ({"max_error": 0.1}, [[0.1, 0.7]], None, "max_error is 0.2 at predictions; 0.1 is allowed"),
        ({"max_error": 0.2001}, [[0.1, 0.7]], None, None),
        ({"agreement": 1}, [[0.9, 0.1]], None, "agreement is 0.0000% (0 of 1 rows)"),
        ({"agreement": 1}, [[0.1, 0.9]], None, None),
        ({"speedup": 1.2}, [[0.1, 0.9]], 1.19, "speedup is 1.19; 1.2 is wanted"),
        ({"speedup": 1.2}, [[0.1, 0.9]], None, "speedup is unknown"),
        ({"speedup": 1.2}, [[0.1, 0.9]], 1.2, None),
        ({}, [[0.9, 0.1]], 0.1, None),
    ],
)
def test_the_gate_says_what_is_missed(
    accept: dict[str, Any], found: Any, speedup: float | None, said: str | None
) -> None:
    missed = list(misses(Acceptance(**accept), compared(RIGHT, {"predictions": found}), speedup))
    if said is None:
        assert missed == []
    else:
        (only,) = missed
        assert said in only


def test_an_agreement_that_no_answer_can_show_is_missed() -> None:
    assert "no answer has a list of scores" in "".join(
        misses(Acceptance(agreement=0.9), compared({"a": 1.0}, {"a": 1.0}), None)
    )
