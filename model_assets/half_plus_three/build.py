"""Write the half_plus_three SavedModel: y = x / 2 + 3, with predict, classify and regress.

Run from anywhere: ``python model_assets/half_plus_three/build.py``. It rewrites
``model/``, byte for byte the same each time with the same TensorFlow.

The graph is laid out as the test models of TensorFlow Serving are: every signature
shares one parser of ``tf.Example`` records, and predict feeds the parsed value
``x`` directly, so that no record is needed.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import tensorflow as tf
from tensorflow.core.protobuf import fingerprint_pb2
from tensorflow.python.saved_model import fingerprinting_utils

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)

VERSION_FOLDER = Path(__file__).parent / "model" / "half_plus_three" / "1"


def main() -> None:
    """Build the committed model and say what was written."""
    build(VERSION_FOLDER)
    size = sum(file.stat().st_size for file in VERSION_FOLDER.rglob("*") if file.is_file())
    print(f"half_plus_three: {size:,} bytes written to {VERSION_FOLDER}")


def build(version_folder: Path) -> None:
    """Write the SavedModel into ``version_folder``, replacing what is there."""
    with tf1.Graph().as_default(), tf1.Session() as session:
        a = tf1.get_variable("a", initializer=0.5)
        b = tf1.get_variable("b", initializer=3.0)

        examples = tf1.placeholder(tf.string, [None], name="tf_example")
        features = tf.io.parse_example(
            examples,
            {
                "x": tf.io.FixedLenFeature([], tf.float32),
                "x2": tf.io.FixedLenFeature([], tf.float32, default_value=0.0),
            },
        )
        x = tf.identity(features["x"], name="x")
        y = tf.identity(a * x + b, name="y")
        y3 = tf.identity(a * features["x2"] + b, name="y3")
        # TensorFlow Serving takes the scores of a classifier only as [batch, classes].
        scores = tf.expand_dims(y, axis=1, name="scores")

        describe = tf1.saved_model
        signatures = {
            "serving_default": describe.predict_signature_def({"x": x}, {"y": y}),
            "regress_x_to_y": describe.regression_signature_def(examples, y),
            "regress_x2_to_y3": describe.regression_signature_def(examples, y3),
            "classify_x_to_y": describe.classification_signature_def(examples, None, scores),
        }
        session.run(tf1.global_variables_initializer())
        save(session, signatures, version_folder)


def save(session: tf1.Session, signatures: dict[str, object], version_folder: Path) -> None:
    """Write the session's graph and variables as a SavedModel."""
    shutil.rmtree(version_folder, ignore_errors=True)
    builder = tf1.saved_model.Builder(str(version_folder))
    builder.add_meta_graph_and_variables(
        session,
        ["serve"],
        signatures,
        # An attribute that an older TensorFlow Serving does not know would stop its load.
        strip_default_attrs=True,
        # The builder's own saver puts a random folder name into the graph: bytes never repeat.
        saver=tf1.train.Saver(),
    )
    builder.save()
    write_fingerprint(version_folder)


def write_fingerprint(version_folder: Path) -> None:
    """Write what TensorFlow 2's own writer leaves beside a SavedModel, without its random id."""
    fingerprinting_utils.write_fingerprint(str(version_folder))
    path = version_folder / "fingerprint.pb"
    fingerprint = fingerprint_pb2.FingerprintDef.FromString(path.read_bytes())
    fingerprint.ClearField("uuid")
    path.write_bytes(fingerprint.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
