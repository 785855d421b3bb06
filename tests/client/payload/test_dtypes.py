"""Every dtype of numpy goes over as it is, or is an error that names it and what to use instead."""

from __future__ import annotations

import csv
import io
import json
from base64 import b64decode
from collections.abc import Callable
from functools import partial
from typing import Any

import ml_dtypes
import numpy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

from sagemaker_serving.catalog.request_sizes import REAL_TIME
from sagemaker_serving.client.payload import ModelFacts, batch_of
from sagemaker_serving.client.serializers import (
    CSVSerializer,
    JSONLinesSerializer,
    JSONSerializer,
    NumpySerializer,
)
from sagemaker_serving.client.translation import Translation
from sagemaker_serving.errors import Mistake

ENCODINGS = ("json", "jsonlines", "csv", "npy", "base64")
SERIALIZERS: dict[str, Any] = {
    "json": JSONSerializer(),
    "jsonlines": JSONLinesSerializer(),
    "csv": CSVSerializer(),
    "npy": NumpySerializer(),
}
OWN = [numpy.dtype(getattr(ml_dtypes, name)) for name in ("bfloat16", "float8_e4m3fn", "int4")]
ALWAYS = "biufU"
"""Kinds that every encoding can hold."""

dtypes = st.one_of(
    nps.scalar_dtypes(),
    nps.floating_dtypes(endianness="?"),
    nps.integer_dtypes(endianness=">"),
    nps.complex_number_dtypes(endianness="?"),
    nps.nested_dtypes(max_itemsize=40),
    st.sampled_from([numpy.dtype(code) for code in ("g", "G", "S0", "U0", ">U3")]),
)
arrays = dtypes.flatmap(
    lambda dtype: nps.arrays(
        dtype, nps.array_shapes(min_dims=1, max_dims=3, max_side=4), fill=st.nothing()
    )
)


def sent(data: Any, encoding: Any) -> bytes:
    (piece,) = batch_of(data, model=ModelFacts(), encoding=encoding).pieces(REAL_TIME)
    return piece.body


def outcome(write: Callable[[], bytes]) -> bytes | Mistake:
    """What was written, or why not."""
    try:
        return write()
    except Mistake as error:
        return error


def refused(dtype: Any, error: Mistake) -> bool:
    """Whether the error names the dtype, and something to use; numpy's strings have any length."""
    name = "bytes" if dtype.kind == "S" else dtype.name
    return f"the array has the dtype {name}" in str(error) and "; use " in str(error)


def same(array: Any, found: Any) -> bool:
    """Whether ``found``, as it was read, is ``array``."""
    if array.dtype.kind == "S":
        return bool(numpy.array_equal(_bytes_of(found), array.tolist()))
    if array.dtype.kind == "U":
        return bool(found == array.tolist())
    if array.dtype.kind in "biu":
        whole = [int(value) for value in numpy.array(found, object).ravel()]
        return bool(whole == array.ravel().tolist())
    return numpy.array_equal(
        numpy.array(found).astype(array.dtype).reshape(array.shape),
        array,
        equal_nan=True,
    )


def _bytes_of(value: Any) -> Any:
    return b64decode(value["b64"]) if isinstance(value, dict) else [*map(_bytes_of, value)]


def arrived(body: bytes, encoding: str, array: Any) -> bool:
    """Whether the body holds the array, read by other code than wrote it."""
    if encoding == "npy":
        loaded = numpy.load(io.BytesIO(body), allow_pickle=False)
        return bool(loaded.dtype == array.dtype and loaded.tobytes() == array.tobytes())
    if encoding == "base64" and array.dtype.kind not in "SU":
        instances = json.loads(body)["instances"]
        return bool(b"".join(map(_bytes_of, instances)) == array.tobytes())
    if encoding in ("json", "base64"):
        return same(array, json.loads(body)["instances"])
    if encoding == "jsonlines":
        return same(array, [json.loads(line) for line in body.split(b"\n")])
    rows = list(csv.reader(io.StringIO(body.decode())))
    flat = [field for row in rows for field in row]
    if array.dtype.kind == "b":
        return bool([field == "True" for field in flat] == array.ravel().tolist())
    if array.dtype.kind == "U":
        return bool(flat == array.ravel().tolist())
    return same(array, flat)


@given(array=arrays, encoding=st.sampled_from(ENCODINGS))
@example(numpy.array([1.5, 2.5], "g"), "json")
@example(numpy.array([1.5, 2.5], "g"), "npy")
@example(numpy.array([b"a\x00b"], "S3"), "json")
@example(numpy.zeros(2, "M8[s]"), "csv")
@example(numpy.zeros(2, [("a", "f4")]), "npy")
@example(numpy.zeros(2, "V3"), "npy")
@example(numpy.zeros((2, 2), ">f8").T, "npy")
def test_an_array_arrives_as_it_is_or_not_at_all(array: Any, encoding: str) -> None:
    kind = array.dtype.kind
    body = outcome(lambda: sent(array, encoding))
    if isinstance(body, bytes):
        assert arrived(body, encoding, array)
    elif encoding != "csv" or (array.ndim < 3 and "line break" not in str(body)):
        assert refused(array.dtype, body), body
        assert kind not in ALWAYS or array.dtype.itemsize > 8


@given(array=arrays, encoding=st.sampled_from(sorted(SERIALIZERS)))
@example(numpy.array([1.5, 2.5], "g"), "json")
@example(numpy.array([[1j]]), "csv")
def test_the_sdks_serializers_refuse_the_same(array: Any, encoding: str) -> None:
    words = Translation(SERIALIZERS[encoding], None, ModelFacts, lambda: None)
    body = outcome(lambda: words.serialized(array, {})[1])
    if isinstance(body, Mistake):
        assert "the data cannot be written by" in str(body) or refused(array.dtype, body), body
        return
    kind = array.dtype.kind
    assert kind in "biufU" or (kind == "S" and encoding == "npy") or encoding == "npy"
    if encoding in ("json", "npy"):
        framed = b'{"instances":%b}' % body if encoding == "json" else body
        assert arrived(framed, encoding, array)


@pytest.mark.parametrize("dtype", OWN, ids=str)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_types_that_others_add_to_numpy_are_named(dtype: Any, encoding: str) -> None:
    array = numpy.zeros((2, 3), dtype)
    with pytest.raises(Mistake, match=rf"{dtype.name}, which cannot be sent; use array.astype"):
        sent(array, encoding)
    with pytest.raises(Mistake, match=dtype.name):
        sent([array[0], array[1]], encoding)
    with pytest.raises(Mistake, match=dtype.name):
        sent({"x": array}, None)
    with pytest.raises(Mistake, match=dtype.name):
        sent({"prompt": "x", "more": {"y": [array]}}, None)


@given(value=dtypes.flatmap(lambda dtype: nps.arrays(dtype, ())))
def test_scalars_and_arrays_without_axes_are_one_value(value: Any) -> None:
    for one in (value, value[()]):
        if isinstance(one, str | bytes | numpy.void):
            continue  # a body, as it is; a structured scalar has fields
        body = outcome(partial(sent, one, None))
        if isinstance(body, bytes):
            assert same(value, json.loads(body))
        else:
            assert refused(value.dtype, body), body


def test_objects_and_python_strings_are_the_values_that_they_hold() -> None:
    words = numpy.array(["a", "bc"], object)
    variable = numpy.array(["a", "bc"], numpy.dtypes.StringDType())
    for array in (words, variable):
        assert json.loads(sent(array, "json"))["instances"] == ["a", "bc"]
        assert sent(array, "csv") == b"a\nbc"
        assert json.loads(sent({"instances": array}, None)) == {"instances": ["a", "bc"]}
        rows = json.loads(sent({"x": array, "y": numpy.array([1, 2])}, None))["instances"]
        assert rows == [{"x": "a", "y": 1}, {"x": "bc", "y": 2}]
        with pytest.raises(Mistake, match="cannot be sent as application/x-npy"):
            sent(array, "npy")
        with pytest.raises(Mistake, match="pickled objects, which are unsafe to load"):
            NumpySerializer().serialize(array)
    mixed = numpy.array([[1, "a"], [2.5, None]], object)
    assert json.loads(sent(mixed, "json"))["instances"] == [[1, "a"], [2.5, None]]
    with pytest.raises(Mistake, match=r"'x' has the dtype object and holds more than strings"):
        sent({"x": mixed, "y": numpy.array([1, 2])}, None)
    with pytest.raises(Mistake, match="the data cannot be written: JSON has no object"):
        sent(numpy.array([object()], object), "json")


def test_masked_elements_are_never_sent_and_a_matrix_has_rows() -> None:
    masked = numpy.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])
    for encoding in ENCODINGS:
        with pytest.raises(Mistake, match="1 of the array's 4 elements are masked"):
            sent(masked, encoding)
    with pytest.raises(Mistake, match="masked"):
        JSONSerializer().serialize({"x": masked})
    whole = numpy.ma.masked_array([[1.0, 2.0]])
    assert json.loads(sent(whole, "json"))["instances"] == [[1.0, 2.0]]
    matrix = numpy.array([[1.0, 2.0], [3.0, 4.0]]).view(numpy.matrix)
    assert sent(matrix, "jsonlines") == b"[1.0,2.0]\n[3.0,4.0]"
    assert sent(matrix, "csv") == b"1.0,2.0\n3.0,4.0"


def test_a_tensor_that_cannot_be_read_is_named() -> None:
    class Tensor:
        def __array__(self) -> Any:
            raise RuntimeError("call detach() first")

    with pytest.raises(Mistake, match=r"a Tensor cannot be read as an array: call detach\(\)"):
        sent(Tensor(), None)


@pytest.mark.parametrize("field", [b"x", {1}, object(), numpy.complex64(1j), numpy.bytes_(b"x")])
def test_a_field_that_csv_would_make_another_of_is_named(field: Any) -> None:
    with pytest.raises(Mistake):
        sent([[1.0, field]], "csv")
    with pytest.raises(Mistake):
        CSVSerializer().serialize([[1.0, field]])
