"""Which arrays can be sent: each goes over as it is, or an error names its dtype and a way.

Source: numpy.org/doc/stable/reference/arrays.dtypes.html: ``longdouble`` is another number
on another machine, ``object`` is pickled into a .npy, which nobody should load, and the types that
ml_dtypes adds (bfloat16, float8, int4) have the kind of raw bytes, as which numpy loads them again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from sagemaker_serving.client.payload.arrays import Array, as_array
from sagemaker_serving.errors import Mistake


def writable(value: object) -> Array | None:
    """``value`` as an array that a request can hold; None for what is no array.

    Arrays of objects and of Python strings are none: their elements are values, see `values_of`.
    Raises `Mistake` for a dtype that would arrive as something else, and for masked elements.
    """
    try:
        array = as_array(value)
    except Exception as error:  # whatever a tensor raises that cannot be read just now
        raise Mistake(f"a {type(value).__name__} cannot be read as an array: {error}") from None
    if array is None or array.dtype.kind in _VALUES:
        return None
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind not in "biufcSU" or (kind, size) in _OF_THIS_MACHINE:
        raise _refused(array)
    return _plain(array)


def values_of(value: Any) -> Any:
    """Nested lists of what an array of objects or of Python strings holds; else ``value``."""
    array = as_array(value)
    return value if array is None or array.dtype.kind not in _VALUES else array.tolist()


def column_of(name: str, value: object) -> Array | None:
    """`writable`, and strings among objects as the strings they are.

    Raises `Mistake` for an array of other objects, which is called ``name``.
    """
    array = as_array(value)
    if array is None or array.dtype.kind not in _VALUES or not array.shape:
        return writable(value)
    values = array.tolist()
    if not all(isinstance(value, str) for value in _flat(values)):
        raise Mistake(
            f"{name!r} has the dtype {array.dtype.name} and holds more than strings; convert it, "
            "with array.astype('float32') for one"
        )
    text: Array = sys.modules["numpy"].array(values, "U")
    return text


def must_be_text(array: Array, encoding: str) -> None:
    """Raises `Mistake` for a dtype that a text cannot say: JSON's complex numbers, CSV's bytes."""
    kind = array.dtype.kind
    if kind == "c" or (kind == "S" and encoding == "csv"):
        raise _refused(array, f", which {encoding.upper()} cannot say")


_VALUES = "OT"
_OF_THIS_MACHINE = (("f", 16), ("f", 12), ("c", 32), ("c", 24))
_INSTEAD = {
    "f": "array.astype('float64')",
    "c": "array.real and array.imag, or where the model's code takes it encoding='npy'",
    "M": "numpy.datetime_as_string(array), or array.astype('int64')",
    "m": "array.astype('int64')",
    "S": "array.astype('str')",
}


def _refused(array: Array, why: str = "") -> Mistake:
    name, kind = array.dtype.name, array.dtype.kind
    if not why and (kind, array.dtype.itemsize) in _OF_THIS_MACHINE:
        why = ", which is another number on another machine"
        instead = f"array.astype('{'float64' if kind == 'f' else 'complex128'}')"
    elif kind == "V":
        instead = _instead_of_void(array.dtype)
    else:
        instead = _INSTEAD.get(kind, "array.tolist()")
    return Mistake(
        f"the array has the dtype {name}{why or ', which cannot be sent'}; use {instead}"
    )


def _flat(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list):
            yield from _flat(value)
        else:
            yield value


def _instead_of_void(dtype: Any) -> str:
    fields = getattr(dtype, "names", None)
    if fields:
        return f"its fields, each as an array: {{{fields[0]!r}: array[{fields[0]!r}], …}}"
    if dtype.name.startswith(("bfloat", "float")):
        return "array.astype('float32')"
    return "array.astype('int8')" if "int" in dtype.name else "its bytes: array.tobytes()"


def _plain(array: Array) -> Array:
    """An array of numpy's own class: a matrix gives no rows, a masked array hides elements.

    numpy is there where its arrays are.
    """
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(array, numpy.ndarray) or type(array) is numpy.ndarray:
        return array
    if numpy.ma.isMaskedArray(array) and numpy.ma.is_masked(array):
        raise Mistake(
            f"{int(numpy.ma.count_masked(array))} of the array's {array.size} elements are masked, "
            "and a request has no mask; use array.filled(…)"
        )
    plain: Array = numpy.asarray(array)
    return plain
