from __future__ import annotations

import numpy as np
import pytest

from sagemaker_serving.model_server.engine.answers import float_texts


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.5, "3.5"),
        (4, "4.0"),
        (0.1, "0.1"),
        (1 / 3, "0.333333343"),
        (-0.0, "-0.0"),
        (1e6, "1e+06"),
        (9000000, "9e+06"),
        (1234567, "1234567.0"),
        (16777216, "16777216.0"),
        (0.00003, "3e-05"),
        (3.4028235e38, "3.40282347e+38"),
        (1e-45, "1.4013e-45"),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_a_float_has_six_digits_when_they_suffice_else_nine(value: float, text: str) -> None:
    assert float_texts(np.array([value], np.float32)) == [text]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.1, "0.1"), (1 / 3, "0.33333333333333331"), (1e300, "1e+300"), (123456.5, "123456.5")],
)
def test_a_double_has_six_digits_when_they_suffice_else_seventeen(value: float, text: str) -> None:
    assert float_texts(np.array([value], np.float64)) == [text]


def test_every_text_reads_back_as_the_same_float() -> None:
    values = np.random.default_rng(7).standard_normal(5000).astype(np.float32) * np.float32(1e10)
    assert (np.array([float(text) for text in float_texts(values)], np.float32) == values).all()


def test_no_values_make_no_texts() -> None:
    assert float_texts(np.array([], dtype=np.float32)) == []
