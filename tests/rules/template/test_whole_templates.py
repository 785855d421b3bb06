"""A template itself: what leads nowhere is named, and what may lead somewhere is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from sagemaker_serving.rules import check_template, read_template
from tests.rules.roles.permission_cases import CASES as PERMISSIONS
from tests.rules.roles.trust_cases import CASES as TRUST
from tests.rules.template.declaration_cases import CASES as DECLARED
from tests.rules.whole_template_cases import CASES as WHOLE
from tests.today import TODAY

CASES = [*WHOLE, *DECLARED, *TRUST, *PERMISSIONS]


def messages(tmp_path: Path, text: str, rule: str, region: str | None = "eu-west-1") -> list[str]:
    path = tmp_path / "template.yaml"
    path.write_text(text)
    found = check_template(read_template(path), region, today=TODAY)
    return [problem.message for problem in found if problem.rule == rule]


@pytest.mark.parametrize(
    ("rule", "wrong", "said", "right"),
    CASES,
    ids=[f"{case[0]}-{n}" for n, case in enumerate(CASES)],
)
def test_the_wrong_is_named_once_and_the_nearest_right_passes(
    tmp_path: Path, rule: str, wrong: str, said: str, right: str
) -> None:
    (message,) = messages(tmp_path, wrong, rule)
    assert said in message
    assert messages(tmp_path, right, rule) == []
    assert messages(tmp_path, right, rule, region=None) == []


@pytest.mark.parametrize(
    "text",
    [
        "Resources: {A: {Type: AWS::SNS::Topic, Properties: [!Ref 1, !Sub 1, !GetAtt a]}}",
        "Resources: {A: [], B: 1}\nConditions: []\nOutputs: x\nMappings: {a: 1}",
        "Parameters: {P: 1, Q: [a]}\nResources: {A: {DependsOn: 1, Condition: [a], Type: 1}}",
        "Resources: {A: {Properties: {a: !FindInMap [a], b: !If [], c: !Join 1}}}",
        "Conditions: {C: !Or [{Condition: {Ref: A}}, {Condition: [b]}]}\nResources: {}",
        "Transform: {Name: a}\nResources: {A: {Properties: !Sub [1, 2, 3]}}",
    ],
)
def test_no_shape_ends_in_a_traceback(tmp_path: Path, text: str) -> None:
    path = tmp_path / "template.yaml"
    path.write_text(text)
    check_template(read_template(path), "eu-west-1", today=TODAY)
