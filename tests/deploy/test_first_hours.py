"""The first hour with a Keras HDF5 file: `init`, and then each command that it says.

The hours with a SavedModel, Keras, a frozen graph, ONNX and PyTorch go as their pages show:
tests/wheel/test_wheel.py.
"""

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

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(900)]
WRITER = Path(__file__).parents[1] / "archive" / "tensorflow_models.py"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What TensorFlow and Keras write, and what they predict."""
    folder = tmp_path_factory.mktemp("models")
    subprocess.run([sys.executable, str(WRITER), "write", str(folder)], check=True)
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


def test_what_init_says_works_as_it_is_said(models: Path, started: Project) -> None:
    shutil.copy(models / "model.h5", started.folder)
    init = ("init", "--model", "model.h5", "--region", "eu-west-1", "--name", "hours")
    written = started.run(*init)
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
    body = json.dumps({"instances": said["input"]})
    found = json.loads(started.run("predict", predict[1], body, "--local").stdout)["predictions"]
    for row, wanted in zip(found, said["keras"], strict=True):
        assert row == pytest.approx(wanted, abs=1e-5)

    again = started.run(*init)
    assert (again.returncode, "--force replaces it" in again.stderr) == (2, True)
