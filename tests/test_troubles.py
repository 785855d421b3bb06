"""Troubles that people reported: `check` names each, and lets the mended ones pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.errors import Problem, Severity
from sagemaker_serving.rules import check_environment, check_template, read_template
from sagemaker_serving.rules.template.plan import read_plan
from sagemaker_serving.spec import read_environment
from tests.today import TODAY
from tools.docs.troubles import Trouble, troubles

TROUBLES = troubles()


def cases(kind: str) -> list[Any]:
    """Each input of a kind: the trouble, its file's name, its text."""
    return [
        pytest.param(trouble, name, text, id=f"{trouble.folder.name}-{name.partition('.')[0]}")
        for trouble in TROUBLES
        for name, text in trouble.inputs(kind).items()
    ]


def problems(path: Path, text: str) -> list[Problem]:
    """What is wrong with a template, an environment file or a plan, by what it holds."""
    path.write_text(text, encoding="utf-8")
    if path.suffix == ".json":
        plans = read_plan(path)
        return [one for plan in plans for one in check_template(plan.template, plan.region)]
    if "\nResources:" in f"\n{text}":
        return check_template(read_template(path), "us-east-1", today=TODAY)
    return check_environment(read_environment(path), today=TODAY)


@pytest.mark.parametrize(("trouble", "name", "text"), cases("wrong"))
def test_what_people_met_is_named(trouble: Trouble, name: str, text: str, tmp_path: Path) -> None:
    trouble.write_model("wrong", tmp_path)
    found = problems(tmp_path / name, text)
    assert trouble.rule in {problem.rule for problem in found}, found


@pytest.mark.parametrize(("trouble", "name", "text"), cases("right"))
def test_what_is_mended_has_no_problem(
    trouble: Trouble, name: str, text: str, tmp_path: Path
) -> None:
    trouble.write_model("right", tmp_path)
    ends = "image-support"  # of the calendar, not of the trouble
    found = [one for one in problems(tmp_path / name, text) if one.severity is not Severity.NOTE]
    assert [one for one in found if one.rule != ends] == []


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.folder.name)
def test_a_trouble_has_both_a_wrong_and_a_mended_input(trouble: Trouble) -> None:
    assert trouble.inputs("wrong"), trouble.folder
    assert trouble.inputs("right"), trouble.folder
