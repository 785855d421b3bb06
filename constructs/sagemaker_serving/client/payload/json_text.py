"""Values as JSON: numbers as short as they can be, arrays and bytes anywhere within."""

from __future__ import annotations

import json
from base64 import b64encode
from math import prod
from typing import Any

from sagemaker_serving.client.payload.arrays import Array
from sagemaker_serving.client.payload.dtypes import must_be_text, values_of, writable

try:
    import orjson
except ImportError:  # the extra "client" is not installed
    orjson = None  # type: ignore[assignment]

_LONGEST_INTEGERS = {"u1": 3, "i1": 4, "u2": 5, "i2": 6, "u4": 10, "i4": 11}
_LONGEST_NUMBER = 25


def json_of(value: Any) -> bytes:
    """``value`` as compact JSON: arrays as nested lists, bytes as ``{"b64": …}``.

    Raises TypeError for what JSON cannot say.
    """
    array = writable(value)
    if array is not None:
        return json_of_array(array)
    if isinstance(value, dict) and any(writable(item) is not None for item in value.values()):
        fields = (json_of(str(key)) + b":" + json_of(item) for key, item in value.items())
        return b"{" + b",".join(fields) + b"}"
    if isinstance(value, list | tuple) and value and writable(value[0]) is not None:
        return b"[" + b",".join(json_of(item) for item in value) + b"]"
    return json.dumps(value, default=_plain, separators=(",", ":")).encode()


def json_of_array(array: Array) -> bytes:
    """An array as nested lists of numbers, float32 with the digits that float32 has.

    Raises `Mistake` for a dtype that JSON cannot say.
    NaN and the infinities are written bare, as TensorFlow Serving reads them.
    Without orjson every float32 takes the digits of a float64: about twice the
    bytes, and more than ten times the time.
    """
    must_be_text(array, "json")
    if orjson is not None:
        try:
            text = orjson.dumps(array, option=orjson.OPT_SERIALIZE_NUMPY)
        except TypeError:  # strides, byte order, or a type that it does not know
            text = b"null"
        if b"null" not in text:
            return text
    return json.dumps(array.tolist(), default=_plain, separators=(",", ":")).encode()


def longest_json_of_row(array: Array) -> int:
    """Bytes that no row of ``array`` exceeds as JSON: an upper bound, found without writing any."""
    kind, size = array.dtype.kind, array.dtype.itemsize
    texts = {"b": 5, "S": 2 * size + 16, "U": 3 * size + 2}  # b64 in an object; \uXXXX for each
    longest = texts.get(kind, _LONGEST_INTEGERS.get(f"{kind}{size}", _LONGEST_NUMBER))
    inner = array.shape[1:]
    brackets = sum(prod(inner[:depth]) * 3 for depth in range(len(inner)))
    return prod(inner) * (longest + 1) + brackets


def _plain(value: Any) -> Any:
    if isinstance(value, bytes | bytearray | memoryview):
        return {"b64": b64encode(value).decode()}
    array = writable(value)  # numpy's scalars are arrays, too
    if array is not None:
        must_be_text(array, "json")
        return array.tolist()
    values = values_of(value)
    if values is value:
        raise TypeError(f"JSON has no {type(value).__name__}")
    return values
