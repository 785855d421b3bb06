"""XGBoost's image: the user's script and the image's functions, and many models."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from sagemaker_serving.archive.handlers import SCRIPT_VARIABLES
from sagemaker_serving.model_server.programs import Program
from tests.model_server.servers import log_of_failed_start, running

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("xgboost") is None, reason="the extra xgboost is missing"),
]
SCRIPT = """
import os
import xgboost

def model_fn(model_dir):
    return xgboost.Booster(model_file=os.path.join(model_dir, "model.ubj"))
"""
ROWS = [[0.0, 1.0], [1.0, 0.5], [0.0, 0.0]]


def plant(folder: Path) -> list[float]:
    """A booster and its script; what the booster predicts for `ROWS`."""
    import numpy
    import xgboost

    code = folder / "model" / "code"
    code.mkdir(parents=True)
    (code / "inference.py").write_text(SCRIPT)
    rows = numpy.array([[first, second] for first in (0, 1) for second in (0, 0.5, 1)] * 20)
    data = xgboost.DMatrix(rows, label=rows[:, 0] * 2 + rows[:, 1])
    booster = xgboost.train({"max_depth": 3, "objective": "reg:squarederror"}, data, 20)
    booster.save_model(folder / "model/model.ubj")
    predicted: list[float] = booster.predict(xgboost.DMatrix(numpy.array(ROWS))).tolist()
    return predicted


def test_its_model_fn_is_enough(tmp_path: Path) -> None:
    predicted = plant(tmp_path)
    rows = "\n".join(",".join(map(str, row)) for row in ROWS)
    sparse = "0 2:1.0\n0 1:1.0 2:0.5\n0 1:0"
    with running(tmp_path / "model", tmp_path, SCRIPT_VARIABLES, program=Program.XGBOOST) as server:
        connection = server.place.connection(60)
        for body, sent, accept, status in (
            (rows, "text/csv", "application/json", 200),
            (sparse, "text/libsvm", "application/json", 200),
            (rows, "text/csv; charset=utf-8", "text/csv", 200),
            (f"{rows}\n", "text/csv", "application/json", 500),
            ("[[0, 1]]", "application/json", "application/json", 500),
        ):
            headers = {"Content-Type": sent, "Accept": accept}
            connection.request("POST", "/invocations", body, headers)
            answered = connection.getresponse()
            text = answered.read().decode()
            assert answered.status == status, (sent, text)
            if status == 200:
                found = json.loads(text) if "json" in accept else list(map(float, text.split()))
                assert found == pytest.approx(predicted, abs=1e-6)


def test_requests_load_and_unload_models_of_a_multi_model_endpoint(tmp_path: Path) -> None:
    predicted = plant(tmp_path)
    (tmp_path / "model/code/inference.py").unlink()
    (tmp_path / "model").rename(tmp_path / "one")
    (tmp_path / "model/one").mkdir(parents=True)
    (tmp_path / "one").rename(tmp_path / "model/one/model")
    many = {"SAGEMAKER_MULTI_MODEL": "true"}
    with running(tmp_path / "model", tmp_path, many, program=Program.XGBOOST) as server:
        connection = server.place.connection(60)

        def ask(method: str, path: str, body: str = "", kind: str = "text/csv") -> tuple[int, str]:
            connection.request(method, path, body, {"Content-Type": kind})
            answered = connection.getresponse()
            return answered.status, answered.read().decode()

        load = json.dumps({"model_name": "one", "url": "/opt/ml/models/one/model"})
        status, text = ask("POST", "/models", load, "application/json")
        assert (status, json.loads(text)["status"]) == (200, "Workers scaled")
        rows = "\n".join(",".join(map(str, row)) for row in ROWS)
        status, text = ask("POST", "/models/one/invoke", rows)
        assert status == 200, text
        assert json.loads(text) == pytest.approx(predicted, abs=1e-6)
        assert ask("DELETE", "/models/one")[0] == 200
        assert ask("POST", "/models/one/invoke", rows)[0] == 404


def test_a_script_whose_place_is_not_told_fails_the_start(tmp_path: Path) -> None:
    plant(tmp_path)
    given = {"SAGEMAKER_PROGRAM": "inference.py"}
    log = log_of_failed_start(tmp_path / "model", tmp_path, given, program=Program.XGBOOST)
    assert "XGBoost's image is not told its script; set SAGEMAKER_PROGRAM: inference.py" in log
    assert "serve --env SAGEMAKER_PROGRAM=inference.py --env SAGEMAKER_SUBMIT_DIRECTORY=" in log
