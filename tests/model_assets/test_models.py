"""The committed SavedModels: what is in them, and that their scripts still make them."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import requests
from PIL import Image

EXAMPLES = ["half_plus_three", "digits"]
IMAGE = SimpleNamespace(request_content_type="application/x-image")


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_archives_content_carries_the_models_own_name_and_version(
    model_assets: Path, name: str
) -> None:
    model = model_assets / name / "model"

    assert [file.relative_to(model) for file in model.rglob("saved_model.pb")] == [
        Path(name, "1", "saved_model.pb")
    ]
    assert (model / name / "1" / "variables" / "variables.index").is_file()


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_model_is_smaller_than_a_megabyte(model_assets: Path, name: str) -> None:
    files = [file for file in (model_assets / name / "model").rglob("*") if file.is_file()]

    assert sum(file.stat().st_size for file in files) < 1_000_000


def test_a_hundred_held_out_images_carry_their_labels(held_out: list[Path]) -> None:
    names = [re.fullmatch(r"(\d{4})-(\d)\.png", file.name) for file in held_out]

    assert [int(name[1]) for name in names if name] == list(range(100))
    assert {int(name[2]) for name in names if name} == set(range(10))
    assert {pixels(file).shape for file in held_out} == {(8, 8)}


class Loaded:
    """A SavedModel in a session, through the loader that knows TF1 signatures."""

    def __init__(self, session: Any, signatures: Any) -> None:
        self._session = session
        self.signatures = signatures

    def shapes(self, signature: str) -> tuple[str, dict[str, object], dict[str, object]]:
        definition = self.signatures[signature]
        return (
            definition.method_name.removeprefix("tensorflow/serving/"),
            {name: _shape(info) for name, info in definition.inputs.items()},
            {name: _shape(info) for name, info in definition.outputs.items()},
        )

    def run(self, signature: str, **inputs: object) -> dict[str, Any]:
        definition = self.signatures[signature]
        outputs = {name: info.name for name, info in definition.outputs.items()}
        feed = {definition.inputs[name].name: value for name, value in inputs.items()}
        answer: dict[str, Any] = self._session.run(outputs, feed)
        return answer


def _shape(info: Any) -> tuple[str, list[int]]:
    import tensorflow as tf

    return tf.dtypes.as_dtype(info.dtype).name, [dim.size for dim in info.tensor_shape.dim]


@pytest.fixture(scope="module")
def half_plus_three(model_assets: Path) -> Iterator[Loaded]:
    yield from _load(model_assets / "half_plus_three" / "model" / "half_plus_three" / "1")


@pytest.fixture(scope="module")
def digits(model_assets: Path) -> Iterator[Loaded]:
    yield from _load(model_assets / "digits" / "model" / "digits" / "1")


def _load(folder: Path) -> Iterator[Loaded]:
    import tensorflow as tf

    with tf.compat.v1.Session(graph=tf.Graph()) as session:
        loaded = tf.compat.v1.saved_model.load(session, ["serve"], str(folder))
        yield Loaded(session, loaded.signature_def)


@pytest.mark.slow
def test_half_plus_three_has_a_signature_for_each_method(half_plus_three: Loaded) -> None:
    text, numbers = ("string", [-1]), ("float32", [-1])

    assert {name: half_plus_three.shapes(name) for name in half_plus_three.signatures} == {
        "serving_default": ("predict", {"x": numbers}, {"y": numbers}),
        "regress_x_to_y": ("regress", {"inputs": text}, {"outputs": numbers}),
        "regress_x2_to_y3": ("regress", {"inputs": text}, {"outputs": numbers}),
        "classify_x_to_y": ("classify", {"inputs": text}, {"scores": ("float32", [-1, 1])}),
    }


@pytest.mark.slow
def test_half_plus_three_predicts_half_of_x_plus_three(half_plus_three: Loaded) -> None:
    answer = half_plus_three.run("serving_default", x=[1.0, 2.0, 5.0])

    assert answer["y"].tolist() == [3.5, 4.0, 5.5]


@pytest.mark.slow
def test_half_plus_three_regresses_and_classifies_examples(half_plus_three: Loaded) -> None:
    records = [example(x=1.0), example(x=2.0, x2=4.0), example(x=5.0)]

    regressed = half_plus_three.run("regress_x_to_y", inputs=records)
    regressed_x2 = half_plus_three.run("regress_x2_to_y3", inputs=records)
    classified = half_plus_three.run("classify_x_to_y", inputs=records)

    assert regressed["outputs"].tolist() == [3.5, 4.0, 5.5]
    assert regressed_x2["outputs"].tolist() == [3.0, 5.0, 3.0]
    assert classified["scores"].tolist() == [[3.5], [4.0], [5.5]]


@pytest.mark.slow
def test_half_plus_three_refuses_an_example_without_x(half_plus_three: Loaded) -> None:
    with pytest.raises(Exception, match="Feature: x"):
        half_plus_three.run("regress_x_to_y", inputs=[example(x2=1.0)])


@pytest.mark.slow
def test_digits_takes_images_and_gives_probabilities_and_classes(digits: Loaded) -> None:
    assert {name: digits.shapes(name) for name in digits.signatures} == {
        "serving_default": (
            "predict",
            {"images": ("float32", [-1, 8, 8, 1])},
            {"probabilities": ("float32", [-1, 10]), "classes": ("int64", [-1])},
        )
    }


@pytest.mark.slow
def test_digits_reads_over_95_percent_of_the_held_out_images_through_its_handlers(
    digits: Loaded, inference: ModuleType, held_out: list[Path]
) -> None:
    right = 0
    for file in held_out:
        request = json.loads(inference.input_handler(io.BytesIO(file.read_bytes()), IMAGE))
        served = digits.run("serving_default", images=request["instances"])
        body, _ = inference.output_handler(rest_answer(served), IMAGE)
        (prediction,) = json.loads(body)["predictions"]
        assert prediction["class"] == np.argmax(prediction["probabilities"])
        right += prediction["class"] == int(file.stem[-1])

    assert right / len(held_out) > 0.95


@pytest.mark.slow
@pytest.mark.long
def test_building_half_plus_three_again_gives_the_same_bytes(
    model_assets: Path, tmp_path: Path
) -> None:
    run_script_copy(model_assets / "half_plus_three" / "build.py", tmp_path)

    assert contents(tmp_path / "model") == contents(model_assets / "half_plus_three" / "model")


@pytest.mark.slow
@pytest.mark.long
def test_training_digits_again_gives_the_same_graph_images_and_accuracy(
    model_assets: Path, held_out: list[Path], tmp_path: Path
) -> None:
    printed = run_script_copy(model_assets / "digits" / "train.py", tmp_path)

    accuracy = re.search(r"held-out accuracy: ([\d.]+)% \(\d+ of 360\)", printed)
    assert accuracy is not None
    assert float(accuracy[1]) > 95
    graph = Path("digits", "1", "saved_model.pb")
    committed = model_assets / "digits" / "model"
    assert (tmp_path / "model" / graph).read_bytes() == (committed / graph).read_bytes()
    again = sorted((tmp_path / "held_out").iterdir())
    assert [file.name for file in again] == [file.name for file in held_out]
    for new, old in zip(again, held_out, strict=True):
        np.testing.assert_array_equal(pixels(new), pixels(old))


@pytest.mark.slow
@pytest.mark.long
def test_training_digits_twice_gives_the_same_weights(model_assets: Path, tmp_path: Path) -> None:
    twice = (
        "import pathlib, train\n"
        "train.EPOCHS = 1\n"
        "for folder in ('first', 'second'):\n"
        "    train.HERE = pathlib.Path(folder)\n"
        "    train.main()\n"
    )
    shutil.copy(model_assets / "digits" / "train.py", tmp_path)
    run("-c", twice, folder=tmp_path)

    assert contents(tmp_path / "first") == contents(tmp_path / "second")


def example(**features: float) -> bytes:
    import tensorflow as tf

    record = tf.train.Example()
    for name, value in features.items():
        record.features.feature[name].float_list.value.append(value)
    serialized: bytes = record.SerializeToString()
    return serialized


def rest_answer(outputs: dict[str, Any]) -> requests.Response:
    """The row format of TensorFlow Serving's REST API."""
    (probabilities,), (digit,) = outputs["probabilities"].tolist(), outputs["classes"].tolist()
    row = {"probabilities": probabilities, "classes": digit}
    response = requests.Response()
    response.status_code = 200
    response.raw = io.BytesIO(json.dumps({"predictions": [row]}).encode())
    return response


def pixels(file: Path) -> np.ndarray:
    with Image.open(file) as image:
        return np.asarray(image)


def run_script_copy(script: Path, folder: Path) -> str:
    """Run a copy, which writes beside itself, and return what it printed."""
    shutil.copy(script, folder)
    return run(script.name, folder=folder)


def run(*arguments: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def contents(folder: Path) -> dict[Path, bytes]:
    return {
        file.relative_to(folder): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }
