"""XGBoost's image without a script: what it reads, answers and refuses."""

from __future__ import annotations

import json
import pickle
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.neo.xgboost_algorithm import XgboostAlgorithm, XgboostAmongMany
from sagemaker_serving.model_server.toolkit.service import Request

# Imported by what needs it: every worker that collects the tests would take 3 s for it.
pytestmark = pytest.mark.skipif(find_spec("xgboost") is None, reason="xgboost is not installed")
ROWS = [[0.0, 1.0], [1.0, 0.0], [0.0, 0.5], [1.0, 0.5]]


@pytest.fixture(scope="module")
def booster() -> Any:
    import xgboost

    rows = xgboost.DMatrix(ROWS, [0.0, 1.0, 0.0, 1.0])
    return xgboost.train({"min_child_weight": 0, "nthread": 1}, rows, num_boost_round=2)


@pytest.fixture(scope="module")
def expected(booster: Any) -> list[float]:
    """What the booster itself says of the first two rows."""
    import xgboost

    predicted: list[float] = booster.predict(xgboost.DMatrix(ROWS[:2])).tolist()
    return predicted


@pytest.fixture
def model(booster: Any, tmp_path: Path) -> XgboostAlgorithm:
    booster.save_model(tmp_path / "xgb.json")
    (tmp_path / ".DS_Store").touch()
    return XgboostAlgorithm(tmp_path, {})


def told(model: XgboostAlgorithm, body: str, kind: str, accept: str = "") -> tuple[int, str]:
    answer = model.answer(
        Request(headers={"Content-Type": kind, "Accept": accept}, body=body.encode())
    )
    return answer.status, answer.body.decode()


def test_rows_of_csv_and_of_libsvm_mean_the_same(
    model: XgboostAlgorithm, expected: list[float]
) -> None:
    status, answer = told(model, "0,1\n1,0\n", "text/csv; charset=utf-8")
    assert status == 200
    assert [float(line) for line in answer.splitlines()] == expected
    # Of libsvm, indices begin at one unless there is a zero.
    assert told(model, "0 1:0 2:1\n0 1:1 2:0", "text/x-libsvm") == (200, answer)
    status, answer = told(model, "0,1\n1,0", "text/csv", "application/json")
    assert [each["score"] for each in json.loads(answer)["predictions"]] == expected


@pytest.mark.parametrize(
    ("body", "kind", "accept", "status", "said"),
    [
        ("[[0, 1]]", "application/json", "", 415, "Content-type application/json is not supported"),
        ("a,b", "text/csv", "", 415, "could not convert string to float"),
        ("0,1,2", "text/csv", "", 400, "Unable to evaluate payload provided"),
        ("0,1", "text/csv", "image/png", 406, "Accept type image/png is not supported"),
        ("", "text/csv", "", 204, ""),
    ],
)
def test_what_it_refuses_is_told_as_the_image_tells_it(
    model: XgboostAlgorithm, body: str, kind: str, accept: str, status: int, said: str
) -> None:
    found, answer = told(model, body, kind, accept)
    assert found == status
    assert said in answer


def test_a_pickled_booster_answers_a_batch_in_lines(booster: Any, tmp_path: Path) -> None:
    (tmp_path / "xgboost-model").write_bytes(pickle.dumps(booster))
    model = XgboostAlgorithm(tmp_path, {"SAGEMAKER_BATCH": "True"})
    assert told(model, "0,1\n1,0", "text/csv", "application/json")[1].count("\n") == 2


def test_what_it_does_not_serve_fails_its_start(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="SAGEMAKER_INFERENCE_OUTPUT is set"):
        XgboostAlgorithm(tmp_path, {"SAGEMAKER_INFERENCE_OUTPUT": "labels"})


def test_several_models_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").touch()
    (tmp_path / "b.json").touch()
    with pytest.raises(Mistake, match="2 files are at the model's top"):
        XgboostAlgorithm(tmp_path, {})


def test_among_many_models_predictions_are_joined_by_commas_or_an_array(
    booster: Any, expected: list[float], tmp_path: Path
) -> None:
    booster.save_model(tmp_path / "xgb.ubj")
    model = XgboostAmongMany(tmp_path, {})
    assert json.loads(told(model, "0,1\n1,0", "text/csv")[1]) == expected
    joined = told(model, "0,1\n1,0", "text/csv", "text/csv")[1]
    assert [float(each) for each in joined.split(",")] == expected
    assert told(model, "a,b", "text/csv")[0] == 503
    assert told(model, "0,1,2", "text/csv")[0] == 400
    assert told(model, "0,1", "text/csv", "image/png")[0] == 415
    assert told(model, "", "text/csv") == (204, "")
