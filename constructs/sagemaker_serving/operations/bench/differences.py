"""How far two answers to the same request lie apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Where two values lie furthest apart.

    ``size`` is the absolute difference of two numbers, and infinite where the values are
    none or have another form: another length, another key, another text. ``path`` leads to
    the place ("predictions[0].score"); ``expected`` and ``found`` are what stands there.
    """

    size: float
    path: str
    expected: Any
    found: Any


def largest_difference(expected: Any, found: Any) -> Difference | None:
    """The largest difference of two answers as values; None when they are equal.

    Numbers are compared by value, whatever their types, and NaN equals NaN; all else is
    equal or not. Of several equally large ones the first counts.
    """
    return max(_differences(expected, found, ""), key=lambda found: found.size, default=None)


def numbered(rows: list[list[str]]) -> list[list[Any]]:
    """CSV's fields, those that are numbers as numbers."""
    return [[_number(field) for field in row] for row in rows]


def _differences(expected: Any, found: Any, path: str) -> Iterator[Difference]:
    if _is_number(expected) and _is_number(found):
        size = _distance(float(expected), float(found))
        if size:
            yield Difference(size=size, path=path, expected=expected, found=found)
    elif isinstance(expected, dict) and isinstance(found, dict):
        yield from _of_keys(expected, found, path)
    elif _is_list(expected) and _is_list(found):
        if len(expected) != len(found):
            yield _other(f"{len(expected)} values", f"{len(found)} values", path)
        for index, (one, other) in enumerate(zip(expected, found, strict=False)):
            yield from _differences(one, other, f"{path}[{index}]")
    elif _is_array(expected) and _is_array(found):
        yield from _of_arrays(expected, found, path)
    elif type(expected) is not type(found) or expected != found:
        yield _other(expected, found, path)


def _of_keys(expected: dict[str, Any], found: dict[str, Any], path: str) -> Iterator[Difference]:
    if expected.keys() != found.keys():
        yield _other(f"keys {', '.join(expected)}", f"keys {', '.join(found)}", path)
    for key in (key for key in expected if key in found):
        yield from _differences(expected[key], found[key], f"{path}.{key}" if path else key)


def _of_arrays(expected: Any, found: Any, path: str) -> Iterator[Difference]:
    """numpy's arrays are compared as a whole: element by element takes minutes."""
    import numpy

    if expected.shape != found.shape:
        yield _other(f"shape {expected.shape}", f"shape {found.shape}", path)
        return
    if expected.dtype.kind not in "biuf" or found.dtype.kind not in "biuf":
        yield from _differences(expected.tolist(), found.tolist(), path)
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


def _distance(expected: float, found: float) -> float:
    if expected == found or (math.isnan(expected) and math.isnan(found)):
        return 0.0
    size = abs(expected - found)
    return math.inf if math.isnan(size) else size


def _other(expected: Any, found: Any, path: str) -> Difference:
    return Difference(size=math.inf, path=path, expected=expected, found=found)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _is_array(value: Any) -> bool:
    return hasattr(value, "dtype") and hasattr(value, "shape")


def _number(field: str) -> Any:
    try:
        return float(field)
    except ValueError:
        return field
