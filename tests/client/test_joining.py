"""One result of many answers, or none."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.client.joining import joined
from sagemaker_serving.errors import Failure

sizes = st.lists(st.integers(1, 5), min_size=1, max_size=8)


def pieces(sizes: list[int]) -> list[list[int]]:
    """0, 1, 2 … in lists of these sizes."""
    numbers = iter(range(sum(sizes)))
    return [[next(numbers) for _ in range(size)] for size in sizes]


@given(sizes=sizes)
def test_rows_are_joined_in_their_order_whatever_they_stand_in(sizes: list[int]) -> None:
    cut, whole = pieces(sizes), list(range(sum(sizes)))
    assert joined(cut) == whole
    assert joined([{"predictions": rows} for rows in cut]) == {"predictions": whole}
    assert joined([numpy.array(rows) for rows in cut]).tolist() == whole
    columns = [{"a": rows, "b": {"c": [[row] for row in rows]}, "of": "m"} for rows in cut]
    assert joined(columns) == {"a": whole, "b": {"c": [[row] for row in whole]}, "of": "m"}


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (["a", "b"], "there are 2 answers and none has rows: one is 'a'"),
        (["a", "a"], "there are 2 answers and none has rows"),
        ([{"label": "a"}, {"label": "a"}], "none has rows: one is an object with label"),
        ([{"a": [1]}, {"b": [1]}], "one is an object with a, another is an object with b"),
        ([{"a": [1]}, [1]], "one is an object with a, another is a list"),
        ([[1], {"a": [1]}], "one has a list where another has an object with a"),
        ([{"a": [1], "of": 1}, {"a": [1], "of": 2}], "one has 1 where another has 2"),
        ([{"a": [1], "of": "x" * 90}, {"a": [1], "of": [1]}], "xxx… where another has a list"),
        ([numpy.zeros((1, 2)), numpy.zeros((1, 3))], r"shapes \(1, 2\), \(1, 3\)"),
        ([numpy.zeros(1), [0.0]], "one has an array where another has a list"),
    ],
)
def test_what_differs_in_form_is_no_result(answers: Any, told: str) -> None:
    with pytest.raises(Failure, match=told):
        joined(answers)
