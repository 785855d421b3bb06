from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from sagemaker_serving.model_server.engine.answers import (
    classify_answer,
    error_answer,
    predict_answer,
    regress_answer,
)
from sagemaker_serving.model_server.engine.predict import Layout
from sagemaker_serving.model_server.engine.status import StatusError


def floats(*values: Any) -> Any:
    return np.array(values, dtype=np.float32)


def texts(*values: Any) -> Any:
    return np.array(values, dtype=object)


@pytest.mark.parametrize(
    ("outputs", "answer"),
    [
        ({"y": floats(3.5, 4, 5.5)}, '{\n    "predictions": [3.5, 4.0, 5.5\n    ]\n}'),
        (
            {"y": floats([1, 2], [3, 4])},
            '{\n    "predictions": [[1.0, 2.0], [3.0, 4.0]\n    ]\n}',
        ),
        (
            {"y": floats([[1], [2]], [[3], [4]])},
            '{\n    "predictions": [[[1.0], [2.0]], [[3.0], [4.0]]\n    ]\n}',
        ),
        ({"y": np.zeros((2, 0), np.float32)}, '{\n    "predictions": [[], []\n    ]\n}'),
        ({"y": np.zeros((0, 2), np.float32)}, '{\n    "predictions": []\n}'),
        ({"y": np.array([1, -2])}, '{\n    "predictions": [1, -2\n    ]\n}'),
        ({"y": np.array([True, False])}, '{\n    "predictions": [true, false\n    ]\n}'),
        ({"y": texts(b"a\n", b'"')}, '{\n    "predictions": ["a\\n", "\\""\n    ]\n}'),
        (
            {"y_bytes": texts(b"hi")},
            '{\n    "predictions": [{\n            "b64": "aGk="\n        }\n    ]\n}',
        ),
        (
            {"b": floats(1, 2), "a": floats([3], [4])},
            '{\n    "predictions": [\n'
            '        {\n            "a": [3.0],\n            "b": 1.0\n        },\n'
            '        {\n            "a": [4.0],\n            "b": 2.0\n        }\n    ]\n}',
        ),
    ],
)
def test_row_format_has_an_instance_per_row(outputs: dict[str, Any], answer: str) -> None:
    assert predict_answer(Layout.ROW, outputs) == answer


@pytest.mark.parametrize(
    ("outputs", "answer"),
    [
        ({"y": np.float32(2.5)}, '{\n    "outputs": 2.5\n}'),
        ({"y": floats(1, 2)}, '{\n    "outputs": [\n        1.0,\n        2.0\n    ]\n}'),
        ({"y": floats([1], [2])}, '{\n    "outputs": [\n        [\n            1.0\n        ],\n'
         "        [\n            2.0\n        ]\n    ]\n}"),
        ({"b": floats(1), "a": np.float32(2)},
         '{\n    "outputs": {\n        "a": 2.0,\n        "b": [\n            1.0\n'
         "        ]\n    }\n}"),
    ],
)  # fmt: skip
def test_column_format_has_a_value_per_output(outputs: dict[str, Any], answer: str) -> None:
    arrays = {name: np.asarray(value) for name, value in outputs.items()}
    assert predict_answer(Layout.COLUMN, arrays) == answer


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ({"y": np.array(1.0, np.float32)}, "Tensor name: y has no shape information "),
        ({"a": floats(1, 2), "b": floats(1)},
         "Tensor name: b has inconsistent batch size: 1 expecting: 2"),
        ({"y": np.array([1], np.float16)}, "Failed to write JSON value for tensor type: half"),
        ({"y": np.array([1], ml_dtypes.bfloat16)},
         "Failed to write JSON value for tensor type: bfloat16"),
        ({"y": np.array([1j], np.complex64)},
         "Failed to write JSON value for tensor type: complex64"),
    ],
)  # fmt: skip
def test_what_row_format_cannot_carry_is_an_error(outputs: dict[str, Any], message: str) -> None:
    with pytest.raises(StatusError) as refused:
        predict_answer(Layout.ROW, outputs)
    assert refused.value.message == message


def test_classes_are_pairs_of_label_and_score() -> None:
    labels, scores = texts([b"a", b"b"], [b"c", b"d"]), floats([1, 2], [3, 4])
    assert classify_answer(labels, scores, 2) == (
        '{\n    "results": [[["a", 1.0], ["b", 2.0]], [["c", 3.0], ["d", 4.0]]\n    ]\n}'
    )
    assert classify_answer(None, floats([7]), 1) == '{\n    "results": [[["", 7.0]]\n    ]\n}'
    assert classify_answer(texts([b"a"]), None, 1) == '{\n    "results": [[["a", 0.0]]\n    ]\n}'


def test_regressions_are_numbers_on_one_line() -> None:
    assert regress_answer(floats(42, 0.5)) == '{\n    "results": [42.0, 0.5]\n}'


def test_an_error_is_an_object_with_one_key() -> None:
    assert error_answer('no "x"\n') == '{\n    "error": "no \\"x\\"\\n"\n}'
