"""Arrays as records: one row for each step along the first axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from sagemaker_serving.archive import Signature, Tensor
from sagemaker_serving.client.payload.arrays import Array, code_of, npy_header
from sagemaker_serving.client.payload.batch import Batch, Encoding
from sagemaker_serving.client.payload.choice import ModelFacts
from sagemaker_serving.client.payload.images import NPY
from sagemaker_serving.client.payload.json_text import (
    json_of,
    json_of_array,
    longest_json_of_row,
)
from sagemaker_serving.client.payload.rows import FixedRows, Frame, TextRows
from sagemaker_serving.client.payload.value_rows import csv_line, json_frame
from sagemaker_serving.errors import Mistake


def rows(array: Array, encoding: Encoding, content_type: str, model: ModelFacts) -> Batch:
    """The rows of ``array``, in ``encoding``. Raises `Mistake` when it does not fit the model."""
    if encoding == "base64" and array.dtype.kind in "SU":
        encoding = "json"  # which says strings as they are, and bytes as base64
    if encoding == "base64":
        return _packed(array, content_type, model)
    array = fitted(array, model.signature)
    if encoding == "npy":
        return _fixed(array, content_type)
    if encoding == "raw":
        raise Mistake(
            f"an array cannot be sent as {content_type}; give its bytes, or encode it as an image"
        )
    if encoding == "csv" and len(array.shape) > 2:
        raise Mistake(f"CSV holds rows of numbers; the array has the shape {array.shape}")
    texts = {
        # The list's brackets are cut off: the frame brings others.
        "json": lambda first, end: json_of_array(array[first:end])[1:-1],
        "jsonlines": lambda first, end: b"\n".join(json_of(array[i]) for i in range(first, end)),
        "csv": lambda first, end: b"\n".join(csv_line(array[i]) for i in range(first, end)),
    }
    frame = (
        json_frame(content_type, model) if encoding == "json" else Frame(content_type=content_type)
    )
    return TextRows(
        records=array.shape[0],
        longest=longest_json_of_row(array),
        text=texts[encoding],
        frame=frame,
    )


def columns(arrays: Mapping[str, Array], content_type: str, model: ModelFacts) -> Batch:
    """Rows that take one element of each of ``arrays``, by the name of the model's input.

    Raises `Mistake` when their first axes differ or their names are not the model's.
    """
    lengths = {array.shape[0] if array.shape else 0 for array in arrays.values()}
    if len(lengths) != 1 or not min(lengths):
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise Mistake(f"every array needs the same first axis, the batch, and not 0: {shapes}")
    if model.signature is not None:
        inputs = model.signature.inputs
        if arrays.keys() != inputs.keys():
            raise Mistake(
                f"the arrays are called {', '.join(arrays)}; the model's inputs {', '.join(inputs)}"
            )
        arrays = {name: fitted_to(array, name, inputs[name]) for name, array in arrays.items()}

    def text(first: int, end: int) -> bytes:
        return b",".join(
            json_of({name: array[index] for name, array in arrays.items()})
            for index in range(first, end)
        )

    return TextRows(
        records=min(lengths),
        longest=2 + sum(longest_json_of_row(a) + 6 * len(n) + 4 for n, a in arrays.items()),
        text=text,
        frame=json_frame(content_type, model),
    )


def stacked(arrays: Sequence[Array], content_type: str) -> Batch:
    """Arrays of one shape and dtype as the rows of one .npy."""
    shape, code = arrays[0].shape, code_of(arrays[0])
    return FixedRows(
        records=len(arrays),
        row_bytes=prod(shape) * arrays[0].dtype.itemsize,
        header=lambda count: npy_header(code, (count, *shape)),
        rows=lambda first, end: b"".join(array.tobytes() for array in arrays[first:end]),
        content_type=content_type,
    )


def _fixed(array: Array, content_type: str) -> Batch:
    inner = array.shape[1:]
    return FixedRows(
        records=array.shape[0],
        row_bytes=prod(inner) * array.dtype.itemsize,
        header=lambda count: npy_header(code_of(array), (count, *inner)),
        rows=lambda first, end: array[first:end].tobytes(),
        content_type=content_type if content_type else NPY,
    )


def _packed(array: Array, content_type: str, model: ModelFacts) -> Batch:
    """Each row's bytes, in C order, as base64: for string inputs that decode them again."""
    row_bytes = prod(array.shape[1:]) * array.dtype.itemsize

    def text(first: int, end: int) -> bytes:
        # Slices, since a single element would be in this machine's byte order.
        return b",".join(json_of(array[i : i + 1].tobytes()) for i in range(first, end))

    return TextRows(
        records=array.shape[0],
        longest=-(-row_bytes // 3) * 4 + len('{"b64":""}'),
        text=text,
        frame=json_frame(content_type, model),
    )


_KINDS = {"float": "biuf", "int": "biu", "uint": "biu", "bool": "b", "string": "SU"}


def fitted(array: Array, signature: Signature | None) -> Array:
    """``array`` as the signature's one input takes it; float64 becomes the model's float32.

    Raises `Mistake` for a shape or a dtype that the model would refuse. Without
    a signature, or with several inputs, it is ``array`` itself.
    """
    if signature is None or len(signature.inputs) != 1:
        return array
    ((name, tensor),) = signature.inputs.items()
    return fitted_to(array, name, tensor)


def fitted_to(array: Array, name: str, tensor: Tensor) -> Array:
    """``array`` as the input ``name`` takes it; see `fitted`."""
    wanted = tensor.shape
    if wanted:
        if len(array.shape) == len(wanted) - 1:
            raise Mistake(
                f"the array has the shape {array.shape}; the model's input {name!r} is "
                f"{_text(wanted)}, the first axis is the batch; send one example as array[None]"
            )
        if len(array.shape) != len(wanted) or any(
            size is not None and size != given
            for given, size in zip(array.shape[1:], wanted[1:], strict=True)
        ):
            raise Mistake(
                f"the array has the shape {array.shape}; the model's input {name!r} is "
                f"{_text(wanted)}"
            )
    family: str = tensor.dtype.rstrip("0123456789")
    if array.dtype.kind not in _KINDS.get(family, array.dtype.kind):
        raise Mistake(
            f"the array has the dtype {array.dtype.name}; the model's input {name!r} is "
            f"{tensor.dtype}; convert it with array.astype({tensor.dtype!r})"
        )
    return array.astype("float32") if (tensor.dtype, array.dtype.name) == _NARROWED else array


_NARROWED = ("float32", "float64")


def _text(shape: tuple[int | None, ...]) -> str:
    return f"({', '.join('?' if size is None else str(size) for size in shape)})"
