"""The rules on what watches an endpoint, case by case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from sagemaker_serving.errors import Problem
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import read_environment
from tests.rules.endpoint.monitoring_cases import CASES, Monitoring, thresholds
from tests.today import TODAY


def problems(folder: Path, own: Any, common: Any = None) -> list[Problem]:
    """What is said of an environment of one model with these two blocks."""
    model = {"image_uri": "x", "variants": [{"name": "v", "instance_type": "ml.c5.large"}]}
    data = {
        "name": "prod",
        "region": "eu-west-1",
        "monitoring": common,
        "models": {"digits": {**model, "monitoring": own}},
    }
    path = folder / "prod.yaml"
    path.write_text(yaml.safe_dump(data))
    return check_environment(read_environment(path), today=TODAY)


@pytest.mark.parametrize(("rule", "wrong", "said", "right"), CASES)
@pytest.mark.parametrize("place", ["environment", "model"])
def test_the_rule_names_the_wrong_and_lets_the_nearest_pass(
    tmp_path: Path, place: str, rule: str, wrong: Monitoring, said: str, right: Monitoring
) -> None:
    def found(monitoring: Monitoring) -> list[Problem]:
        blocks = (monitoring, None) if place == "model" else (None, monitoring)
        return [problem for problem in problems(tmp_path, *blocks) if problem.rule == rule]

    (problem,) = found(wrong)
    assert said in problem.message
    assert problem.where.line is not None
    assert found(right) == []


def test_a_model_is_judged_with_what_its_environment_says(tmp_path: Path) -> None:
    own, common = thresholds(datapoints_to_alarm=4), thresholds(evaluation_periods=5)
    rules = {problem.rule for problem in problems(tmp_path, own, common)}
    assert "alarm-datapoints" not in rules


@pytest.mark.parametrize("junk", [3, "text", [], [1], {"thresholds": 3}, True, 1e400])
def test_junk_is_a_problem_and_never_a_crash(tmp_path: Path, junk: Any) -> None:
    for field in ("period_seconds", "evaluation_periods", "datapoints_to_alarm"):
        assert problems(tmp_path, junk)
        assert problems(tmp_path, {"thresholds": {field: junk}})
