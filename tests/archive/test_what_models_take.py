"""Inputs and outputs, read from files of Keras, PyTorch and TensorFlow without any of them."""

from __future__ import annotations

import random
from io import BytesIO
from pathlib import Path

import pytest

from sagemaker_serving.archive import (
    FrozenGraph,
    KerasModel,
    Tensor,
    TorchScript,
    XgboostModel,
    read_contents,
    read_stream,
)
from sagemaker_serving.archive.keras_file import read_h5, read_keras
from sagemaker_serving.archive.protobuf import Malformed
from sagemaker_serving.archive.torch_script import read_torch_script
from sagemaker_serving.archive.tree import SkippingFile
from tests.models import archive, frozen_graph, keras_file, keras_h5, torch_script

INPUT = {"class_name": "InputLayer", "config": {"name": "x", "batch_shape": [None, 2]}}
OLDER = {"class_name": "InputLayer", "config": {"name": "x", "batch_input_shape": [None, 2]}}
DENSE = {
    "class_name": "Dense",
    "config": {"name": "y", "units": 4},
    "build_config": {"input_shape": [None, 2]},
}
X = {"x": Tensor(dtype="float32", shape=(None, 2))}
Y = {"y": Tensor(dtype="float32", shape=(None, 4))}
KERAS = [
    ({"class_name": "Sequential", "config": {"layers": [INPUT, DENSE]}}, (X, Y)),
    ({"class_name": "Sequential", "config": {"layers": [OLDER, DENSE]}}, (X, Y)),
    ({"class_name": "Functional", "config": {"layers": [INPUT, DENSE], "input_layers": {"a": ["x",
      0, 0]}, "output_layers": [["y", 0, 0]]}}, (X, Y)),
    ({"class_name": "Mine", "config": {"units": 3}}, ({}, {})),
    ([1, 2], ({}, {})),
    ({"class_name": "Sequential", "config": {"layers": "none"}}, ({}, {})),
]  # fmt: skip


@pytest.mark.parametrize(("config", "told"), KERAS, ids=lambda value: str(value)[:40])
def test_keras_tells_its_inputs(config: object, told: tuple[object, object]) -> None:
    raw = keras_file(config)
    found = read_keras(SkippingFile(BytesIO(raw)), len(raw))
    assert (found.inputs, found.outputs) == told


OWN: dict[str, object] = {
    "module": None,
    "class_name": "Twice",
    "config": {},
    "registered_name": "own>Twice",
}
LAMBDA = {"class_name": "Lambda", "config": {"name": "l", "function": {"class_name": "__lambda__"}}}
FUNCTION = {"module": "builtins", "class_name": "function", "config": "gain", "registered_name": ""}
ACTIVATED = {"class_name": "Dense", "config": {"name": "y", "activation": FUNCTION}}
WRAPPED = {"class_name": "Bidirectional", "config": {"layer": {"class_name": "Mine", "config": {}}}}
NEEDED = [
    ([INPUT, DENSE], ()),
    ([INPUT, OWN, OWN], ("the class Twice",)),
    ([INPUT, {"class_name": "own>Mine", "config": {}}], ("the class own>Mine",)),
    ([INPUT, LAMBDA, DENSE], ("the Lambda layer l",)),
    ([INPUT, ACTIVATED], ("the function gain",)),
    ([WRAPPED], ("the class Mine",)),
    ([{**DENSE, "module": "keras_hub.src.x", "registered_name": "Dense"}], ()),
]


@pytest.mark.parametrize(("layers", "needs"), NEEDED, ids=lambda value: str(value)[:40])
def test_keras_files_tell_whose_code_they_need(layers: object, needs: tuple[str, ...]) -> None:
    told = {"class_name": "Sequential", "config": {"layers": layers}, "compile_config": OWN}
    zipped, hdf5 = keras_file(told), keras_h5(told)
    assert read_keras(SkippingFile(BytesIO(zipped)), len(zipped)).needs == needs
    assert read_h5(SkippingFile(BytesIO(hdf5)), len(hdf5)).needs == needs


def test_an_h5_without_a_config_holds_weights(tmp_path: Path) -> None:
    (tmp_path / "w.weights.h5").write_bytes(keras_h5(None))
    (tmp_path / "other.h5").write_bytes(b"no HDF5")
    assert read_contents(tmp_path).keras == {
        "w.weights.h5": KerasModel(has_weights_alone=True),
        "other.h5": None,
    }


def test_torch_script_tells_what_forward_takes(tmp_path: Path) -> None:
    (tmp_path / "net.pt").write_bytes(torch_script())
    (tmp_path / "other.pt").write_bytes(torch_script("def method(self, x: Tensor) -> Tensor:"))
    (tmp_path / "weights.pth").write_bytes(b"a pickle")
    assert read_contents(tmp_path).traced == {
        "net.pt": TorchScript(arguments={"x": "Tensor"}, returns="Tensor"),
        "other.pt": TorchScript(),
        "weights.pth": None,
    }


def ubjson(features: str) -> bytes:
    """The beginning of a file as xgboost 3.2 wrote it."""
    count = len(features).to_bytes(8, "big")
    return (
        b"{L"
        + (7).to_bytes(8, "big")
        + b"learner{L\0\0\0\0\0\0\0\x0bnum_featureSL"
        + (count + features.encode())
    )


XGBOOST = [
    ("model.ubj", ubjson("13"), XgboostModel(features=13)),
    ("model.json", b'{ "learner": {"num_feature": "4"}}', XgboostModel(features=4)),
    ("xgboost-model", b"\x80\x04a pickle of" + ubjson("7"), XgboostModel(features=7)),
    ("xgboost-model", b"as XGBoost wrote before 1.0", XgboostModel()),
    ("cut.ubj", ubjson("13")[:12], XgboostModel()),
    ("bad.ubj", b"not at all", None),
]


@pytest.mark.parametrize(("name", "content", "model"), XGBOOST)
def test_xgboosts_files_tell_how_many_numbers_a_row_has(
    tmp_path: Path, name: str, content: bytes, model: XgboostModel | None
) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "other.json").write_text('{"num_feature": "9"}')
    contents = read_contents(tmp_path)
    assert contents.xgboost == {name: model}
    assert contents.frameworks == ("xgboost",)


def test_xgboosts_own_files_tell_it_too(tmp_path: Path) -> None:
    xgboost = pytest.importorskip("xgboost", reason="xgboost is not installed")
    booster = xgboost.train({}, xgboost.DMatrix([[0.0] * 11, [1.0] * 11], [0.0, 1.0]), 2)
    for name in ("model.ubj", "model.json"):
        booster.save_model(tmp_path / name)
    known = XgboostModel(features=11)
    assert read_contents(tmp_path).xgboost == {"model.ubj": known, "model.json": known}


def test_what_is_converted_tells_its_inputs_before(tmp_path: Path) -> None:
    (tmp_path / "graph.pb").write_bytes(frozen_graph())
    (tmp_path / "model.keras").write_bytes(keras_file(KERAS[0][0]))
    contents = read_contents(tmp_path / "graph.pb")
    assert contents.converted == {"graph.pb": len(frozen_graph())}
    assert contents.graphs == {
        "graph.pb": FrozenGraph(
            inputs={"x": Tensor(dtype="unknown", shape=None)}, outputs={"y": "Relu"}
        )
    }
    assert read_contents(tmp_path / "model.keras").keras == {
        "model.keras": KerasModel(inputs=X, outputs=dict(Y))
    }


def test_weights_are_passed_over_in_an_archive(tmp_path: Path) -> None:
    big = torch_script(weights=9 << 20)
    files = {"a.keras": keras_file(KERAS[0][0]), "net.pt": big, "z.txt": b"after"}
    contents = read_stream(BytesIO(archive(files)), "model.tar.gz")
    assert contents.keras["a.keras"] == KerasModel(inputs=X, outputs=dict(Y))
    assert contents.traced["net.pt"] == TorchScript(arguments={"x": "Tensor"}, returns="Tensor")
    assert contents.files["z.txt"] == 5


@pytest.mark.parametrize("seed", range(8))
def test_damaged_files_tell_nothing_and_harm_nothing(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(60):
        for whole in (keras_file(KERAS[2][0]), torch_script()):
            raw = bytearray(whole)
            for _ in range(dice.randint(1, 8)):
                raw[dice.randrange(len(raw))] ^= 1 << dice.randrange(8)
            damaged = bytes(raw[: dice.randrange(len(raw))]) if dice.random() < 0.3 else bytes(raw)
            read_torch_script(SkippingFile(BytesIO(damaged)), len(damaged))
            try:
                read_keras(SkippingFile(BytesIO(damaged)), len(damaged))
            except Malformed:
                continue
