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
    assert joined([(len(rows), rows) for rows in cut]) == whole
    assert joined([(len(rows), {"predictions": rows}) for rows in cut]) == {"predictions": whole}
    arrays = [(len(rows), numpy.array(rows)) for rows in cut]
    assert joined(arrays).tolist() == whole
    columns = [(len(rows), {"a": rows, "b": [[row] for row in rows]}) for rows in cut]
    assert joined(columns) == {"a": whole, "b": [[row] for row in whole]}


def test_predictions_that_stand_in_one_row_are_joined_in_one_row() -> None:
    answers = [(3, [["0.5", "0.25", "1"]]), (3, [["2", "3", "4"]]), (1, [["5"]])]
    assert joined(answers) == [["0.5", "0.25", "1", "2", "3", "4", "5"]]
    assert joined([(1, [["0.5"]]), (1, [["5"]])]) == [["0.5"], ["5"]]


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ([(2, [1, 2]), (2, [3])], "answer 2 of 2 has 1 rows for 2 records"),
        ([(1, "a"), (1, "b")], "answer 1 of 2 has no rows for 1 records"),
        ([(1, {"a": [1]}), (1, {"b": [1]})], "the answers differ in form: one is an object with a"),
        ([(1, {"a": [1]}), (1, [1])], "the answers differ in form"),
    ],
)
def test_what_cannot_be_told_apart_is_no_result(answers: Any, told: str) -> None:
    with pytest.raises(Failure, match=told):
        joined(answers)
