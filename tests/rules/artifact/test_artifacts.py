"""Every rule on models: one that it names, and the nearest one that it lets pass."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from sagemaker_serving.errors import Problem
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import read_environment
from tests.models import saved_model
from tests.rules.artifact.artifact_cases import CASES
from tests.rules.artifact.artifacts import GOOD, MODEL, RIGHT, SCRIPT, Model
from tests.today import TODAY


def problems(folder: Path, model: Model) -> list[Problem]:
    variant = {"name": "blue", "instance_type": "ml.m5.xlarge", **model.variant}
    sparse = variant.pop("sparse", None)
    artifact = folder / ("model" if isinstance(model.content, dict) else "model.tar.gz")
    if isinstance(model.content, bytes):
        artifact.write_bytes(model.content)
    for name, content in model.content.items() if isinstance(model.content, dict) else ():
        (artifact / name).parent.mkdir(parents=True, exist_ok=True)
        (artifact / name).write_bytes(content)
    if sparse is not None:
        with (artifact / "weights").open("wb") as file:
            os.truncate(file.fileno(), sparse)
    environment = {
        "name": "test",
        "region": "eu-west-1",
        **model.environment,
        "models": {
            "digits": {
                "artifact": artifact.name,
                "framework": "tensorflow",
                "framework_version": "2.20",
                "variants": [variant],
                **model.container,
            }
        },
    }
    path = folder / "test.yaml"
    path.write_text(yaml.safe_dump(environment, sort_keys=False))
    return check_environment(read_environment(path), today=TODAY)


def test_a_right_model_has_no_problem(tmp_path: Path) -> None:
    assert problems(tmp_path, RIGHT) == []


@pytest.mark.parametrize(
    ("rule", "wrong", "said", "right"), CASES, ids=[f"{c[0]}-{n}" for n, c in enumerate(CASES)]
)
def test_the_rule_names_the_wrong_and_lets_the_nearest_pass(
    tmp_path: Path, rule: str, wrong: Model, said: str, right: Model
) -> None:
    for name in ("wrong", "right"):
        (tmp_path / name).mkdir()
    found = [p for p in problems(tmp_path / "wrong", wrong) if p.rule == rule]
    assert any(said in problem.message for problem in found), found
    assert all(problem.where.line is not None for problem in found)
    assert [p for p in problems(tmp_path / "right", right) if p.rule == rule] == []


@pytest.mark.parametrize("version", ["0.9", "1.2", "2", "99.0", "latest"])
def test_a_script_is_judged_whatever_version_stands_beside_it(tmp_path: Path, version: str) -> None:
    files = {MODEL: saved_model(), SCRIPT: b"import nowhere\n" + GOOD}
    model = Model(files, {"framework_version": version})
    found = {problem.rule for problem in problems(tmp_path, model)}
    assert {"image-known", "handler-imports"} <= found
