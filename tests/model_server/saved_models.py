"""Writes the SavedModels that the tests serve: ``python saved_models.py FOLDER``.

``half_plus_three`` has the signatures of TensorFlow Serving's own test data:
version 122 adds two instead, version 123 is right. ``kinds`` has a signature
for each thing that JSON can do to a tensor. Both are written with the version
1 API, as models with ParseExample still are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1
Signatures = Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any], str]]


def write(folder: Path, build: Callable[[], Signatures]) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        signatures = build()
        session.run(v1.global_variables_initializer())
        builder = v1.saved_model.Builder(str(folder))
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            signature_def_map={
                name: v1.saved_model.build_signature_def(
                    {key: v1.saved_model.build_tensor_info(value) for key, value in ins.items()},
                    {key: v1.saved_model.build_tensor_info(value) for key, value in outs.items()},
                    f"tensorflow/serving/{method}",
                )
                for name, (ins, outs, method) in signatures.items()
            },
        )
        builder.save()


def half_plus(offset: float) -> Callable[[], Signatures]:
    def build() -> Signatures:
        a = v1.get_variable("a", initializer=0.5)
        b = v1.get_variable("b", initializer=offset)
        x = v1.placeholder(tf.float32, [None], name="x")
        y = tf.add(a * x, b, name="y")
        example = v1.placeholder(tf.string, [None], name="tf_example")
        feature = tf.io.FixedLenFeature([1], tf.float32)
        parsed = tf.io.parse_example(example, {"x": feature})
        scores = tf.add(a * parsed["x"], b)
        labels = tf.fill(tf.shape(scores), "half")
        return {
            "serving_default": ({"x": x}, {"y": y}, "predict"),
            "regress_x_to_y": ({"inputs": example}, {"outputs": scores}, "regress"),
            "classify_x_to_y": ({"inputs": example}, {"scores": scores}, "classify"),
            "classify_with_labels": (
                {"inputs": example},
                {"scores": scores, "classes": labels},
                "classify",
            ),
        }

    return build


def kinds() -> Signatures:
    def placeholder(kind: Any) -> Any:
        return v1.placeholder(kind, None)

    a, b, x = placeholder(tf.float32), placeholder(tf.float32), placeholder(tf.float32)
    matrix = v1.placeholder(tf.float32, [None, 2])
    text, whole, wide = placeholder(tf.string), placeholder(tf.int32), placeholder(tf.float64)
    rows = tf.shape(x)[0]
    image = placeholder(tf.float32)
    special = tf.constant([float("nan"), float("inf"), float("-inf")])
    return {
        "serving_default": ({"x": x}, {"y": tf.identity(x)}, "predict"),
        "two_inputs": ({"a": a, "b": b}, {"sum": a + b, "product": a * b}, "predict"),
        "matrix": ({"x": matrix}, {"y": tf.matmul(matrix, [[1.0], [2.0]])}, "predict"),
        "text": ({"s": text}, {"s": tf.identity(text)}, "predict"),
        "bytes": ({"s": text}, {"s_bytes": tf.identity(text)}, "predict"),
        "whole": ({"x": whole}, {"y": tf.cast(whole, tf.int64)}, "predict"),
        "wide": ({"x": wide}, {"y": tf.identity(wide)}, "predict"),
        "truth": ({"x": x}, {"y": x > 0.0}, "predict"),
        "half": ({"x": x}, {"y": tf.cast(x, tf.float16)}, "predict"),
        "special": ({"x": x}, {"y": tf.tile(special, [rows])}, "predict"),
        "scalar": ({"x": x}, {"y": tf.reduce_sum(x)}, "predict"),
        "batch_size": ({"x": x}, {"y": tf.fill([rows], rows)}, "predict"),
        "residual": ({"image": image}, {"scores": residual(image)}, "predict"),
    }


def residual(image: Any) -> Any:
    """The layers of a ResNet, once each, over images of three channels and any size."""

    def kernel(*shape: int) -> Any:
        return tf.random.stateless_normal(shape, seed=(1, 2))

    def normalized(values: Any) -> Any:
        ones, zeros = tf.ones([8]), tf.zeros([8])
        return v1.nn.fused_batch_norm(values, ones, zeros, zeros, ones, is_training=False)[0]

    first = tf.nn.relu(normalized(tf.nn.conv2d(image, kernel(7, 7, 3, 8), 2, "SAME")))
    pooled = tf.nn.max_pool2d(first, 3, 2, "SAME")
    deep = tf.nn.depthwise_conv2d(pooled, kernel(3, 3, 8, 1), [1, 1, 1, 1], "SAME")
    added = tf.nn.relu(normalized(tf.nn.conv2d(deep, kernel(1, 1, 8, 8), 1, "SAME")) + pooled)
    return tf.nn.softmax(tf.matmul(tf.reduce_mean(added, [1, 2]), kernel(8, 5)))


if __name__ == "__main__":
    root = Path(sys.argv[1])
    write(root / "half_plus_three" / "00000122", half_plus(2.0))
    write(root / "half_plus_three" / "123", half_plus(3.0))
    write(root / "kinds" / "1", kinds)
