"""What simdjson makes of a large body is what the slow way makes of it, or is left to that."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.model_server.engine.documents import parse_document
from sagemaker_serving.model_server.engine.large_bodies import LargeBody
from sagemaker_serving.model_server.engine.predict import predict_inputs
from sagemaker_serving.model_server.engine.signatures import TensorInfo

DTYPES = ["FLOAT", "DOUBLE", "INT8", "UINT8", "INT16", "INT32", "INT64", "UINT32", "UINT64"]


def inputs(names: str, dtype: str) -> dict[str, TensorInfo]:
    return {name: TensorInfo(tensor=f"{name}:0", dtype=f"DT_{dtype}", shape=None) for name in names}


NUMBERS = st.integers(-300, 300) | st.floats(-1e6, 1e6, width=32).map(lambda x: round(x, 4))
NESTED = st.recursive(NUMBERS, lambda inner: st.lists(inner, max_size=3), max_leaves=8)
REGULAR = st.tuples(st.integers(1, 3), st.integers(1, 3), NUMBERS).map(
    lambda drawn: [[[drawn[2]] * drawn[1]] * drawn[0]] * 2
)
VALUES = REGULAR | st.lists(NESTED, min_size=1, max_size=4)


@given(
    layout=st.sampled_from(["instances", "inputs"]),
    value=VALUES
    | st.lists(st.fixed_dictionaries({"x": NESTED, "y": NESTED}), min_size=1, max_size=3)
    | st.fixed_dictionaries({"x": VALUES, "y": VALUES}),
    dtype=st.sampled_from([*DTYPES, "BOOL", "STRING", "HALF"]),
    names=st.sampled_from(["x", "xy"]),
)
def test_no_tensor_differs_from_the_slow_way_s(
    layout: str, value: Any, dtype: str, names: str
) -> None:
    body = json.dumps({layout: value}).encode()
    try:
        found, tensors = LargeBody(body).tensors(inputs(names, dtype))
    except ValueError:
        return
    expected, slow = predict_inputs(parse_document(body), inputs(names, dtype))
    assert found is expected
    assert tensors.keys() == slow.keys()
    for name, array in slow.items():
        np.testing.assert_array_equal(tensors[name], array)
        assert (tensors[name].dtype, tensors[name].shape) == (array.dtype, array.shape)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "document",
    [
        {"instances": [[[1, 2], [3, 4], [5, 6]]]},
        {"inputs": [[1, 2], [3, 4]], "signature_name": "s"},
        {"inputs": {"x": [1, 2], "ignored": 5}},
        {"instances": [{"x": [[1], [2]]}, {"x": [[3], [4]]}]},
        {"instances": [{"x": 1}, {"x": 2}, {"x": 3}]},
    ],
)
def test_regular_lists_of_numbers_are_taken_whole(document: dict[str, Any], dtype: str) -> None:
    body = json.dumps(document).encode()
    large = LargeBody(body)
    assert large.signature_name() == document.get("signature_name", "")
    _, tensors = large.tensors(inputs("x", dtype))
    _, slow = predict_inputs(document, inputs("x", dtype))
    np.testing.assert_array_equal(tensors["x"], slow["x"])
    assert tensors["x"].dtype == slow["x"].dtype


@pytest.mark.parametrize(
    "body",
    [
        '{"instances": [[1, 2], [[3], 4]]}',
        '{"instances": [[1, [2]], [3, 4]]}',
        '{"instances": [[[], 1], [[2], 3]]}',
        '{"instances": [[1], []]}',
        '{"instances": [1, 2], "inputs": [1]}',
        '{"instances": [1, 2], "other": [1]}',
        '{"instances": [0e309]}',
        '{"instances": [NaN]}',
        '{"instances": [18446744073709551616]}',
        '{"instances": [{"x": [1], "x": [2]}]}',
        '{"instances": [{"x": [1]}, {"x": [2], "y": [3]}]}',
        '{"instances": [1], "signature_name": 5}',
        '{"instances": 1}',
        '{"instances": []}',
        "[1]",
        '{"instances": [1]',
        '{"inputs": "text"}',
        '{"inputs": {"x": "text"}}',
        '{"instances": [{"x": [1]}, {"x": "t"}]}',
        '{"instances": [{"x": 1}, {"x": true}]}',
        '{"instances": [{"x": 1}, {"x": [2]}]}',
        '{"instances": [{"x": 1}, {"x": "2"}]}',
        '{"instances": [{"x": 1}, {"x": 2, "x": 3}]}',
        '{"instances": [{"x": 1}, {"x": 18446744073709551616}]}',
    ],
)
def test_everything_else_is_left_to_the_slow_way(body: str) -> None:
    assert not _is_taken_whole(body)


def _is_taken_whole(body: str) -> bool:
    try:
        large = LargeBody(body.encode())
        large.signature_name()
        large.tensors(inputs("x", "FLOAT"))
    except ValueError:
        return False
    return True
