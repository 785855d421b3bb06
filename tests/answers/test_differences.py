"""Which difference of two answers is the largest, and where."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.answers.differences import largest_difference, number_of

NAN = float("nan")


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        (1, 1.0),
        ([1, [2, 3]], [1.0, [2, 3]]),
        ({"a": 1, "b": "x"}, {"b": "x", "a": 1}),
        (NAN, NAN),
        (math.inf, math.inf),
        (None, None),
        (b"\xff", b"\xff"),
        ("text", "text"),
        (np.array([1, NAN]), np.array([1.0, NAN])),
        (np.array([]), np.array([])),
        (np.array(["a"]), np.array(["a"])),
    ],
)
def test_equal_values_differ_in_nothing(expected: Any, found: Any) -> None:
    assert largest_difference(expected, found) is None


@pytest.mark.parametrize(
    ("expected", "found", "size", "path"),
    [
        (1, 1.5, 0.5, ""),
        ([1, 2, 3], [1, 2.25, 2], 1, "[2]"),
        ({"predictions": [{"score": 0.5}]}, {"predictions": [{"score": 0.25}]}, 0.25,
         "predictions[0].score"),
        ([[1.0], [5.0]], [[1.5], [5.25]], 0.5, "[0][0]"),
        (1.0, NAN, math.inf, ""),
        (math.inf, 1.0, math.inf, ""),
        (math.inf, -math.inf, math.inf, ""),
        ([1], [1, 2], math.inf, ""),
        ({"a": 1}, {"b": 1}, math.inf, "a"),
        ({"a": [1]}, {"a": 1}, math.inf, "a"),
        (["x"], ["y"], math.inf, "[0]"),
        ([True], [1], math.inf, "[0]"),
        (b"a", "a", math.inf, ""),
        (np.array([[1, 2], [3, 4]]), np.array([[1, 2], [5.5, 4]]), 2.5, "[1][0]"),
        (np.array([1.0, 2.0]), np.array([NAN, 2.0]), math.inf, "[0]"),
        (np.zeros((1, 2)), np.zeros((2, 1)), math.inf, ""),
        (np.array(["a", "b"]), np.array(["a", "c"]), math.inf, "[1]"),
        ({"a": [1, 2], "b": 3}, {"a": [1], "b": 9}, math.inf, "a"),
    ],
)  # fmt: skip
def test_the_largest_difference_is_found_where_it_is(
    expected: Any, found: Any, size: float, path: str
) -> None:
    difference = largest_difference(expected, found)
    assert difference is not None
    assert (difference.size, difference.path) == (size, path)


def test_a_field_of_csv_is_a_number_where_it_is_one() -> None:
    assert [number_of(field) for field in ("1", "x", "2.5e3", "")] == [1.0, "x", 2500.0, ""]


VALUES = st.recursive(
    st.floats(allow_infinity=False) | st.integers(-9, 9) | st.booleans() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


@given(VALUES)
def test_anything_equals_itself(value: Any) -> None:
    assert largest_difference(value, value) is None


@given(VALUES, VALUES)
def test_a_difference_is_one_from_both_sides(one: Any, other: Any) -> None:
    there, back = largest_difference(one, other), largest_difference(other, one)
    assert (there is None) == (back is None)
    if there is not None and back is not None:
        assert there.size == back.size > 0


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), st.data())
def test_lists_and_arrays_differ_alike(values: list[float], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(values) - 1))
    changed = [*values[:index], values[index] + 2.0, *values[index + 1 :]]
    listed = largest_difference(values, changed)
    packed = largest_difference(np.array(values), np.array(changed))
    assert listed is not None
    assert packed is not None
    assert (listed.size, listed.path) == (packed.size, packed.path)
