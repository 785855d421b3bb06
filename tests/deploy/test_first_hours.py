"""The first hour with a file of Keras, XGBoost and scikit-learn: each command that `init` says.

The hours with a SavedModel, Keras, a frozen graph, ONNX and PyTorch go as their pages show:
tests/wheel/test_wheel.py.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
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
    init = ("init", "--model", "model.h5", "--region", "eu-west-1", "--name", "keras")
    predict = deployed_as_said(started, *init)
    answered = started.run(*predict)
    assert answered.returncode == 0, answered.stderr

    said = json.loads((models / "said.json").read_text())
    body = json.dumps({"instances": said["input"]})
    found = json.loads(started.run(*predict[:2], body, "--local").stdout)["predictions"]
    for row, wanted in zip(found, said["keras"], strict=True):
        assert row == pytest.approx(wanted, abs=1e-5)

    again = started.run(*init)
    assert (again.returncode, "--force replaces it" in again.stderr) == (2, True)


@pytest.mark.parametrize("name", ["petal.json", "petal.ubj", "xgboost-model"])
def test_a_file_of_xgboosts_answers_as_xgboost_does(started: Project, name: str) -> None:
    import numpy
    import xgboost

    rows = numpy.array([[0.0, 1.0, 2.0], [1.0, 0.5, 3.0], [0.25, 2.0, 0.0]])
    data = xgboost.DMatrix(rows, label=[1.0, 2.0, 3.0])
    booster = xgboost.train({"max_depth": 2, "min_child_weight": 0}, data, 5)
    booster.save_model(started.folder / "written.ubj")
    if name.endswith(".json"):
        booster.save_model(started.folder / name)
    else:
        shutil.copy(started.folder / "written.ubj", started.folder / name)
    environment = re.sub("[^a-z]", "", name)
    init = ("init", "--model", name, "--region", "eu-west-1", "--name", environment)
    predict = deployed_as_said(started, *init)
    body = "\n".join(",".join(map(str, row)) for row in rows)
    sent = ("--content-type", "text/csv", "--local")
    answered = started.run(*predict[:2], body, *sent)
    assert answered.returncode == 0, answered.stderr
    found = [float(number) for number in re.split(r"[,\s]+", answered.stdout.strip())]
    assert found == pytest.approx(booster.predict(data).tolist(), abs=1e-5)


def test_a_model_of_scikit_learns_answers_by_the_lines_that_init_says(started: Project) -> None:
    import joblib
    from sklearn.linear_model import LinearRegression

    rows = [[0.0, 1.0], [1.0, 0.5], [0.25, 2.0]]
    model = LinearRegression().fit(rows, [1.0, 2.0, 3.0])
    joblib.dump(model, started.folder / "line.joblib")
    refused = started.run("init", "--model", "line.joblib", "--region", "eu-west-1")
    assert refused.returncode == 2
    said = re.search(
        r"move it into (?P<folder>\S+)/, and write (?P<script>\S+):\n\n(?P<code>.*?)\n\n"
        r"then: sagemaker-serving (?P<then>init --model \S+ --framework sklearn)",
        refused.stderr,
        re.DOTALL,
    )
    assert said is not None, refused.stderr
    script = started.folder / said["script"]
    script.parent.mkdir(parents=True)
    script.write_text(textwrap.dedent(said["code"]) + "\n")
    (started.folder / "line.joblib").rename(started.folder / said["folder"] / "line.joblib")

    then = shlex.split(said["then"])
    predict = deployed_as_said(started, *then, "--region", "eu-west-1", "--name", "sklearn")
    answered = started.run(*predict[:2], json.dumps(rows), "--local")
    assert answered.returncode == 0, answered.stderr
    assert json.loads(answered.stdout) == pytest.approx(model.predict(rows).tolist())


def deployed_as_said(project: Project, *init: str) -> list[str]:
    """Types what ``init`` says until an endpoint is in service; the call of it that it says."""
    written = project.run(*init)
    assert (written.returncode, written.stderr) == (0, "")
    up, deploy, predict = (
        shlex.split(line, comments=True)[1:]
        for line in written.stdout.splitlines()
        if line.startswith("  sagemaker-serving ")
    )
    assert up == ["local", "up"]
    deployed = project.run(*deploy)
    assert deployed.returncode == 0, deployed.stdout + deployed.stderr
    return predict
