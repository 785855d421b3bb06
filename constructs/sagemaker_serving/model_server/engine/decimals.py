"""Floating point numbers as TF Serving prints them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

_DIGITS = {np.dtype(np.float32): 9, np.dtype(np.float64): 17}
"""Significant digits that always bring the value back (max_digits10)."""


def float_texts(values: Floats) -> list[str]:
    """Each value of a one-dimensional float32 or float64 array as text.

    Six significant digits where those read back as the same value, else 9
    (float32) or 17 (float64); whole numbers end in ".0"; NaN, Infinity and
    -Infinity are bare words.
    """
    numbers = values.tolist()
    texts = [f"{number:g}" for number in numbers]
    read_back = np.array([float(text) for text in texts], dtype=values.dtype)
    for index in np.flatnonzero(read_back != values):
        texts[index] = f"{numbers[index]:.{_DIGITS[values.dtype]}g}"
    if not np.isfinite(values).all():
        return [_NAMES.get(text, text) for text in map(_with_point, texts)]
    return list(map(_with_point, texts))


_NAMES = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def _with_point(text: str) -> str:
    return text if "." in text or "e" in text or "n" in text else text + ".0"
