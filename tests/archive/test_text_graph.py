"""A graph as text is read as the same graph in binary is."""

from __future__ import annotations

import pytest

from sagemaker_serving.archive.frozen_graph import FrozenGraph
from sagemaker_serving.archive.protobuf import Malformed
from sagemaker_serving.archive.saved_model import Tensor
from sagemaker_serving.archive.text_graph import begins_text_graph, read_text_graph

GRAPH = rb"""# as tf.io.write_graph writes it, and as the format allows
node {
  name: "images"
  op: "Placeholder"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: -1 } dim { size: 8 } dim {} } } }
}
node: < name: 'any'; op: 'Placeholder',
  attr { key: "shape" value { shape { unknown_rank: true } } } >
node {
  name: "weights"
  op: "Const"
  attr { key: "dtype" value { type: DT_HALF } }
  attr { key: "value" value { tensor {
    dtype: DT_HALF tensor_shape { dim { size: 2 } } half_val: [1, 2] float_val: -1.5e-3
    tensor_content: "\000\\}\"node {" "goes on"
  } } }
}
node { name: "scores" op: "MatMul" input: "images:0" input: "weights" input: "^any" }
versions { producer: 1 }
library { function { node_def { name: "inner" op: "Identity" } } }
"""


class Slowly:
    """Bytes that come a few at a time."""

    def __init__(self, content: bytes, at_once: int) -> None:
        self._content, self._at_once, self._at = content, at_once, 0

    def read(self, size: int, /) -> bytes:
        part = self._content[self._at : self._at + min(size, self._at_once)]
        self._at += len(part)
        return part

    def skip(self, size: int) -> None:
        raise AssertionError(size)


def read(content: bytes, at_once: int = 1 << 20) -> FrozenGraph:
    return read_text_graph(Slowly(content, at_once), len(content))


@pytest.mark.parametrize("at_once", [1, 2, 7, 1000])
def test_its_inputs_and_outputs_are_read_wherever_a_chunk_ends(at_once: int) -> None:
    assert read(GRAPH, at_once) == FrozenGraph(
        inputs={
            "images": Tensor(dtype="float32", shape=(None, 8, 0)),
            "any": Tensor(dtype="unknown", shape=None),
        },
        outputs={"scores": "MatMul"},
    )


def test_weights_of_megabytes_are_passed_over() -> None:
    weights = rb"\377\"x" * (1 << 20)
    assert read(GRAPH.replace(b"goes on", weights)) == read(GRAPH)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'item { name: "cat" }',
        b'node { name: "x" }',
        b'node { name: "x op: "Relu" }',
        b'node { name: "x" op: "Relu"',
        b'node { name: "x" op: "Relu" } }',
        b"node { attr { value { shape { dim { size: many } } } } }",
        b"node " + b"{ node " * 60,
        b"node " + b"x" * (1 << 20),
        b"node \x00",
    ],
)
def test_what_is_no_graph_is_named_as_such(content: bytes) -> None:
    with pytest.raises(Malformed):
        read(content)


def test_a_label_map_is_not_taken_for_one() -> None:
    assert begins_text_graph(GRAPH)
    assert not begins_text_graph(b'item {\n  name: "cat"\n}\n')
