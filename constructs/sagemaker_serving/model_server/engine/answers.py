"""What a model returned, as the JSON text that TF Serving writes.

The text is rapidjson's pretty writer: four spaces per level, and the arrays of
an instance on one line.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sagemaker_serving.model_server.engine.predict import Layout
from sagemaker_serving.model_server.engine.status import invalid
from sagemaker_serving.model_server.engine.tensors import Array

_INDENT = "    "
_INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32, np.uint64]
_TYPE_NAMES = {"float16": "half"}
_STRING = json.JSONEncoder(ensure_ascii=False)


def predict_answer(layout: Layout, outputs: Mapping[str, Array]) -> str:
    """The answer to a predict request, outputs by name in the order of their names.

    One output stands unwrapped; several are an object (column format) or an
    object per instance (row format). Raises `StatusError` (400) for row format
    when an output has no batch dimension or another size than the first, and
    for types that JSON answers do not carry (half, bfloat16, complex).
    """
    named = sorted(outputs.items())
    rows = _rows(named) if layout is Layout.ROW else _columns(named)
    return f'{{\n{_INDENT}"{layout.value}": {rows}\n}}'


def classify_answer(labels: Array | None, scores: Array | None, count: int) -> str:
    """``results``: for each example, a [label, score] pair for each class."""
    columns = [
        [_quoted(label) for label in labels.ravel()] if labels is not None else None,
        float_texts(scores.ravel()) if scores is not None else None,
    ]
    given = labels if labels is not None else scores
    classes = 0 if given is None else given.shape[1]
    names = columns[0] or ['""'] * (count * classes)
    numbers = columns[1] or ["0.0"] * (count * classes)
    pairs = [f"[{name}, {number}]" for name, number in zip(names, numbers, strict=True)]
    rows = [f"[{', '.join(pairs[i * classes : (i + 1) * classes])}]" for i in range(count)]
    return f'{{\n{_INDENT}"results": [{", ".join(rows)}\n{_INDENT}]\n}}'


def regress_answer(values: Floats) -> str:
    """``results``: a number for each example."""
    return f'{{\n{_INDENT}"results": [{", ".join(float_texts(values))}]\n}}'


def error_answer(message: str) -> str:
    """The body of an error."""
    return f'{{\n{_INDENT}"error": {_STRING.encode(message)}\n}}'


def _rows(named: Sequence[tuple[str, Array]]) -> str:
    count = _batch_size(named)
    several = len(named) > 1
    columns = [_instances(name, array, 3 if several else 2) for name, array in named]
    if not several:
        return _closed(", ".join(columns[0]), count)
    keys = [f"{_INDENT * 3}{_STRING.encode(name)}: " for name, _ in named]
    rows = [
        "{\n"
        + ",\n".join(key + text for key, text in zip(keys, row, strict=True))
        + f"\n{_INDENT * 2}}}"
        for row in zip(*columns, strict=True)
    ]
    return _closed("\n" + _INDENT * 2 + f",\n{_INDENT * 2}".join(rows), count)


def _closed(items: str, count: int) -> str:
    return f"[{items}\n{_INDENT}]" if count else "[]"


def _columns(named: Sequence[tuple[str, Array]]) -> str:
    if len(named) == 1:
        return _nested(*named[0], depth=1)
    members = [
        f"{_INDENT * 2}{_STRING.encode(name)}: {_nested(name, array, depth=2)}"
        for name, array in named
    ]
    return "{\n" + ",\n".join(members) + f"\n{_INDENT}}}"


def _batch_size(named: Sequence[tuple[str, Array]]) -> int:
    size: int | None = None
    for name, array in named:
        if array.ndim == 0:
            raise invalid(f"Tensor name: {name} has no shape information ")
        if size is not None and array.shape[0] != size:
            raise invalid(
                f"Tensor name: {name} has inconsistent batch size: {array.shape[0]} "
                f"expecting: {size}"
            )
        size = array.shape[0]
    return 0 if size is None else size


def _instances(name: str, array: Array, depth: int) -> list[str]:
    """A text for each instance, its arrays on one line, inside ``depth`` open brackets."""
    texts = _leaf_texts(name, array, depth + array.ndim - 1)
    for axis in reversed(range(1, array.ndim)):
        texts = [f"[{', '.join(group)}]" for group in _groups(texts, array.shape, axis)]
    return texts


def _nested(name: str, array: Array, depth: int) -> str:
    """The whole array, each element on its own line, inside ``depth`` open brackets."""
    texts = _leaf_texts(name, array, depth + array.ndim)
    for axis in reversed(range(array.ndim)):
        line = "\n" + _INDENT * (depth + axis + 1)
        end = "\n" + _INDENT * (depth + axis)
        texts = [
            f"[{line}{f',{line}'.join(group)}{end}]" if group else "[]"
            for group in _groups(texts, array.shape, axis)
        ]
    return texts[0]


def _groups(texts: list[str], shape: tuple[int, ...], axis: int) -> list[list[str]]:
    size = shape[axis]
    return [texts[i * size : (i + 1) * size] for i in range(math.prod(shape[:axis]))]


def _leaf_texts(name: str, array: Array, depth: int) -> list[str]:
    flat = array.ravel()
    if flat.dtype in (np.float32, np.float64):
        return float_texts(flat)
    if flat.dtype == np.bool_:
        return ["true" if value else "false" for value in flat.tolist()]
    if flat.dtype in _INTEGERS:
        return [str(value) for value in flat.tolist()]
    if flat.dtype != np.object_:
        kind = _TYPE_NAMES.get(flat.dtype.name, flat.dtype.name)
        raise invalid(f"Failed to write JSON value for tensor type: {kind}")
    if name.endswith("_bytes"):
        return [_base64(value, depth) for value in flat]
    return [_quoted(value) for value in flat]


def _quoted(value: Any) -> str:
    return _STRING.encode(value.decode(errors="surrogateescape"))


def _base64(value: bytes, depth: int) -> str:
    text = base64.b64encode(value).decode()
    return f'{{\n{_INDENT * (depth + 1)}"b64": "{text}"\n{_INDENT * depth}}}'


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
