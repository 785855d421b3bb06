"""Is it the same answer? Numbers within a tolerance, all else exactly."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from sagemaker_serving.operations.golden.exchanges import Answer

DEFAULT_TOLERANCE = 1e-5
"""How far two numbers may be apart, relative to the expected one where that is over 1: other
processors and other versions of TensorFlow round float32 in another way."""

_SEPARATORS = re.compile(r"([,;\s]+)")


def differences(expected: Answer, came: Answer, tolerance: float = DEFAULT_TOLERANCE) -> list[str]:
    """What is different in ``came``, each with its place (``predictions[2]``); nothing if none is.

    The worst comes first: what is no number, then numbers by how far they are apart, as the
    tolerance counts it. JSON is compared by its values: the order of keys, white space and 3 for
    3.0 are the same. Other texts are compared field by field, numbers as
    numbers; what is no text, byte by byte.
    """
    found = sorted(_answers(expected, came, tolerance), key=lambda one: one[0], reverse=True)
    return [text for _, text in found]


_Difference = tuple[float, str]
"""How far it is apart, infinite for what is no number, and what is said of it."""


def _answers(expected: Answer, came: Answer, tolerance: float) -> Iterator[_Difference]:
    if expected.status != came.status:
        yield math.inf, f"status: expected {expected.status}, got {came.status}"
    before, after = _read(expected.body), _read(came.body)
    if isinstance(before, bytes) or isinstance(after, bytes):
        if expected.body != came.body:
            yield (
                math.inf,
                f"body: expected {len(expected.body)} bytes, got {len(came.body)}; "
                f"they differ from byte {_first_difference(expected.body, came.body)} on",
            )
        return
    yield from _compared("", before, after, tolerance)


class _Text(str):
    """A body that is no JSON."""

    __slots__ = ()


def _read(body: bytes) -> Any:
    """A body as JSON, several documents as their list, or as text, or as it is."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return body
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()] or _Text(text)
    except ValueError:
        return _Text(text)


def _compared(path: str, before: Any, after: Any, tolerance: float) -> Iterator[_Difference]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            inner = f"{path}.{key}" if path else str(key)
            if key not in after:
                yield math.inf, f"{inner}: it is not there"
            elif key not in before:
                yield math.inf, f"{inner}: got {_shown(after[key])}, which is not expected"
            else:
                yield from _compared(inner, before[key], after[key], tolerance)
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield math.inf, f"{path or 'body'}: expected {len(before)} items, got {len(after)}"
        for index, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from _compared(f"{path}[{index}]", one, other, tolerance)
    elif isinstance(before, _Text) and isinstance(after, _Text):
        yield from _compared_texts(before, after, tolerance)
    elif not _same(before, after, tolerance):
        said = f"{path or 'body'}: expected {_shown(before)}, got {_shown(after)}"
        yield _distance(before, after), said


def _compared_texts(before: str, after: str, tolerance: float) -> Iterator[_Difference]:
    """Fields with what separates them: numbers may differ a little, nothing else."""
    parts, others = (_SEPARATORS.split(text.strip()) for text in (before, after))
    same_shape = parts[1::2] == others[1::2]
    if not same_shape or not all(
        _same(_number(part), _number(other), tolerance)
        for part, other in zip(parts[::2], others[::2], strict=True)
    ):
        yield math.inf, f"body: expected {_shown(before)}, got {_shown(after)}"


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _same(before: Any, after: Any, tolerance: float) -> bool:
    if not _is_number(before) or not _is_number(after):
        return type(before) is type(after) and bool(before == after)
    both_nan = before != before and after != after
    return both_nan or before == after or _distance(before, after) <= tolerance


def _distance(before: Any, after: Any) -> float:
    """How far two numbers are apart, relative to the expected one where that is over 1."""
    if not _is_number(before) or not _is_number(after):
        return math.inf
    try:
        distance = float(abs(before - after) / max(1.0, abs(before)))
    except OverflowError:  # a whole number of JSON may be larger than any float
        return math.inf
    return math.inf if math.isnan(distance) else distance


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _first_difference(before: bytes, after: bytes) -> int:
    shorter = min(len(before), len(after))
    return next((n for n in range(shorter) if before[n] != after[n]), shorter)


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
