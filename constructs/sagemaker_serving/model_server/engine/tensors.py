"""A JSON value as a dense tensor.

Large requests are mostly well formed, so a value is first taken as a whole, at
the speed of numpy; only when that does not work is it walked element by
element, to find what TF Serving would say about it.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sagemaker_serving.model_server.engine.documents import is_base64, shown
from sagemaker_serving.model_server.engine.status import Code, StatusError, invalid

Array = NDArray[Any]


@dataclass(frozen=True)
class _Kind:
    """How JSON becomes one of TensorFlow's types.

    ``name`` is the type's name in messages. Whole numbers must lie in
    ``low..high``; for floating point that is the span in which every whole
    number is exact, and ``largest`` bounds the others. ``parsed`` is what TF
    Serving reads a whole number as before it becomes ``dtype``: small integer
    types wrap around.
    """

    name: str
    dtype: type[np.generic]
    accepts: frozenset[type]
    low: int = 0
    high: int = 0
    parsed: type[np.generic] | None = None
    largest: float = 0.0


def _integer(name: str, dtype: type[np.generic], parsed: type[np.integer[Any]]) -> _Kind:
    limits = np.iinfo(parsed)
    return _Kind(name, dtype, frozenset({int}), int(limits.min), int(limits.max), parsed)


def _floating(name: str, dtype: type[np.floating[Any]]) -> _Kind:
    limits = np.finfo(dtype)
    exact = 2 ** (limits.nmant + 1) - 1
    accepts = frozenset({int, float})
    return _Kind(name, dtype, accepts, -exact, exact, largest=float(limits.max))


_KINDS = {
    "DT_FLOAT": _floating("float", np.float32),
    "DT_DOUBLE": _floating("double", np.float64),
    "DT_INT8": _integer("int8", np.int8, np.int32),
    "DT_INT16": _integer("int16", np.int16, np.int32),
    "DT_INT32": _integer("int32", np.int32, np.int32),
    "DT_INT64": _integer("int64", np.int64, np.int64),
    "DT_UINT8": _integer("uint8", np.uint8, np.int32),
    "DT_UINT32": _integer("uint32", np.uint32, np.uint32),
    "DT_UINT64": _integer("uint64", np.uint64, np.uint64),
    "DT_BOOL": _Kind("bool", np.bool_, frozenset({bool})),
    "DT_STRING": _Kind("string", np.object_, frozenset({str, dict})),
}

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


def walked(value: object, dtype: str) -> Array:
    """``value`` as an array, element by element; raises `StatusError` as TF Serving does."""
    shape = _shape(value)
    leaves = list(_walk(value, 0, shape, dtype))
    kind = _KINDS[dtype]
    if kind.dtype is np.object_:
        return _objects(leaves).reshape(shape)
    return np.array(leaves, dtype=kind.parsed).astype(kind.dtype).reshape(shape)


def decoded(value: Any) -> bytes:
    """The bytes of ``{"b64": …}``; white space and missing padding are forgiven."""
    if not is_base64(value):
        raise invalid(f"JSON Value: {shown(value)} not formatted correctly for base64 data")
    text = re.sub(r"\s", "", value["b64"]).rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise invalid("Unable to base64 decode") from error


def type_name(dtype: str) -> str:
    """The name of a type in messages: "DT_FLOAT" is "float"."""
    return _KINDS[dtype].name if dtype in _KINDS else dtype.removeprefix("DT_").lower()


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


def _floats(level: list[int | float], kind: _Kind) -> Array | None:
    try:
        wide = np.array(level, dtype=np.float64)
    except OverflowError:
        return None
    with np.errstate(over="ignore"):
        values = wide.astype(kind.dtype)
    if int in set(map(type, level)) and (np.abs(wide) > kind.high).any():
        return None
    overflown = np.isinf(values) & np.isfinite(wide)
    return None if overflown.any() else values


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
    if float in kind.accepts:
        return _exact_float(value, kind)
    return value


def _exact_float(value: int | float, kind: _Kind) -> float:
    """``value`` when the type holds it without loss; whole numbers past 64 bits are floats."""
    whole = isinstance(value, int) and -(2**63) <= value < 2**64
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    limit = kind.high if whole else kind.largest
    if (math.isfinite(number) or isinstance(value, int)) and abs(number) > limit:
        raise invalid(
            f"Cannot convert JSON value: {shown(value)} to {kind.name} without loss of precision."
        )
    return number


def _type_error(value: object, dtype: str) -> StatusError:
    return invalid(
        f"JSON Value: {shown(value)} Type: {json_type(value)} "
        f"is not of expected type: {type_name(dtype)}"
    )
