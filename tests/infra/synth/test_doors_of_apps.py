"""The templates' table of cases in an app of L1 constructs: a stack for each, judged by
SageMakerChecks as it is synthesized.

That our constructs render each member is tests/stacks/test_every_member.py's.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import aws_cdk as cdk
import pytest

from sagemaker_serving.infra import SageMakerChecks
from sagemaker_serving.rules import RULES
from tests.rules.templates import REGION, template
from tests.rules.test_templates import CASES

pytestmark = pytest.mark.slow

RULE = {rule.id: rule for rule in RULES}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """What each stack of the app is told."""
    app = cdk.App(outdir=str(tmp_path_factory.mktemp("app")))
    for number in PLAIN:
        for kind, change in (("wrong", CASES[number][1]), ("right", CASES[number][3])):
            env = cdk.Environment(region=REGION)
            plain = cdk.Stack(app, f"plain-{kind}-{number}", env=env)
            for name, resource in template(change).items():
                made = cdk.CfnResource(
                    plain, name, type=resource["Type"], properties=resource["Properties"]
                )
                made.override_logical_id(name)
    cdk.Validations.of(app).add_plugins(SageMakerChecks(app))
    with pytest.raises(RuntimeError):
        app.synth()
    report = json.loads((Path(app.outdir) / "validation-report.json").read_text())
    told: dict[str, set[str]] = defaultdict(set)
    for violation in report["pluginReports"][0]["violations"]:
        for place in violation["violatingConstructs"]:
            told[place["constructPath"].partition("/")[0]].add(violation["ruleName"])
    return told


def _first_of_each() -> list[int]:
    """The first case of each resource and severity."""
    firsts: dict[tuple[str, str], int] = {}
    for number, (rule, wrong, _, _) in enumerate(CASES):
        changed = re.split("[.:]", next(iter(wrong)))[0]
        firsts.setdefault((changed, RULE[rule].severity), number)
    return list(firsts.values())


PLAIN = _first_of_each()
"""What an app of L1 constructs is tried with: it hands templates to the judge, which
tests/rules/test_templates.py tries with all."""

SCHEMAS = {f"aws-{kind}": f"schema-{kind}" for kind in ("value", "type", "required")}
"""What CloudFormation's schemas say of a template, so that AWS's shapes need not."""


@pytest.mark.parametrize(("number", "rule"), [(n, CASES[n][0]) for n in PLAIN])
def test_an_app_with_the_checks_is_told_what_a_template_is(
    told: dict[str, set[str]], number: int, rule: str
) -> None:
    of_wrong, of_right = (told[f"plain-{kind}-{number}"] for kind in ("wrong", "right"))
    assert {rule, SCHEMAS.get(rule)} & of_wrong
    assert rule not in of_right
