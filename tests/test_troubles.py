"""Troubles that people reported: `check` names each, and lets the mended ones pass."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from sagemaker_serving.errors import Problem, Severity
from sagemaker_serving.rules import check_environment, check_template, read_template
from sagemaker_serving.rules.template.plan import read_plan
from sagemaker_serving.spec import read_environment
from tests.today import TODAY
from tools.docs.troubles import Trouble, troubles

TROUBLES = troubles()


def problems(path: Path) -> list[Problem]:
    """What is wrong with a template, an environment file or a plan, by what it holds."""
    if path.suffix == ".json":
        plans = read_plan(path)
        return [one for plan in plans for one in check_template(plan.template, plan.region)]
    if "\nResources:" in f"\n{path.read_text(encoding='utf-8')}":
        return check_template(read_template(path), "us-east-1", today=TODAY)
    return check_environment(read_environment(path), today=TODAY)


def cases(kind: str) -> list[tuple[Trouble, Path]]:
    return [(trouble, path) for trouble in TROUBLES for path in trouble.inputs(kind)]


def named(case: tuple[Trouble, Path]) -> str:
    return f"{case[1].parent.name}-{case[1].stem}"


@pytest.mark.parametrize("case", cases("wrong"), ids=named)
def test_what_people_met_is_named(case: tuple[Trouble, Path]) -> None:
    trouble, path = case
    found = problems(path)
    assert trouble.rule in {problem.rule for problem in found}, found


@pytest.mark.parametrize("case", cases("right"), ids=named)
def test_what_is_mended_has_no_problem(case: tuple[Trouble, Path]) -> None:
    ends = "image-support"  # of the calendar, not of the trouble
    found = [one for one in problems(case[1]) if one.severity is not Severity.NOTE]
    assert [one for one in found if one.rule != ends] == []


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.folder.name)
def test_a_trouble_has_both_a_wrong_and_a_mended_input(trouble: Trouble) -> None:
    assert trouble.inputs("wrong"), trouble.folder
    assert trouble.inputs("right"), trouble.folder
    assert yaml.safe_load((trouble.folder / "about.yaml").read_text(encoding="utf-8"))
