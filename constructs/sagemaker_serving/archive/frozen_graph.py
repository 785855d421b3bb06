"""A frozen TensorFlow graph (``.pb``): what may be its inputs and outputs, without TensorFlow.

Field numbers are those of tensorflow/core/framework/{graph,node_def}.proto,
TensorFlow 2.21; read 2026-11-21.
"""

from __future__ import annotations

from dataclasses import dataclass

from sagemaker_serving.archive.protobuf import Malformed, Message, Source, message

_INPUTS = {"Placeholder", "PlaceholderV2"}
_NO_OUTPUTS = _INPUTS | {"Const", "NoOp", "Assert", "PlaceholderWithDefault", "HashTableV2"}
_MOST_BYTES_OF_NAMES = 32 << 20
_LONGEST_NAME = 4096


@dataclass(frozen=True, kw_only=True)
class FrozenGraph:
    """A graph's possible ``inputs`` (its placeholders) and ``outputs`` (nodes nobody consumes)."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def unambiguous(self) -> bool:
        """Whether there is one input and one output, so that nobody needs to be asked."""
        return len(self.inputs) == 1 and len(self.outputs) == 1


def read_frozen_graph(source: Source, size: int) -> FrozenGraph:
    """The graph in the ``size`` bytes of ``source``; raises `Malformed` for what is none."""
    operations: dict[str, str] = {}
    consumed: set[str] = set()
    length = 0
    for number, value in message(source, size):
        if number == 1:
            if not isinstance(value, Message):
                raise Malformed("it is no graph")
            name, operation, inputs = _node(value)
            length += len(name) + sum(map(len, inputs))
            if length > _MOST_BYTES_OF_NAMES:
                raise Malformed("its names have no end")
            operations[name] = operation
            consumed.update(inputs)
    if not operations:
        raise Malformed("there is no node in it")
    return FrozenGraph(
        inputs=tuple(name for name, operation in operations.items() if operation in _INPUTS),
        outputs=tuple(
            name
            for name, operation in operations.items()
            if name not in consumed and operation not in _NO_OUTPUTS
        ),
    )


def _node(node: Message) -> tuple[str, str, list[str]]:
    name, operation, inputs = "", "", []
    for number, value in node:
        if not isinstance(value, Message):
            continue
        if number == 1:
            name = value.text(_LONGEST_NAME)
        elif number == 2:
            operation = value.text(_LONGEST_NAME)
        elif number == 3:
            inputs.append(value.text(_LONGEST_NAME).removeprefix("^").partition(":")[0])
        elif number == 5:
            # Attributes, perhaps megabytes of weights, come after all that is asked for.
            break
    node.skip_rest()
    if not name or not operation:
        raise Malformed("a node in it has no name or operation")
    return name, operation, inputs
