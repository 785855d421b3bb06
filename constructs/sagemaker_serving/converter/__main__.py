"""``python -m sagemaker_serving.converter``: reads requests from standard input.

They are a list in JSON, each with its ``source`` and ``target`` paths, and for
a frozen graph its ``inputs`` and ``outputs``: the tensors by the names that requests
use. Ends with 1 and one line on standard error when a file cannot be converted.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Converts what standard input asks for."""
    for request in json.load(sys.stdin):
        source = Path(request["source"]).name
        try:
            if source.endswith((".pb", ".pbtxt")):
                _frozen_graph(**request)
            else:
                _keras(request["source"], request["target"])
        except Exception as error:
            lines = str(error).strip().splitlines() or [""]
            print(f"{source}: {type(error).__name__}: {lines[0]}", file=sys.stderr)
            sys.exit(1)


def _frozen_graph(
    source: str, target: str, inputs: dict[str, str], outputs: dict[str, str]
) -> None:
    """A SavedModel whose weights are constants, with one variable that nothing reads.

    SageMaker Neo compiles no SavedModel without "a variables directory that contains variables"
    (developer guide, "Prepare Model for Compilation"), and TensorFlow writes none without one.
    """
    import tensorflow as tf

    v1 = tf.compat.v1
    definition = v1.GraphDef()
    if source.endswith(".pbtxt"):
        from google.protobuf import text_format

        text_format.Parse(Path(source).read_bytes(), definition)
    else:
        definition.ParseFromString(Path(source).read_bytes())
    with tf.Graph().as_default() as graph, v1.Session() as session:
        tf.import_graph_def(definition, name="")
        signature = v1.saved_model.predict_signature_def(
            inputs={key: _tensor(graph, name) for key, name in inputs.items()},
            outputs={key: _tensor(graph, name) for key, name in outputs.items()},
        )
        session.run(v1.get_variable("frozen_graph", initializer=0.0, use_resource=True).initializer)
        builder = v1.saved_model.Builder(target)
        builder.add_meta_graph_and_variables(
            session, ["serve"], signature_def_map={"serving_default": signature}
        )
        builder.save()


def _tensor(graph: Any, name: str) -> Any:
    return graph.get_tensor_by_name(name if ":" in name else f"{name}:0")


def _keras(source: str, target: str) -> None:
    import keras

    keras.saving.load_model(source, compile=False).export(target, verbose=False)


if __name__ == "__main__":
    main()
