"""What is read without TensorFlow is what TensorFlow reads; what it converts predicts the same."""

from __future__ import annotations

import io
import json
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil
import pytest

from sagemaker_serving.archive import (
    Cache,
    FrozenGraph,
    KerasModel,
    Source,
    Tensor,
    build_archive,
    read_contents,
    unpack,
    without_variables,
)
from sagemaker_serving.errors import Failure
from tests.cli.conftest import run_in
from tests.leaving import gone, program
from tests.local_aws.aws import eventually

pytestmark = pytest.mark.slow
SCRIPT = str(Path(__file__).with_name("tensorflow_models.py"))


def tensorflow(task: str, folder: Path) -> str:
    ended = subprocess.run(
        [sys.executable, SCRIPT, task, str(folder)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    tensorflow("write", folder)
    return folder


@pytest.fixture(scope="module")
def said(models: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((models / "said.json").read_text())
    return facts


def test_a_shard_that_is_not_whole_is_named(models: Path, tmp_path: Path) -> None:
    """Its tensors hold a string, too, whose bytes are laid out in a way of their own."""
    for name in ("v1", "v2"):
        assert read_contents(models / name).damaged == {}
    shutil.copytree(models / "v2", tmp_path / "v2")
    (shard,) = (tmp_path / "v2/variables").glob("variables.data-*")
    shard.write_bytes(shard.read_bytes()[:-1])
    assert list(read_contents(tmp_path / "v2").damaged) == [f"v2/1/variables/{shard.name}"]


@pytest.mark.parametrize("name", ["v1", "v2"])
def test_signatures_are_what_tensorflow_says(models: Path, said: dict[str, Any], name: str) -> None:
    found = read_contents(models / name).saved_models[f"{name}/1/saved_model.pb"]
    assert found is not None
    plain = json.loads(json.dumps(asdict(found)))
    for signature in plain["signatures"].values():
        assert signature.pop("method") == "predict"
    assert plain["signatures"] == said[name]["signatures"]
    assert sorted(found.tags) == sorted(said[name]["tags"])
    assert found.tensorflow_version == said[name]["version"]
    assert found.has_variables
    assert not found.parses_examples
    assert not found.takes_parts


def test_a_model_that_parses_serialized_examples_is_known(models: Path) -> None:
    (found,) = read_contents(models / "examples").saved_models.values()
    assert found is not None
    assert found.parses_examples


def test_a_model_that_takes_a_ragged_tensor_is_known_and_its_inputs_are_the_parts(
    models: Path,
) -> None:
    (found,) = read_contents(models / "ragged").saved_models.values()
    assert found is not None
    assert found.takes_parts
    inputs = found.signatures["serving_default"].inputs.values()
    assert list(inputs) == [Tensor(dtype="int64", shape=(None,))] * 2


def test_a_frozen_graphs_tensors_are_guessed(models: Path) -> None:
    from sagemaker_serving.archive.frozen_graph import read_frozen_graph
    from sagemaker_serving.archive.tree import SkippingFile

    with (models / "frozen.pb").open("rb") as stream:
        graph = read_frozen_graph(SkippingFile(stream), (models / "frozen.pb").stat().st_size)
    assert read_contents(models / "text.pbtxt").graphs == {"text.pbtxt": graph}
    assert graph == FrozenGraph(
        inputs={"images": Tensor(dtype="float32", shape=(None, 2))}, outputs={"scores": "Softmax"}
    )


def test_init_packs_a_frozen_graph_with_the_outputs_that_are_named(
    models: Path, tmp_path: Path
) -> None:
    asked = ("--model", str(models / "frozen.pb"), "--output", "scores", "--output", "MatMul")
    ended = run_in(tmp_path)("init", *asked, "--region", "eu-west-1", "--yes")
    assert ended.returncode == 0, ended.stderr
    (found,) = read_contents(tmp_path / "dev-frozen.tar.gz").saved_models.values()
    assert found is not None
    assert found.signatures["serving_default"].outputs.keys() == {"scores", "MatMul"}
    text = (tmp_path / "environments" / "dev.yaml").read_text()
    assert "--output scores --output MatMul -o dev-frozen.tar.gz" in text


def test_keras_files_tell_their_layers(models: Path) -> None:
    found = read_contents(models / "model.keras").keras["model.keras"]
    assert found == KerasModel(
        inputs={"input_layer": Tensor(dtype="float32", shape=(None, 2))},
        outputs={"dense": Tensor(dtype="float32", shape=(None, 4))},
    )
    found = read_contents(models / "two.keras").keras["two.keras"]
    assert found == KerasModel(
        inputs={
            "image": Tensor(dtype="float32", shape=(None, 8, 8, 1)),
            "ids": Tensor(dtype="int32", shape=(None, 3)),
        },
        outputs={"scores": Tensor(dtype="float32", shape=(None, 5)), "total": None},
    )


def test_names_with_which_tensorflow_exports_no_keras_model_are_known(
    models: Path, said: dict[str, Any]
) -> None:
    for name, exports in said["exports"].items():
        found = read_contents(models / name).keras[name]
        assert found is not None
        assert (not found.unexportable) == exports, (name, found.unexportable)
    assert {True, False} == set(said["exports"].values())


@pytest.mark.long
def test_converted_models_predict_the_same_numbers(
    models: Path, said: dict[str, Any], tmp_path: Path
) -> None:
    sources = [
        Source(path=models / "frozen.pb"),
        Source(path=models / "text.pbtxt"),
        Source(path=models / "model.keras"),
        Source(path=models / "model.h5", name="old"),
    ]
    cache = Cache(folder=tmp_path / "cache")
    built = build_archive(sources, lambda name: tmp_path / f"{name}.tar.gz", cache=cache)
    # TensorFlow writes other bytes each time, so the same source is not converted twice.
    again = build_archive(sources, lambda name: tmp_path / "again" / name, cache=cache)
    assert (again.sha256, again.reused) == (built.sha256, True)
    assert again.path.samefile(built.path)
    with built.path.open("rb") as stream:
        unpack(io.BytesIO(stream.read()), tmp_path / "unpacked", "model.tar.gz")
    found = json.loads(tensorflow("predict", tmp_path / "unpacked"))
    assert found.keys() == {"frozen", "text", "model", "old"}
    for name, wanted in (
        ("frozen", "frozen"),
        ("text", "frozen"),
        ("model", "keras"),
        ("old", "keras"),
    ):
        for row, expected in zip(found[name], said[wanted], strict=True):
            assert row == pytest.approx(expected, abs=1e-6)
    signature = read_contents(built.path).saved_models["frozen/1/saved_model.pb"]
    assert signature is not None
    assert set(signature.signatures["serving_default"].inputs) == {"images"}
    assert without_variables(read_contents(built.path).files) is None, "Neo takes it"


@pytest.mark.long
def test_what_tensorflow_cannot_convert_is_said_in_its_words(tmp_path: Path) -> None:
    (tmp_path / "broken.keras").write_bytes(b"no model")
    with pytest.raises(Failure, match=r"cannot convert .*broken\.keras: "):
        build_archive(tmp_path / "broken.keras", lambda _: tmp_path / "model.tar.gz")
    assert [path.name for path in tmp_path.iterdir()] == ["broken.keras"]


CONVERTS = """
import sys
from pathlib import Path
from sagemaker_serving.archive.conversion import convert
from sagemaker_serving.archive.sources import Conversion, Tensors

folder = Path(sys.argv[1])
convert({Conversion(source=folder / "graph.pb", name="graph"): Tensors()}, folder)
"""


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"])
def test_a_conversion_that_is_cut_off_leaves_no_process(tmp_path: Path, name: str) -> None:
    with program(CONVERTS, tmp_path) as converting:
        process = psutil.Process(converting.pid)

        def converter() -> list[int]:
            found = process.children(recursive=True)
            return [each.pid for each in found] if _is_there(found) else []

        below = eventually(converter)
        converting.send_signal(getattr(signal, name))
    assert gone([converting.pid, *below])


def _is_there(processes: list[psutil.Process]) -> bool:
    with suppress(psutil.Error):  # one may have ended
        return any(
            each.cmdline()[1:] == ["-m", "sagemaker_serving.converter"] for each in processes
        )
    return False
