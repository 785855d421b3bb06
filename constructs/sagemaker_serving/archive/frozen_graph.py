"""A frozen TensorFlow graph (``.pb``): what may be its inputs and outputs, without TensorFlow.

``text_graph`` reads the same written as text.

Field numbers are those of tensorflow/core/framework/{graph,node_def,attr_value}.proto,
TensorFlow 2.21.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sagemaker_serving.archive.protobuf import Malformed, Message, Source, message
from sagemaker_serving.archive.saved_model import Tensor, dtype_of, shape_of

_INPUTS = {"Placeholder", "PlaceholderV2"}
_NO_OUTPUTS = _INPUTS | {"Const", "NoOp", "Assert", "PlaceholderWithDefault", "HashTableV2"}
_MOST_BYTES_OF_NAMES = 32 << 20
_LONGEST_NAME = 4096


@dataclass(frozen=True, kw_only=True)
class FrozenGraph:
    """A graph's possible ``inputs`` (its placeholders) and ``outputs`` (nodes nobody consumes).

    Outputs are by name with the operation that computes them; their shapes only TensorFlow knows.
    """

    inputs: dict[str, Tensor]
    outputs: dict[str, str]

    @property
    def unambiguous(self) -> bool:
        """Whether there is one input and one output, so that nobody needs to be asked."""
        return len(self.inputs) == 1 and len(self.outputs) == 1


def key_of(tensor: str) -> str:
    """The name that requests use for a tensor: without scopes' slashes, and without ``:0``."""
    return tensor.removesuffix(":0").replace("/", "_").replace(":", "_")


@dataclass(frozen=True, kw_only=True)
class Node:
    """An operation of a graph; ``tensor`` is what a placeholder takes."""

    name: str
    operation: str
    inputs: tuple[str, ...]
    tensor: Tensor


def read_frozen_graph(source: Source, size: int) -> FrozenGraph:
    """The graph in the ``size`` bytes of ``source``; raises `Malformed` for what is none."""
    return graph_of(_nodes(source, size))


def graph_of(nodes: Iterable[Node]) -> FrozenGraph:
    """The graph of these nodes; raises `Malformed` without one, and for names without end."""
    operations: dict[str, str] = {}
    placeholders: dict[str, Tensor] = {}
    consumed: set[str] = set()
    length = 0
    for node in nodes:
        if not node.name or not node.operation:
            raise Malformed("a node in it has no name or operation")
        length += len(node.name) + sum(map(len, node.inputs))
        if length > _MOST_BYTES_OF_NAMES:
            raise Malformed("its names have no end")
        operations[node.name] = node.operation
        if node.operation in _INPUTS:
            placeholders[node.name] = node.tensor
        consumed.update(name.removeprefix("^").partition(":")[0] for name in node.inputs)
    if not operations:
        raise Malformed("there is no node in it")
    return FrozenGraph(
        inputs=placeholders,
        outputs={
            name: operation
            for name, operation in operations.items()
            if name not in consumed and operation not in _NO_OUTPUTS
        },
    )


def _nodes(source: Source, size: int) -> Iterator[Node]:
    for number, value in message(source, size):
        if number == 1:
            if not isinstance(value, Message):
                raise Malformed("it is no graph")
            yield _node(value)


def _node(node: Message) -> Node:
    name, operation, inputs = "", "", []
    dtype, shape = 0, None
    for number, value in node:
        if not isinstance(value, Message):
            continue
        if number == 1:
            name = value.text(_LONGEST_NAME)
        elif number == 2:
            operation = value.text(_LONGEST_NAME)
        elif number == 3:
            inputs.append(value.text(_LONGEST_NAME))
        elif number == 5 and operation not in _INPUTS:
            # Attributes, perhaps megabytes of weights, come after all that is asked for.
            break
        elif number == 5:
            key, given = _attribute(value)
            if key == "dtype" and isinstance(given, int):
                dtype = given
            elif key == "shape" and not isinstance(given, int):
                shape = given
    node.skip_rest()
    tensor = Tensor(dtype=dtype_of(dtype), shape=shape)
    return Node(name=name, operation=operation, inputs=tuple(inputs), tensor=tensor)


def _attribute(entry: Message) -> tuple[str, int | tuple[int | None, ...] | None]:
    """An attribute's name, and its value where that is a type or a shape."""
    key = ""
    found: int | tuple[int | None, ...] | None = None
    for number, value in entry:
        if number == 1 and isinstance(value, Message):
            key = value.text(_LONGEST_NAME)
        elif number == 2 and isinstance(value, Message):
            for kind, inner in value:
                if kind == 6 and isinstance(inner, int):
                    found = inner
                elif kind == 7 and isinstance(inner, Message):
                    found = shape_of(inner)
    return key, found
