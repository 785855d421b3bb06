"""Train the handwritten-digit classifier and write the model and the held-out images.

Run from anywhere: ``python model_assets/digits/train.py``. It rewrites
``model/digits/`` and ``held_out/`` and prints the accuracy on the held-out images.
On one machine the bytes repeat; another processor may round the weights differently.

The data are scikit-learn's digits: 1797 images of 8x8 pixels, a copy of the test
set of UCI's "Optical Recognition of Handwritten Digits" (see README.md).
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import numpy as np
import tensorflow as tf
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tensorflow.core.protobuf import fingerprint_pb2
from tensorflow.python.saved_model import fingerprinting_utils

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)

HERE = Path(__file__).parent
SEED = 20
EPOCHS = 40
BATCH_SIZE = 32
HELD_OUT = 360
HELD_OUT_FILES = 100


def main() -> None:
    """Train, export, and say how good the exported model is."""
    start = time.monotonic()
    data = load_data()
    print(f"training on {len(data.train_labels)} images, holding out {len(data.test_labels)}")
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = train(data, Path(folder))
        export(checkpoint, HERE / "model" / "digits" / "1")
    write_images(data, HERE / "held_out")

    correct = predict(HERE / "model" / "digits" / "1", data.test_images) == data.test_labels
    print(f"held-out accuracy: {correct.mean():.2%} ({correct.sum()} of {correct.size})")
    files = [file for file in (HERE / "model" / "digits").rglob("*") if file.is_file()]
    print(f"digits: {sum(file.stat().st_size for file in files):,} bytes written", end=" ")
    print(f"in {time.monotonic() - start:.0f} s")


@dataclass(frozen=True)
class Data:
    """Images as bytes, [count, 8, 8], ink bright on a dark ground; labels 0..9."""

    train_images: np.ndarray
    train_labels: np.ndarray
    test_images: np.ndarray
    test_labels: np.ndarray


def load_data() -> Data:
    """The digits, as the bytes a PNG holds, split by label with a fixed seed."""
    digits = load_digits()
    images = np.rint(digits.images * (255 / 16)).astype(np.uint8)
    train_images, test_images, train_labels, test_labels = train_test_split(
        images, digits.target, test_size=HELD_OUT, stratify=digits.target, random_state=SEED
    )
    return Data(train_images, train_labels, test_images, test_labels)


def train(data: Data, folder: Path) -> str:
    """Train with Adam on slightly shifted images; return the checkpoint's path."""
    with tf1.Graph().as_default(), tf1.Session(config=one_thread()) as session:
        tf1.set_random_seed(SEED)
        images = tf1.placeholder(tf.float32, [None, 8, 8, 1])
        labels = tf1.placeholder(tf.int64, [None])
        rate = tf1.placeholder(tf.float32, [])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, network(images))
        step = tf1.train.AdamOptimizer(rate).minimize(tf.reduce_mean(losses))
        session.run(tf1.global_variables_initializer())

        random = np.random.default_rng(SEED)
        for epoch in range(EPOCHS):
            epoch_rate = 0.002 * (1 - epoch / EPOCHS)
            for image_batch, label_batch in shifted_batches(data, random):
                feed = {images: scaled(image_batch), labels: label_batch, rate: epoch_rate}
                session.run(step, feed)
        return tf1.train.Saver(tf1.trainable_variables()).save(session, str(folder / "weights"))


def network(images: tf.Tensor) -> tf.Tensor:
    """Two convolutions, a pooling, two dense layers: [batch, 8, 8, 1] to logits [batch, 10]."""
    hidden = tf.nn.relu(convolution(images, 16, "convolution1"))
    hidden = tf.nn.relu(convolution(hidden, 32, "convolution2"))
    hidden = tf.nn.max_pool2d(hidden, 2, 2, "VALID")
    hidden = tf.reshape(hidden, [-1, 4 * 4 * 32])
    hidden = tf.nn.relu(dense(hidden, 64, "dense1"))
    return dense(hidden, 10, "dense2")


def convolution(images: tf.Tensor, filters: int, name: str) -> tf.Tensor:
    """A 3x3 convolution that keeps the image's size."""
    weights, bias = parameters([3, 3, images.shape[-1], filters], name)
    return tf.nn.conv2d(images, weights, 1, "SAME") + bias


def dense(vectors: tf.Tensor, units: int, name: str) -> tf.Tensor:
    """A fully connected layer."""
    weights, bias = parameters([vectors.shape[-1], units], name)
    return vectors @ weights + bias


def parameters(shape: list[int], name: str) -> tuple[tf.Variable, tf.Variable]:
    """A layer's weights and its bias."""
    weights = tf1.get_variable(
        f"{name}/weights", shape, initializer=tf1.glorot_uniform_initializer(SEED)
    )
    bias = tf1.get_variable(f"{name}/bias", shape[-1:], initializer=tf1.zeros_initializer())
    return weights, bias


def shifted_batches(
    data: Data, random: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """One shuffled pass over the training images, each moved by up to one pixel."""
    order = random.permutation(len(data.train_images))
    for start in range(0, len(order), BATCH_SIZE):
        chosen = order[start : start + BATCH_SIZE]
        padded = np.pad(data.train_images[chosen], ((0, 0), (1, 1), (1, 1)))
        shifts = random.integers(0, 3, (len(chosen), 2))
        moved = [
            image[down : down + 8, right : right + 8]
            for image, (down, right) in zip(padded, shifts, strict=True)
        ]
        yield np.stack(moved), data.train_labels[chosen]


def scaled(images: np.ndarray) -> np.ndarray:
    """What the network takes: float32 [count, 8, 8, 1] in 0..1."""
    return (images[..., np.newaxis] / 255).astype(np.float32)


def export(checkpoint: str, version_folder: Path) -> None:
    """Write the network with the trained weights as a SavedModel, without what trained it."""
    with tf1.Graph().as_default(), tf1.Session() as session:
        images = tf1.placeholder(tf.float32, [None, 8, 8, 1], name="images")
        probabilities = tf.nn.softmax(network(images), name="probabilities")
        classes = tf.argmax(probabilities, axis=1, name="classes")
        # The builder's own saver puts a random folder name into the graph: bytes never repeat.
        saver = tf1.train.Saver()
        saver.restore(session, checkpoint)

        shutil.rmtree(version_folder, ignore_errors=True)
        builder = tf1.saved_model.Builder(str(version_folder))
        signature = tf1.saved_model.predict_signature_def(
            {"images": images}, {"probabilities": probabilities, "classes": classes}
        )
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": signature},
            # An attribute that an older TensorFlow Serving does not know would stop its load.
            strip_default_attrs=True,
            saver=saver,
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


def write_images(data: Data, folder: Path) -> None:
    """Write the first held-out images as ``<index>-<label>.png``."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for index in range(HELD_OUT_FILES):
        image = Image.fromarray(data.test_images[index])
        image.save(folder / f"{index:04}-{data.test_labels[index]}.png", optimize=True)


def predict(version_folder: Path, images: np.ndarray) -> np.ndarray:
    """The classes that the exported model, loaded afresh, gives to ``images``."""
    with tf1.Graph().as_default(), tf1.Session() as session:
        tf1.saved_model.load(session, ["serve"], str(version_folder))
        return session.run("classes:0", {"images:0": scaled(images)})


def one_thread() -> tf1.ConfigProto:
    """Sums in one fixed order, so that the same seed gives the same weights."""
    return tf1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)


if __name__ == "__main__":
    main()
