"""What a SavedModel offers, read from its ``saved_model.pb`` without TensorFlow.

Field numbers are those of tensorflow/core/protobuf/saved_model.proto,
meta_graph.proto, saved_object_graph.proto, struct.proto and
tensorflow/core/framework/{graph,node_def,types,tensor_shape}.proto, TensorFlow 2.21.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sagemaker_serving.archive.protobuf import Malformed, Message, Source, message

_VARIABLE_OPS = {"VarHandleOp", "VariableV2", "Variable"}
_PARSING_OPS = {"ParseExample", "ParseExampleV2"}
_OBJECTS = 7
_IN_PARTS = {1, 3}
"""A sparse and a ragged tensor's, of the classes of a TypeSpecProto."""
_TYPE_SPEC, _LIST, _TUPLE, _DICT = 34, 51, 52, 53
"""What a StructuredValue may be: a type such as a ragged tensor's, or others together."""
_DEEPEST = 20
_HIDDEN = "__saved_model_"
_UNKNOWN = (1 << 64) - 1
_MOST_BYTES_OF_SIGNATURES = 4 << 20

JSON_DTYPES = frozenset(
    {
        *("float32", "float64", "int8", "int16", "int32", "int64"),
        *("uint8", "uint32", "uint64", "bool", "string"),
    }
)
"""The types that TensorFlow Serving reads from JSON (util/json_tensor.cc, AddValueToTensor)."""


@dataclass(frozen=True, kw_only=True)
class Tensor:
    """An input or output: its dtype as TensorFlow names it ("float32"), and its shape.

    ``shape`` is None for an unknown rank; within it None is an unknown size.
    Version 1's reference types are given as the types that they refer to.
    """

    dtype: str
    shape: tuple[int | None, ...] | None


@dataclass(frozen=True, kw_only=True)
class Signature:
    """A signature: its inputs and outputs by name, and its method's last word ("predict")."""

    inputs: dict[str, Tensor]
    outputs: dict[str, Tensor]
    method: str


@dataclass(frozen=True, kw_only=True)
class SavedModel:
    """A SavedModel: its signatures by name, tags, writer's version, and whether it has variables.

    Signatures that TensorFlow keeps for itself (``__saved_model_init_op``) are left out.
    ``parses_examples``: a part of it takes serialized ``tf.train.Example``, so that an input of
    strings may be no plain text. ``takes_parts``: a function of it takes a ragged or sparse tensor,
    of which a signature has the parts, and these are of other sizes than a batch.
    """

    signatures: dict[str, Signature] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    tensorflow_version: str = ""
    has_variables: bool = False
    parses_examples: bool = False
    takes_parts: bool = False


def read_saved_model(source: Source, size: int) -> SavedModel:
    """The SavedModel in the ``size`` bytes of ``source``: its graph tagged "serve".

    Without such a graph it is the first one. Weights and nodes are passed over
    as they stream by. Raises `Malformed` for what is no SavedModel.
    """
    graphs = [_meta_graph(graph) for graph in message(source, size).messages(2)]
    if not graphs:
        raise Malformed("there is no graph in it")
    return next((graph for graph in graphs if "serve" in graph.tags), graphs[0])


def _meta_graph(graph: Message) -> SavedModel:
    signatures: dict[str, Signature] = {}
    tags: list[str] = []
    version, operations, length, takes_parts = "", set[str](), 0, False
    for number, value in graph:
        if not isinstance(value, Message):
            continue
        if number == 1:
            for inner, text in value:
                if inner == 4 and isinstance(text, Message) and len(tags) < 100:
                    tags.append(text.text())
                elif inner == 5 and isinstance(text, Message):
                    version = text.text()
        elif number == 2:
            operations |= _operations(value)
        elif number == 5:
            length += value.size
            if length > _MOST_BYTES_OF_SIGNATURES:
                raise Malformed("its signatures have no end")
            name, entry = value.entry(_signature, Signature(inputs={}, outputs={}, method=""))
            if not name.startswith(_HIDDEN):
                signatures[name] = entry
        elif number == _OBJECTS:
            takes_parts = _takes_parts(value)
    return SavedModel(
        signatures=dict(sorted(signatures.items())),
        tags=tuple(tags),
        tensorflow_version=version,
        has_variables=not operations.isdisjoint(_VARIABLE_OPS),
        parses_examples=not operations.isdisjoint(_PARSING_OPS),
        takes_parts=takes_parts,
    )


def _takes_parts(objects: Message) -> bool:
    """Whether a function of a SavedObjectGraph takes a ragged or sparse tensor."""
    return any(
        _is_in_parts(inputs)
        for entry in objects.messages(2)
        for function in entry.messages(2)
        for inputs in function.messages(3)
    )


def _is_in_parts(value: Message, depth: int = 0) -> bool:
    """Whether a StructuredValue, or what is in it, is the type of such a tensor."""
    for number, inner in value:
        if not isinstance(inner, Message) or depth > _DEEPEST:
            return False
        if number == _TYPE_SPEC:
            return any(each == 1 and kind in _IN_PARTS for each, kind in inner)
        if number in (_LIST, _TUPLE):
            return any(_is_in_parts(each, depth + 1) for each in inner.messages(1))
        if number == _DICT:
            entries = inner.messages(1)
            return any(_is_in_parts(each, depth + 1) for one in entries for each in one.messages(2))
    return False


def _operations(graph: Message) -> set[str]:
    """Which of the operations that are asked for it has, its functions included."""
    found: set[str] = set()
    for number, value in graph:
        if number == 1 and isinstance(value, Message):
            found.add(_operation(value))
        elif number == 2 and isinstance(value, Message):
            found.update(
                _operation(node) for function in value.messages(1) for node in function.messages(3)
            )
    return found & (_VARIABLE_OPS | _PARSING_OPS)


def _operation(node: Message) -> str:
    return next((name.text() for name in node.messages(2)), "")


def _signature(signature: Message) -> Signature:
    inputs: dict[str, Tensor] = {}
    outputs: dict[str, Tensor] = {}
    method = ""
    for number, value in signature:
        if not isinstance(value, Message):
            continue
        if number in (1, 2):
            name, tensor = value.entry(_tensor, Tensor(dtype=dtype_of(0), shape=None))
            (inputs if number == 1 else outputs)[name] = tensor
        elif number == 3:
            method = value.text().rpartition("/")[2]
    return Signature(
        inputs=dict(sorted(inputs.items())), outputs=dict(sorted(outputs.items())), method=method
    )


def _tensor(info: Message) -> Tensor:
    dtype, shape = 0, None
    for number, value in info:
        if number == 2 and isinstance(value, int):
            dtype = value
        elif number == 3 and isinstance(value, Message):
            shape = shape_of(value)
    return Tensor(dtype=dtype_of(dtype), shape=shape)


def shape_of(shape: Message) -> tuple[int | None, ...] | None:
    """A TensorShapeProto's sizes, None for one that is open; None for an unknown rank."""
    sizes: list[int | None] = []
    for number, value in shape:
        if number == 3 and value:
            return None
        if number == 2 and isinstance(value, Message):
            size = 0
            for inner, given in value:
                if inner == 1 and isinstance(given, int):
                    size = given
            sizes.append(None if size == _UNKNOWN else size)
    return tuple(sizes)


def dtype_of(number: int) -> str:
    """TensorFlow's name of a DataType."""
    return _DTYPES.get(number - 100 if number > 100 else number, f"type {number}")


_DTYPES = {
    0: "unknown",
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    7: "string",
    8: "complex64",
    9: "int64",
    10: "bool",
    11: "qint8",
    12: "quint8",
    13: "qint32",
    14: "bfloat16",
    15: "qint16",
    16: "quint16",
    17: "uint16",
    18: "complex128",
    19: "float16",
    20: "resource",
    21: "variant",
    22: "uint32",
    23: "uint64",
    24: "float8_e5m2",
    25: "float8_e4m3fn",
    29: "int4",
    30: "uint4",
}
