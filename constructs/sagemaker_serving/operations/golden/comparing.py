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
_SHOWN = 60


def differences(
    expected: Answer, came: Answer, tolerance: float = DEFAULT_TOLERANCE
) -> Iterator[str]:
    """What is different in ``came``, each with its place (``predictions[2]``); nothing if none is.

    JSON is compared by its values: the order of keys, white space and 3 for
    3.0 are the same. Other texts are compared field by field, numbers as
    numbers; what is no text, byte by byte.
    """
    if expected.status != came.status:
        yield f"status: expected {expected.status}, got {came.status}"
    before, after = _read(expected.body), _read(came.body)
    if isinstance(before, bytes) or isinstance(after, bytes):
        if expected.body != came.body:
            yield (
                f"body: expected {len(expected.body)} bytes, got {len(came.body)}; "
                f"they differ from byte {_first_difference(expected.body, came.body)} on"
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


def _compared(path: str, before: Any, after: Any, tolerance: float) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            inner = f"{path}.{key}" if path else str(key)
            if key not in after:
                yield f"{inner}: it is not there"
            elif key not in before:
                yield f"{inner}: got {_shown(after[key])}, which is not expected"
            else:
                yield from _compared(inner, before[key], after[key], tolerance)
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield f"{path or 'body'}: expected {len(before)} items, got {len(after)}"
        for index, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from _compared(f"{path}[{index}]", one, other, tolerance)
    elif isinstance(before, _Text) and isinstance(after, _Text):
        yield from _compared_texts(before, after, tolerance)
    elif not _same(before, after, tolerance):
        yield f"{path or 'body'}: expected {_shown(before)}, got {_shown(after)}"


def _compared_texts(before: str, after: str, tolerance: float) -> Iterator[str]:
    """Fields with what separates them: numbers may differ a little, nothing else."""
    parts, others = (_SEPARATORS.split(text.strip()) for text in (before, after))
    same_shape = parts[1::2] == others[1::2]
    if not same_shape or not all(
        _same(_number(part), _number(other), tolerance)
        for part, other in zip(parts[::2], others[::2], strict=True)
    ):
        yield f"body: expected {_shown(before)}, got {_shown(after)}"


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _same(before: Any, after: Any, tolerance: float) -> bool:
    if not _is_number(before) or not _is_number(after):
        return type(before) is type(after) and bool(before == after)
    if math.isnan(before) or math.isnan(after):
        return math.isnan(before) and math.isnan(after)
    if math.isinf(before) or math.isinf(after):
        return bool(before == after)
    return bool(abs(before - after) <= tolerance * max(1.0, abs(before)))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _first_difference(before: bytes, after: bytes) -> int:
    shorter = min(len(before), len(after))
    return next((n for n in range(shorter) if before[n] != after[n]), shorter)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
