"""Writes models with TensorFlow, and what TensorFlow says of them.

``write FOLDER``: ``v1`` and ``v2`` (SavedModels of both APIs), ``examples`` (one that parses
``tf.train.Example``), ``ragged`` (one that takes a ragged tensor), ``frozen.pb``,
``model.keras``, ``two.keras`` and ``model.h5``; ``said.json`` has TensorFlow's own reading of
the signatures, what each of the latter three predicts for `INPUT`, and which of the Keras models
by `NAMES` it exports.
``predict FOLDER``: prints what each SavedModel in it predicts.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
INPUT = [[0.5, -1.25], [3.0, 0.125], [-2.0, 7.5]]


def write_v1(folder: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        reference = v1.get_variable("w", [2, 3], use_resource=False)
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        text = v1.placeholder(tf.string, [], name="text")
        anything = v1.placeholder(tf.int64, None, name="anything")
        fixed = v1.placeholder(tf.int32, [4, None, 3], name="fixed")
        outputs = {"y": tf.matmul(x, reference), "w": reference, "t": tf.identity(text)}
        session.run(v1.global_variables_initializer())
        builder = v1.saved_model.Builder(str(folder))
        inputs = {"x": x, "text": text, "anything": anything, "fixed": fixed}
        info = v1.saved_model.build_tensor_info
        signature = v1.saved_model.build_signature_def(
            {name: info(tensor) for name, tensor in inputs.items()},
            {name: info(tensor) for name, tensor in outputs.items()},
            "tensorflow/serving/predict",
        )
        assert signature.outputs["w"].dtype > 100, "not a reference"
        builder.add_meta_graph_and_variables(
            session, ["serve", "gpu"], signature_def_map={"serving_default": signature},
            main_op=v1.group(v1.tables_initializer()),
        )  # fmt: skip
        builder.save()


def write_v2(folder: Path) -> None:
    class Module(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            self.w = tf.Variable([[1.0], [2.0]])

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, "x")])  # type: ignore[untyped-decorator]
        def score(self, x: Any) -> Any:
            return {"score": x @ self.w, "class": tf.cast(x[:, 0] > 0, tf.uint8)}

        @tf.function(input_signature=[tf.TensorSpec(None, tf.bfloat16, "z")])  # type: ignore[untyped-decorator]
        def other(self, z: Any) -> Any:
            return {"z": tf.cast(z, tf.float16)}

    module = Module()
    signatures = {"serving_default": module.score, "other": module.other}
    tf.saved_model.save(module, str(folder), signatures=signatures)


def write_examples(folder: Path) -> None:
    class Module(tf.Module):  # type: ignore[misc]
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string, "examples")])  # type: ignore[untyped-decorator]
        def score(self, examples: Any) -> Any:
            wanted = {"age": tf.io.FixedLenFeature([], tf.float32)}
            return {"score": tf.io.parse_example(examples, wanted)["age"]}

    module = Module()
    tf.saved_model.save(module, str(folder), signatures=module.score)


def write_ragged(folder: Path) -> None:
    class Module(tf.Module):  # type: ignore[misc]
        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int64)])  # type: ignore[untyped-decorator]
        def total(self, rows: Any) -> Any:
            return {"total": tf.reduce_sum(rows, 1)}

    module = Module()
    tf.saved_model.save(module, str(folder), signatures=module.total)


def write_frozen(path: Path) -> Any:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2], name="images")
        weights = tf.constant([[0.3, -0.7, 1.9], [2.5, 0.11, -3.3]], name="weights")
        scores = tf.nn.softmax(tf.matmul(x, weights), name="scores")
        path.write_bytes(graph.as_graph_def().SerializeToString())
        tf.io.write_graph(graph, str(path.parent), "text.pbtxt")
        return session.run(scores, {x: INPUT})


def write_keras(folder: Path) -> Any:
    keras.utils.set_random_seed(7)
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(4, activation="tanh")])
    model.save(folder / "model.keras")
    model.save(folder / "model.h5")
    inputs = [keras.Input((8, 8, 1), name="image"), keras.Input((3,), dtype="int32", name="ids")]
    flat = keras.layers.Flatten()(inputs[0])
    scores = keras.layers.Dense(5, name="scores")(flat)
    total = keras.layers.Add(name="total")([scores, keras.layers.Embedding(9, 5)(inputs[1])[:, 0]])
    keras.Model(inputs, {"scores": scores, "total": total}).save(folder / "two.keras")
    return model.predict(np.array(INPUT), verbose=0)


def write_named(folder: Path) -> dict[str, bool]:
    """Keras models by names of inputs, of a layer and their own; whether TensorFlow exports each.

    It tells so as it traces the model, before it writes anything.
    """
    exports = {}
    for number, (names, layer, name) in enumerate(NAMES):
        inputs = [keras.Input((2,), name=each) for each in names]
        joined = keras.layers.Add()(inputs) if len(inputs) > 1 else inputs[0]
        model = keras.Model(inputs, keras.layers.Dense(1, name=layer)(joined), name=name)
        model.save(folder / f"named{number}.keras")
        try:
            model.export(str(folder.parent / f"{folder.name}-named{number}"), verbose=False)
        except ValueError:
            exports[f"named{number}.keras"] = False
        else:
            exports[f"named{number}.keras"] = True
    return exports


NAMES: list[tuple[tuple[str, ...], str, str]] = [
    *(((name,), "dense", "model") for name in ("Länge", "my input", "a:b", "_x", "-a")),
    *(((name,), "dense", "model") for name in ("a-b", "1x", ".x", "x_")),
    *((names, "dense", "model") for names in (("x", "X"), ("a-b", "a.b"), ("x", "y"))),
    *((("x",), layer, "model") for layer in ("my layer", "_layer", "größe", "layer.1")),
    *((("x",), "dense", name) for name in ("my model", "_model", "model-1")),
]  # fmt: skip


def said(folder: Path) -> dict[str, Any]:
    from tensorflow.core.protobuf import saved_model_pb2

    proto = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    (graph,) = proto.meta_graphs

    def tensors(infos: Any) -> dict[str, Any]:
        return {
            name: {
                "dtype": tf.dtypes.as_dtype(info.dtype).base_dtype.name,
                "shape": tf.TensorShape(info.tensor_shape),
            }
            for name, info in infos.items()
        }

    return {
        "tags": list(graph.meta_info_def.tags),
        "version": graph.meta_info_def.tensorflow_version,
        "signatures": {
            name: {"inputs": tensors(found.inputs), "outputs": tensors(found.outputs)}
            for name, found in graph.signature_def.items()
            if name != "__saved_model_init_op"
        },
    }


def plain(value: Any) -> Any:
    if isinstance(value, tf.TensorShape):
        return None if value.rank is None else value.as_list()
    return value.tolist()


def predictions(folder: Path) -> dict[str, Any]:
    found = {}
    for path in folder.glob("*/*/saved_model.pb"):
        (serve,) = [tf.saved_model.load(str(path.parent)).signatures["serving_default"]]
        (name,) = serve.structured_input_signature[1]
        (output,) = serve(**{name: tf.constant(INPUT)}).values()
        found[path.parent.parent.name] = output.numpy()
    return found


if __name__ == "__main__":
    root = Path(sys.argv[2])
    if sys.argv[1] == "predict":
        print(json.dumps(predictions(root), default=plain))
    else:
        write_v1(root / "v1")
        write_v2(root / "v2")
        write_examples(root / "examples")
        write_ragged(root / "ragged")
        facts = {"frozen": write_frozen(root / "frozen.pb"), "keras": write_keras(root)}
        facts["input"], facts["exports"] = INPUT, write_named(root)
        facts |= {name: said(root / name) for name in ("v1", "v2")}
        (root / "said.json").write_text(json.dumps(facts, default=plain))
