"""Whatever a file holds, checking it ends with problems or a typed refusal, never otherwise.

A few hundred cases here; ``make fuzz`` sets RULES_FUZZ_CASES to 20,000.
"""

from __future__ import annotations

import copy
import json
import os
import random
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sagemaker_serving.errors import Problem, ProblemsFound
from sagemaker_serving.rules import check_environment, check_template, read_template, template_of
from sagemaker_serving.rules.report import report
from sagemaker_serving.spec import read_environment
from tests.rules.job_template_cases import JOBS
from tests.rules.model_template_cases import MODELS
from tests.rules.template_cases import SERVING
from tests.rules.templates import template
from tests.rules.update_template_cases import UPDATES

CASES = int(os.environ.get("RULES_FUZZ_CASES", "200"))
ROOT = Path(__file__).parents[2]

JUNK: list[Any] = [
    None, True, False, 0, -1, 1.5, 1e400, float("nan"), 10**30, "", "a", "ml.c5.large", "x" * 2000,
    "\x00", "${AWS::Region}", [], {}, [None], [[]], {"": None}, {"Ref": "AWS::NoValue"},
    {"Ref": "AWS::Region"}, {"Ref": 3}, {"Fn::If": ["C", 1, 2]}, {"Fn::GetAtt": []},
    {"Fn::GetAtt": "Model.Arn"}, {"Fn::Join": ["", ["a", {"Ref": "Model"}]]}, {"Fn::Join": 3},
    {"Fn::Sub": "s3://${Bucket}/k"}, {"Fn::Sub": ["${a}", {"a": {"Ref": "b"}}]}, {"Fn::Sub": {}},
    {"Fn::Transform": {}, "Other": 1}, {"Ref": "Model", "Ref2": 1}, {1: 2}, {None: None},
    {"CanarySize": {"Type": "CAPACITY_PERCENT", "Value": 0}}, "s3://b/k.tar.gz",
]  # fmt: skip
WORDS = [
    "{", "}", "[", "]", ":", "- ", "\n", "  ", "&a ", "*a", "!Ref ", "!Sub ", "!GetAtt a.b",
    "!!int ",
    "!!bool x", "!!binary =", "2026-13-45", "? ", "| ", "> ", "%", "@", "`", "\t", '"', "'", "#",
    "Resources:", "Type: AWS::SageMaker::Model", "Properties:", "name: prod", "models:", "<<: *a",
    "---", "...", "\ufeff", "\x07", "é", "1e999", "0x1F", "012", "~", "null", "!<tag:x> y",
]  # fmt: skip

CHANGES = [change for case in (*SERVING, *MODELS, *UPDATES, *JOBS) for change in (case[1], case[3])]
ENVIRONMENTS = [
    yaml.safe_load((ROOT / "environments" / f"{name}.yaml").read_text())
    for name in ("local", "prod")
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of everything below ``value``."""
    keys: list[Any] = []
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = list(range(len(value)))
    for key in keys:
        yield (*path, key)
        yield from places(value[key], (*path, key))


def mutated(value: Any, dice: random.Random) -> Any:
    """A copy in which one to three things are junk, gone, or called otherwise."""
    value = copy.deepcopy(value)
    for _ in range(dice.randint(1, 3)):
        found = list(places(value))
        if not found:
            return dice.choice(JUNK)
        *above, last = dice.choice(found)
        place = value
        for key in above:
            place = place[key]
        what = dice.random()
        if what < 0.7:
            place[last] = copy.deepcopy(dice.choice(JUNK))
        elif what < 0.85:
            del place[last]
        elif isinstance(place, dict):
            place[f"{last}{dice.choice(string.ascii_letters)}"] = place.pop(last)
        else:
            place.append(copy.deepcopy(place[last]))
    return value


def must_be_problems(found: list[Problem]) -> None:
    assert all(isinstance(problem, Problem) and problem.message for problem in found)
    json.loads(report(found, "sarif"))
    report(found, "github")


@pytest.mark.parametrize("part", range(4))
def test_mutated_templates(part: int) -> None:
    for number in range(part, CASES, 4):
        dice = random.Random(number)
        resources = mutated(template(dice.choice(CHANGES)), dice)
        if isinstance(resources, dict):
            region = dice.choice(["eu-west-1", None])
            must_be_problems(check_template(template_of(resources), region))


@pytest.mark.parametrize("part", range(4))
def test_mutated_environments(part: int, tmp_path: Path) -> None:
    path = tmp_path / "environments" / "prod.yaml"
    path.parent.mkdir()
    for number in range(part, CASES, 4):
        dice = random.Random(number)
        path.write_text(
            yaml.safe_dump(mutated(dice.choice(ENVIRONMENTS), dice), allow_unicode=True)
        )
        try:
            must_be_problems(check_environment(read_environment(path)))
        except ProblemsFound as refusal:
            must_be_problems(list(refusal.problems))


@pytest.mark.parametrize("part", range(2))
def test_random_text(part: int, tmp_path: Path) -> None:
    path = tmp_path / "random.yaml"
    for number in range(part, CASES, 2):
        dice = random.Random(number)
        text = "".join(dice.choice(WORDS) for _ in range(dice.randint(0, 60)))
        path.write_text(text, encoding="utf-8")
        for check in (environment_problems, template_problems):
            try:
                must_be_problems(check(path))
            except ProblemsFound as refusal:
                must_be_problems(list(refusal.problems))


def environment_problems(path: Path) -> list[Problem]:
    return check_environment(read_environment(path))


def template_problems(path: Path) -> list[Problem]:
    return check_template(read_template(path), "eu-west-1")


LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 10)}]\n" for n in range(9)
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LAUGHS, "its aliases make over 200000 values"),
        ("a: &a [*a]", "contains itself"),
        ("[" * 100_000 + "]" * 100_000, "nested over 200 levels deep"),
        ('{"a":' * 100_000, "nested over 200 levels deep"),
        ("- " * 100_000, "nested over 200 levels deep"),
        ("a: !!bool x", "a value is not what it says it is"),
        ("a: 2026-13-45", "a value is not what it says it is"),
        ("a: \x07", "this is not YAML"),
        ("", "the file is empty"),
        ("{a: 1, [b]: 2}", "this is not YAML"),
    ],
    ids=[str(number) for number in range(10)],
)
def test_what_is_no_finite_yaml_is_said_to_be_none(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ProblemsFound, match=said):
        read_environment(path)
    with pytest.raises(ProblemsFound):
        read_template(path)
