"""What an ``.onnx`` file takes and gives, without onnx and without reading its weights.

Field numbers are those of onnx/onnx.proto (github.com/onnx/onnx, IR version 13).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sagemaker_serving.archive.protobuf import Malformed, Message, Source, message
from sagemaker_serving.archive.saved_model import Tensor

_MOST_BYTES_OF_TENSORS = 4 << 20

TRITON_TYPES = {
    1: "FP32",
    2: "UINT8",
    3: "INT8",
    4: "UINT16",
    5: "INT16",
    6: "INT32",
    7: "INT64",
    8: "BYTES",
    9: "BOOL",
    10: "FP16",
    11: "FP64",
    12: "UINT32",
    13: "UINT64",
    16: "BF16",
}
"""onnx.TensorProto.DataType by Triton's names (triton-inference-server/onnxruntime_backend 00fd3e8,
src/onnxruntime_utils.cc). What is missing Triton does not serve."""


@dataclass(frozen=True, kw_only=True)
class OnnxModel:
    """Inputs and outputs by name, types by Triton's names ("FP32"), "" for one that it lacks.

    ``external`` are the files beside the model that hold its weights, as the model names them.
    """

    inputs: dict[str, Tensor] = field(default_factory=dict)
    outputs: dict[str, Tensor] = field(default_factory=dict)
    external: tuple[str, ...] = ()


def read_onnx(source: Source, size: int) -> OnnxModel:
    """The model in the ``size`` bytes of ``source``; raises `Malformed` for what is none.

    An input with a value of its own (an initializer) is left out, as onnxruntime does.
    """
    inputs: dict[str, Tensor] = {}
    outputs: dict[str, Tensor] = {}
    initial: set[str] = set()
    external: dict[str, None] = {}
    length = 0
    for graph in message(source, size).messages(7):
        for inner, value in graph:
            if not isinstance(value, Message):
                continue
            if inner == 5:
                name, location = _initializer(value)
                initial.add(name)
                if location:
                    external[location] = None
            elif inner in (11, 12):
                length += value.size
                if length > _MOST_BYTES_OF_TENSORS:
                    raise Malformed("its inputs have no end")
                # ValueInfoProto has its name and its type where a map's entry has key and value.
                name, tensor = value.entry(_tensor, Tensor(dtype="", shape=None))
                (inputs if inner == 11 else outputs)[name] = tensor
    if not outputs:
        raise Malformed("it has no graph with an output")
    taken = {name: tensor for name, tensor in inputs.items() if name not in initial}
    return OnnxModel(inputs=taken, outputs=outputs, external=tuple(external))


def _initializer(tensor: Message) -> tuple[str, str]:
    """Its name, and the file that holds it, "" when it is the model's own."""
    name, location = "", ""
    for number, value in tensor:
        if number == 8 and isinstance(value, Message):
            name = value.text()
        elif number == 13 and isinstance(value, Message):
            entry = {key: each.text() for key, each in value if isinstance(each, Message)}
            if entry.get(1) == "location":
                location = entry.get(2, "")
    return name, location


def _tensor(type_of: Message) -> Tensor:
    """What a TypeProto says of a tensor; of anything else nothing."""
    dtype = ""
    shape: tuple[int | None, ...] | None = None
    for tensor in type_of.messages(1):
        for number, value in tensor:
            if number == 1 and isinstance(value, int):
                dtype = TRITON_TYPES.get(value, "")
            elif number == 2 and isinstance(value, Message):
                shape = tuple(map(_size, value.messages(1)))
    return Tensor(dtype=dtype, shape=shape)


def _size(dimension: Message) -> int | None:
    """A dimension's size; one that has a name, or nothing, is open."""
    sizes = [value for number, value in dimension if number == 1 and isinstance(value, int)]
    return sizes[-1] if sizes and sizes[-1] < 1 << 63 else None  # negative: unknown
