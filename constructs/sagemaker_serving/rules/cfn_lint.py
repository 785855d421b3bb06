"""The rules as cfn-lint's: in its output, and in each editor that shows what cfn-lint finds.

One line in ``.cfnlintrc`` adds them, with the ids of docs/rules.md::

    append_rules: [sagemaker_serving.rules.cfn_lint]

A rule is left out as cfn-lint's own are: ``--ignore-checks variant-volume``, or
``ignore_checks`` in the template's or a resource's Metadata. The regions are cfn-lint's:
``--regions``, by default us-east-1. Source: cfn-lint 1.58.0, docs/custom_rules.md and
src/cfnlint/rules/_rule.py; read 2026-11-23.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from cfnlint.rules import CloudFormationLintRule, RuleMatch
from cfnlint.template import Template as LintedTemplate

from sagemaker_serving.errors import Problem, Severity
from sagemaker_serving.rules.check import check_template
from sagemaker_serving.rules.engine import Rule
from sagemaker_serving.rules.registry import RULES
from sagemaker_serving.rules.template import Template, template_of

_SEVERITIES = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "informational",
}
_judged: tuple[LintedTemplate | None, list[Problem]] = (None, [])
"""The template that was judged last, for all rules at once, and its problems."""


class _OfThisProject:
    """What a rule of this project says to cfn-lint; `RULE` is the rule."""

    RULE: Rule

    @property
    def severity(self) -> str:
        """cfn-lint reads it from an id's first letter, which ids here do not have."""
        return _SEVERITIES[self.RULE.severity]

    def is_enabled(
        self,
        include_experimental: bool = False,
        ignore_rules: Sequence[str] | None = None,
        include_rules: Sequence[str] | None = None,
        mandatory_rules: Sequence[str] | None = None,
    ) -> bool:
        """Always, unless it is ignored: cfn-lint includes others by the letters E and W."""
        del include_experimental, include_rules
        mandatory = any(self.RULE.id.startswith(one) for one in mandatory_rules or ())
        return mandatory or self.RULE.id not in (ignore_rules or ())

    def match(self, cfn: LintedTemplate) -> list[RuleMatch]:
        """What this rule finds in the template, for each of cfn-lint's regions."""
        return [
            RuleMatch(_path(problem, cfn.template["Resources"]), problem.message)
            for problem in _problems(cfn)
            if problem.rule == self.RULE.id and problem.acknowledged is None
        ]


def _problems(cfn: LintedTemplate) -> list[Problem]:
    global _judged
    if _judged[0] is not cfn:
        template = _plain(cfn.template)
        found = [
            problem
            for region in cfn.regions or [None]
            for problem in check_template(template, region)
        ]
        _judged = (cfn, list({(one.rule, one.where, one.message): one for one in found}.values()))
    return _judged[1]


def _plain(template: Any) -> Template:
    """The template without cfn-lint's nodes, which know their lines."""
    data = json.loads(json.dumps(template, default=str))
    resources = data.get("Resources")
    read = template_of(resources if isinstance(resources, dict) else {})
    return Template(
        resources=read.resources,
        where=read.where,
        mappings=data.get("Mappings") or {},
        conditions=data.get("Conditions") or {},
        metadata=data.get("Metadata") or {},
    )


def _path(problem: Problem, resources: Any) -> list[str | int]:
    """The place as cfn-lint writes it; what is absent has that of what it is absent from."""
    logical_id, *inner = problem.where.path
    path: list[str | int] = ["Resources", logical_id]
    here = resources.get(logical_id, {})
    for key in inner if inner[:1] == ["Type"] else ["Properties", *inner]:
        try:
            here = here[key]
        except (KeyError, IndexError, TypeError):
            break
        path.append(key)
    return path


for _rule in RULES:
    _name = "".join(word.capitalize() for word in _rule.id.split("-"))
    globals()[_name] = type(
        _name,
        (_OfThisProject, CloudFormationLintRule),
        {
            "RULE": _rule,
            "id": _rule.id,
            "shortdesc": _rule.what,
            "description": f"{_rule.why} Source: {_rule.source}".strip(),
            "tags": ["sagemaker"],
        },
    )
