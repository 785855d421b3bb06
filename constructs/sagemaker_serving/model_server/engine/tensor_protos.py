"""tensorflow.TensorProto and arrays, as TensorFlow Serving makes one of the other.

Source: tensorflow/tensorflow, ``core/framework/tensor.cc`` (Tensor::FromProto, AsProtoField).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from tensorflow.core.framework.tensor_pb2 import TensorProto
from tensorflow.core.framework.types_pb2 import DataType
from tensorflow.python.eager.context import eager_mode
from tensorflow.python.framework.dtypes import as_dtype
from tensorflow.python.framework.errors_impl import OpError
from tensorflow.python.ops.gen_parsing_ops import parse_tensor

from sagemaker_serving.model_server.engine.status import invalid
from sagemaker_serving.model_server.engine.tensors import Array, must_be_possible_rank

_PACKED = {np.float32: 5, np.float64: 6, np.complex64: 9, np.complex128: 12}
"""Lists whose bytes on the wire are those of the array, by their number."""

_VALUES: dict[str, Callable[[TensorProto], Any]] = {
    "DT_STRING": lambda proto: proto.string_val,
    "DT_INT64": lambda proto: proto.int64_val,
    "DT_BOOL": lambda proto: proto.bool_val,
    "DT_UINT32": lambda proto: proto.uint32_val,
    "DT_UINT64": lambda proto: proto.uint64_val,
    "DT_HALF": lambda proto: proto.half_val,
    "DT_BFLOAT16": lambda proto: proto.half_val,
}
"""The others; what is not here is in int_val."""


def array_of(proto: TensorProto, name: str) -> Array:
    """The array of input ``name``; raises `StatusError` where Tensor::FromProto fails.

    It takes ``tensor_content`` or a list of values, of which the last one fills what is left.
    """
    must_be_possible_rank(len(proto.tensor_shape.dim), name)
    try:
        kind = as_dtype(proto.dtype)
        shape = [dimension.size for dimension in proto.tensor_shape.dim]
        plain, content = np.dtype(kind.as_numpy_dtype), proto.tensor_content
        is_whole = len(content) == plain.itemsize * math.prod(shape)
        if content and is_whole and plain.kind in "biufc":
            # What is large usually comes so: a tenth of the time.
            return np.frombuffer(content, plain).reshape(shape)
        # TensorFlow's own: the kernel of ParseTensor is Tensor::FromProto.
        with eager_mode():
            return np.asarray(parse_tensor(proto.SerializeToString(), kind).numpy())
    except (OpError, TypeError, ValueError):
        raise invalid(f"tensor parsing error: {name}") from None


def write(array: Array, proto: TensorProto) -> None:
    """Write into its type's list, never into ``tensor_content``: clients read ``float_val``."""
    kind = as_dtype(array.dtype).as_datatype_enum
    proto.dtype = kind
    for size in array.shape:
        proto.tensor_shape.dim.add(size=size)
    number = _PACKED.get(array.dtype.type)
    if number is not None and array.size:
        raw = array.tobytes()
        proto.MergeFromString(bytes([number << 3 | 2]) + _varint(len(raw)) + raw)
    elif number is None:
        half = array.dtype.itemsize == 2 and array.dtype.kind not in "iu"
        plain = array.view(np.uint16) if half else array
        values = _VALUES.get(DataType.Name(kind), lambda proto: proto.int_val)(proto)
        values.extend(plain.ravel().tolist())


def _varint(value: int) -> bytes:
    digits = bytearray()
    while value > 127:
        digits.append(value & 127 | 128)
        value >>= 7
    return bytes([*digits, value])
