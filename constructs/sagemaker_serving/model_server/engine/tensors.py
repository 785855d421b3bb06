"""A JSON value as a dense tensor.

Large requests are mostly well formed, so a value is first taken as a whole, at
the speed of numpy; only when that does not work is it walked element by
element, to find what TF Serving would say about it.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sagemaker_serving.model_server.engine.documents import is_base64
from sagemaker_serving.model_server.engine.shown import shown
from sagemaker_serving.model_server.engine.status import Code, StatusError, invalid

Array = NDArray[Any]


@dataclass(frozen=True)
class _Kind:
    """How JSON becomes one of TensorFlow's types: util/json_tensor.cc, AddValueToTensor.

    ``parsed`` is what TF Serving reads a whole number as before it becomes ``dtype``, and
    ``low..high`` that type's span: small integer types wrap around. Floating point takes every
    number, rounded; from 2.5 on nothing is refused for lost digits.
    """

    dtype: type[np.generic]
    accepts: frozenset[type]
    low: int = 0
    high: int = 0
    parsed: type[np.integer[Any]] | None = None


def _integer(dtype: type[np.generic], parsed: type[np.integer[Any]]) -> _Kind:
    limits = np.iinfo(parsed)
    return _Kind(dtype, frozenset({int}), int(limits.min), int(limits.max), parsed)


def _floating(dtype: type[np.floating[Any]]) -> _Kind:
    return _Kind(dtype, frozenset({int, float}))


_KINDS = {
    "DT_FLOAT": _floating(np.float32),
    "DT_DOUBLE": _floating(np.float64),
    "DT_INT8": _integer(np.int8, np.int32),
    "DT_INT16": _integer(np.int16, np.int32),
    "DT_INT32": _integer(np.int32, np.int32),
    "DT_INT64": _integer(np.int64, np.int64),
    "DT_UINT8": _integer(np.uint8, np.int32),
    "DT_UINT32": _integer(np.uint32, np.uint32),
    "DT_UINT64": _integer(np.uint64, np.uint64),
    "DT_BOOL": _Kind(np.bool_, frozenset({bool})),
    "DT_STRING": _Kind(np.object_, frozenset({str, dict})),
}

MOST_DIMENSIONS = 254
"""Of a tensor: TensorShape::MaxDimensions, tensorflow/core/framework/tensor_shape.h."""

_NUMPY_DIMENSIONS = 64
_BASE64 = re.compile(r"([A-Za-z0-9+/]*)([=.]*)")
_NO_SPACE = dict.fromkeys(map(ord, " \t\n\v\f\r"))

_JSON_TYPES = {type(None): "Null", dict: "Object", list: "Array", str: "String"}


def dense(value: object, dtype: str) -> Array | None:
    """``value`` as an array, or None when something in it needs a closer look."""
    kind = _KINDS.get(dtype)
    if kind is None:
        return None
    level: list[Any] = [value]
    shape: list[int] = []
    while level and set(map(type, level)) == {list}:
        lengths = set(map(len, level))
        if len(lengths) > 1:
            return None
        shape.append(lengths.pop())
        level = list(chain.from_iterable(level))
    if not set(map(type, level)) <= kind.accepts:
        return None
    leaves = _leaves(level, kind)
    return None if leaves is None else leaves.reshape(shape)


def read_as(dtype: str) -> tuple[str, type[np.generic]]:
    """How simdjson reads numbers for a type: its code ("d", "i", "u"), and numpy's type.

    Raises ValueError for a type that has no numbers, and `convert_numbers` for one out of its span.
    """
    kind = _KINDS.get(dtype)
    if kind is None or int not in kind.accepts:
        raise ValueError
    if float in kind.accepts:
        return "d", np.float64
    return ("i", np.int64) if kind.high < 2**63 else ("u", np.uint64)


def convert_numbers(numbers: Array, dtype: str) -> Array:
    """Numbers that were read by `read_as`, as an array of the type that TensorFlow wants."""
    kind = _KINDS[dtype]
    if float not in kind.accepts and not (
        kind.low <= int(numbers.min()) and int(numbers.max()) <= kind.high
    ):
        raise ValueError
    with np.errstate(over="ignore"):
        return numbers.astype(kind.dtype)


def walked(value: object, dtype: str) -> Array:
    """``value`` as an array, element by element; raises `StatusError` as TF Serving does."""
    shape = _shape(value)
    leaves = list(_walk(value, 0, shape, dtype))
    kind = _KINDS[dtype]
    if kind.dtype is np.object_:
        return _objects(leaves).reshape(shape)
    if float in kind.accepts:
        return _floats(leaves, kind).reshape(shape)
    return np.array(leaves, dtype=kind.parsed).astype(kind.dtype).reshape(shape)


def must_have_possible_rank(value: object, name: str) -> None:
    """`must_be_possible_rank`, of JSON."""
    must_be_possible_rank(len(_shape(value)), name)


def must_be_possible_rank(rank: int, name: str) -> None:
    """Raises `StatusError` for more dimensions than a tensor may have; numpy has 64 at most."""
    if rank > MOST_DIMENSIONS:
        # servables/tensorflow/predict_util.cc, PreProcessPrediction
        raise invalid(f"tensor parsing error: {name}")
    if rank > _NUMPY_DIMENSIONS:
        raise StatusError(
            Code.UNIMPLEMENTED,
            f"tensor {name} has {rank} dimensions; AWS takes up to {MOST_DIMENSIONS}, this "
            f"server up to {_NUMPY_DIMENSIONS}",
        )


def shape_text(array: Array) -> str:
    """A shape as messages have it."""
    return f"[{','.join(map(str, array.shape))}]"


def decoded(value: Any) -> bytes:
    """The bytes of ``{"b64": …}`` as absl's Base64Unescape reads them.

    White space counts nowhere, "." pads as "=" does, and all padding may be missing; what is
    there must be right. Source: abseil/abseil-cpp, absl/strings/escaping.cc.
    """
    if not is_base64(value):
        raise invalid(f"JSON Value: {shown(value)} not formatted correctly for base64 data")
    match = _BASE64.fullmatch(value["b64"].translate(_NO_SPACE))
    lacking = 0 if match is None else -len(match[1]) % 4
    if match is None or lacking == 3 or len(match[2]) not in (0, lacking):
        raise invalid("Unable to base64 decode")
    return base64.b64decode(match[1] + "=" * lacking)


def type_name(dtype: str) -> str:
    """The name of a type in messages: "DT_FLOAT" is "float"."""
    return dtype.removeprefix("DT_").lower()


def json_type(value: object) -> str:
    """What a message calls the type of a JSON value."""
    if isinstance(value, bool):
        return str(value)
    return _JSON_TYPES.get(type(value), "Number")


def encoded(text: str) -> bytes:
    """A JSON string as bytes; bytes that were no UTF-8 come back as they were."""
    return text.encode(errors="surrogateescape")


def _leaves(level: list[Any], kind: _Kind) -> Array | None:
    if kind.dtype is np.object_:
        return _strings(level)
    if kind.dtype is np.bool_:
        return np.array(level, dtype=np.bool_)
    if kind.parsed is not None:
        if level and not (kind.low <= min(level) and max(level) <= kind.high):
            return None
        return np.array(level, dtype=kind.parsed).astype(kind.dtype)
    return _floats(level, kind)


def _floats(level: list[int | float], kind: _Kind) -> Array:
    with np.errstate(over="ignore"):
        return np.array(level, dtype=np.float64).astype(kind.dtype)


def _strings(level: list[Any]) -> Array | None:
    try:
        return _objects([encoded(v) if isinstance(v, str) else decoded(v) for v in level])
    except StatusError:
        return None


def _objects(leaves: list[Any]) -> Array:
    array = np.empty(len(leaves), dtype=np.object_)
    array[:] = leaves
    return array


def _shape(value: object) -> tuple[int, ...]:
    """The shape that the first elements suggest."""
    shape = []
    while isinstance(value, list):
        shape.append(len(value))
        if not value:
            break
        value = value[0]
    return tuple(shape)


def _walk(value: object, level: int, shape: tuple[int, ...], dtype: str) -> Any:
    rank = len(shape)
    if not isinstance(value, list):
        if level != rank:
            raise invalid(
                f"JSON Value: {shown(value)} found at incorrect level: {level + 1} "
                f"in the JSON DOM. Expected at level: {rank}"
            )
        yield _leaf(value, dtype)
        return
    if level >= rank:
        raise invalid(f"Encountered list at unexpected level: {level} expected < {rank}")
    if len(value) != shape[level]:
        raise invalid(
            f"Encountered list at unexpected size: {len(value)} at level: {level} "
            f"expected size: {shape[level]}"
        )
    for element in value:
        yield from _walk(element, level + 1, shape, dtype)


def _leaf(value: Any, dtype: str) -> Any:
    kind = _KINDS.get(dtype)
    if isinstance(value, dict) and dtype == "DT_STRING":
        return decoded(value)
    if kind is None and not isinstance(value, dict):
        raise StatusError(
            Code.UNIMPLEMENTED,
            f"Conversion of JSON Value: {shown(value)} to type: {type_name(dtype)}",
        )
    if kind is None or type(value) not in kind.accepts:
        raise _type_error(value, dtype)
    if isinstance(value, str):
        return encoded(value)
    if kind.parsed is not None and not kind.low <= value <= kind.high:
        raise _type_error(value, dtype)
    return value


def _type_error(value: object, dtype: str) -> StatusError:
    return invalid(
        f"JSON Value: {shown(value)} Type: {json_type(value)} "
        f"is not of expected type: {type_name(dtype)}"
    )
