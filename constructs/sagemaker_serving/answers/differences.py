"""Where two values differ, and by how much: one walker for ``bench``, ``golden`` and ``replay``."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any


class Form(str):
    """What stands at a place in words, where it is no value: "3 items", "nothing"."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


NOTHING = Form("nothing")


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A place where two values differ.

    ``size`` is the absolute difference of two numbers, and infinite where the values are
    none or have another form: another length, another key, another text. ``path`` leads to
    the place ("predictions[0].score"); ``expected`` and ``found`` are what stands there.
    """

    size: float
    path: str
    expected: Any
    found: Any

    @property
    def distance(self) -> float:
        """``size`` as a tolerance counts it: relative to an expected number over 1."""
        if math.isinf(self.size):
            return self.size
        return self.size / max(1.0, float(abs(self.expected)))

    def __str__(self) -> str:
        place = self.path or "body"
        if self.found is NOTHING:
            return f"{place}: it is not there"
        if self.expected is NOTHING:
            return f"{place}: got {shown(self.found)}, which is not expected"
        return f"{place}: expected {shown(self.expected)}, got {shown(self.found)}"


def differences_of(expected: Any, found: Any, path: str = "") -> Iterator[Difference]:
    """Every difference of two answers as values, in their order.

    Numbers are compared by value, whatever their types, and NaN equals NaN; all else is
    equal or not. Of two numpy arrays of numbers the largest difference alone is told.
    """
    if is_number(expected) and is_number(found):
        size = distance(expected, found)
        if size:
            yield Difference(size=size, path=path, expected=expected, found=found)
    elif isinstance(expected, dict) and isinstance(found, dict):
        for key in {**expected, **found}:
            inner = f"{path}.{key}" if path else str(key)
            if key in expected and key in found:
                yield from differences_of(expected[key], found[key], inner)
            else:
                yield _other(expected.get(key, NOTHING), found.get(key, NOTHING), inner)
    elif _is_list(expected) and _is_list(found):
        if len(expected) != len(found):
            yield _other(Form(f"{len(expected)} items"), Form(str(len(found))), path)
        for index, (one, other) in enumerate(zip(expected, found, strict=False)):
            yield from differences_of(one, other, f"{path}[{index}]")
    elif _is_array(expected) and _is_array(found):
        yield from _of_arrays(expected, found, path)
    elif type(expected) is not type(found) or expected != found:
        yield _other(expected, found, path)


def largest_difference(expected: Any, found: Any) -> Difference | None:
    """The largest difference of two answers as values; None when they are equal.

    Of several equally large ones the first counts.
    """
    return max(differences_of(expected, found), key=lambda one: one.size, default=None)


def is_number(value: Any) -> bool:
    """Whether it is a number, which a truth value is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def number_of(text: str) -> float | str:
    """The number that a field of CSV is; the text itself where it is none."""
    try:
        return float(text)
    except ValueError:
        return text


def shown(value: Any) -> str:
    """A value as JSON writes it, where it does."""
    return value if isinstance(value, Form) else json.dumps(value, ensure_ascii=False, default=repr)


def _of_arrays(expected: Any, found: Any, path: str) -> Iterator[Difference]:
    """numpy's arrays are compared as a whole: element by element takes minutes."""
    import numpy

    if expected.shape != found.shape:
        yield _other(Form(f"shape {expected.shape}"), Form(f"shape {found.shape}"), path)
        return
    if expected.dtype.kind not in "biuf" or found.dtype.kind not in "biuf":
        yield from differences_of(expected.tolist(), found.tolist(), path)
        return
    one, other = expected.astype("float64"), found.astype("float64")
    with numpy.errstate(invalid="ignore"):
        sizes = numpy.abs(one - other)
    same = (one == other) | (numpy.isnan(one) & numpy.isnan(other))
    sizes = numpy.where(same, 0.0, numpy.where(numpy.isnan(sizes), math.inf, sizes))
    if sizes.size and sizes.max():
        at = numpy.unravel_index(int(sizes.argmax()), sizes.shape)
        place = "".join(f"[{index}]" for index in at)
        yield Difference(
            size=float(sizes[at]),
            path=f"{path}{place}",
            expected=expected[at].item(),
            found=found[at].item(),
        )


def distance(expected: float, found: float) -> float:
    """How far two numbers are apart; NaN is apart from all but NaN, without an end."""
    if expected == found or (expected != expected and found != found):
        return 0.0
    try:
        size = float(abs(expected - found))
    except OverflowError:  # a whole number of JSON may be larger than any float
        return math.inf
    return math.inf if math.isnan(size) else size


def _other(expected: Any, found: Any, path: str) -> Difference:
    return Difference(size=math.inf, path=path, expected=expected, found=found)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _is_array(value: Any) -> bool:
    return hasattr(value, "dtype") and hasattr(value, "shape")
