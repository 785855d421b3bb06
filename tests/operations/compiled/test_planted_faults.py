"""The gate catches a fault that is planted into a model, and lets harmless retrainings pass.

A fault is planted into the weights, the faulty model is compiled, and its answers are held against
those of the sound one. A harmless retraining is compiled and held against itself.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sagemaker_serving.answers.acceptance import misses
from sagemaker_serving.answers.comparison import compare
from sagemaker_serving.operations.golden import Answer
from sagemaker_serving.spec.compilation import Acceptance

pytest.importorskip("openvino", reason="openvino is here in test_with_openvino.py only")
pytestmark = pytest.mark.slow

ACCEPT = Acceptance(max_error=0.001, agreement=0.999)
"""As docs/neo.md has it; no speed-up, which is this machine's."""

HELD_OUT, STEPS = 100, 30
_DIGITS = Path(__file__).parents[3] / "model_assets" / "digits"

Weights = dict[str, np.ndarray]


def test_swapped_classes_are_refused_and_harmless_retrainings_are_not() -> None:
    trial = Trial(seed=27)
    assert [trial.is_refused_with_swapped_classes() for _ in range(2)] == [True, True]
    assert [trial.is_false_alarm() for _ in range(3)] == [False, False, False]


class Trial:
    """Models of digits, their compiled forms, and what the gate says; all drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        train = _module(_DIGITS / "train.py")
        self._train = train
        self._data = train.load_data()
        self._images = train.scaled(self._data.test_images[:HELD_OUT])
        self._tf1 = train.tf1
        self._session = train.tf1.Session(graph=train.tf.Graph(), config=train.one_thread())
        with self._session.graph.as_default():
            self._build()
        reader = train.tf.train.load_checkpoint(str(_DIGITS / "model/digits/1/variables/variables"))
        self._weights = {name: reader.get_tensor(name) for name in self._given}

    def is_refused_with_swapped_classes(self) -> bool:
        """Whether the gate refuses the shipped model with two columns of its last layer swapped."""
        one, other = self._random.choice(10, size=2, replace=False)
        order = np.arange(10)
        order[[one, other]] = other, one
        last = {"dense2/weights": self._weights["dense2/weights"][:, order]}
        swapped = {**self._weights, **last, "dense2/bias": self._weights["dense2/bias"][order]}
        return self._refused(self._weights, swapped)

    def is_false_alarm(self) -> bool:
        """Whether it refuses a model that was trained on for a while, and nothing else."""
        retrained = self._retrained()
        return self._refused(retrained, retrained)

    def _build(self) -> None:
        tf, tf1 = self._train.tf, self._tf1
        self._input = tf1.placeholder(tf.float32, [None, 8, 8, 1], name="images")
        self._labels = tf1.placeholder(tf.int64, [None])
        logits = self._train.network(self._input)
        probabilities = tf.nn.softmax(logits)
        classes = tf.argmax(probabilities, axis=1)
        self._outputs = {"probabilities": probabilities, "classes": classes}
        variables = {variable.op.name: variable for variable in tf1.trainable_variables()}
        self._variables = variables
        self._given = {
            name: tf1.placeholder(tf.float32, variable.shape)
            for name, variable in variables.items()
        }
        self._assign = [variables[name].assign(given) for name, given in self._given.items()]
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(self._labels, logits)
        self._step = tf1.train.AdamOptimizer(0.001).minimize(tf.reduce_mean(losses))
        self._session.run(tf1.global_variables_initializer())

    def _set(self, weights: Weights) -> None:
        feeds = {given: weights[name] for name, given in self._given.items()}
        self._session.run(self._assign, feeds)

    def _retrained(self) -> Weights:
        self._set(self._weights)
        batches = self._train.shifted_batches(self._data, self._random)
        for images, labels in islice(batches, STEPS):
            feeds = {self._input: self._train.scaled(images), self._labels: labels}
            self._session.run(self._step, feeds)
        trained: Weights = self._session.run(self._variables)
        return trained

    def _refused(self, sound: Weights, compiled: Weights) -> bool:
        from sagemaker_serving.compiler.__main__ import compile_to
        from sagemaker_serving.model_server.compiled import CompiledModel

        self._set(sound)
        expected = self._session.run(self._outputs, {self._input: self._images})
        self._set(compiled)
        with tempfile.TemporaryDirectory() as folder:
            source, target = f"{folder}/1", f"{folder}/compiled"
            self._export(source)
            compile_to(source, target, {"images": list(self._images.shape)})
            model = CompiledModel(Path(target))
            found = model.run({"images": self._images})
        outputs = {name: found[model.output(name)] for name in expected}
        return any(misses(ACCEPT, compare([(_answer(expected), _answer(outputs))]), None))

    def _export(self, folder: str) -> None:
        saved_model = self._tf1.saved_model
        with self._session.graph.as_default():
            signature = saved_model.predict_signature_def({"images": self._input}, self._outputs)
            builder = saved_model.Builder(folder)
            builder.add_meta_graph_and_variables(
                self._session, ["serve"], {"serving_default": signature}
            )
            builder.save()


def _answer(outputs: Mapping[str, Any]) -> Answer:
    """As TensorFlow Serving has it: what the gate is given of a server."""
    values = {name: array.tolist() for name, array in outputs.items()}
    return Answer(status=200, body=json.dumps({"outputs": values}).encode())


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("digits_train", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
