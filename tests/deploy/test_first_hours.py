"""The first hour with a model: `init`, and then each command that it says, on the local AWS."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.conftest import Project
from tests.models import onnx_model

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(900)]
WRITER = Path(__file__).parents[1] / "archive" / "tensorflow_models.py"
FLOAT = 1
ONNX = onnx_model([("Neg", ("x",), "y")], {"x": (FLOAT, (None, 2))}, {"y": (FLOAT, (None, 2))})


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What TensorFlow and Keras write, and what they predict."""
    folder = tmp_path_factory.mktemp("models")
    subprocess.run([sys.executable, str(WRITER), "write", str(folder)], check=True)
    (folder / "negative.onnx").write_bytes(ONNX)
    return folder


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """This project without an environment file, and a local AWS."""
    project = Project(tmp_path_factory.mktemp("project"))
    project.environment_file.unlink()
    up = project.run("local", "up", "--port", "0")
    assert up.returncode == 0, up.stderr
    yield project
    assert project.run("local", "down").returncode == 0


@pytest.mark.parametrize("model", ["v2", "frozen.pb", "model.keras", "model.h5", "negative.onnx"])
def test_what_init_says_works_as_it_is_said(model: str, models: Path, started: Project) -> None:
    name = model.replace(".", "-")
    source, target = models / model, started.folder / model
    (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    written = started.run("init", "--model", model, "--region", "eu-west-1", "--name", name)
    assert (written.returncode, written.stderr) == (0, "")
    up, deploy, predict = (
        shlex.split(line)[1:]
        for line in written.stdout.splitlines()
        if line.startswith("  sagemaker-serving ")
    )
    assert up == ["local", "up"]
    deployed = started.run(*deploy)
    assert deployed.returncode == 0, deployed.stdout + deployed.stderr
    if "REQUEST" not in predict:
        answered = started.run(*predict)
        assert answered.returncode == 0, answered.stderr
    said = json.loads((models / "said.json").read_text())
    expected = {
        "frozen.pb": said["frozen"],
        "model.keras": said["keras"],
        "model.h5": said["keras"],
    }
    if model in expected:
        body = json.dumps({"instances": said["input"]})
        found = json.loads(started.run("predict", predict[1], body, "--local").stdout)[
            "predictions"
        ]
        for row, wanted in zip(found, expected[model], strict=True):
            assert row == pytest.approx(wanted, abs=1e-5)
    again = started.run("init", "--model", model, "--region", "eu-west-1", "--name", name)
    assert (again.returncode, "--force replaces it" in again.stderr) == (2, True)
