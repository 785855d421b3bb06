"""The rules as cfn-lint's: in its output, and in each editor that shows what cfn-lint finds.

One line in ``.cfnlintrc`` adds them, with the ids of docs/rules.md::

    append_rules: [sagemaker_serving.rules.cfn_lint]

A rule is left out as cfn-lint's own are: ``--ignore-checks variant-volume``, or
``ignore_checks`` in the template's or a resource's Metadata. The regions are cfn-lint's:
``--regions``, by default us-east-1. Source: cfn-lint 1.58.0, docs/custom_rules.md and
src/cfnlint/rules/_rule.py.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from cfnlint.rules import CloudFormationLintRule, RuleMatch
from cfnlint.template import Template as LintedTemplate

from sagemaker_serving.errors import Severity
from sagemaker_serving.rules.check import check_template
from sagemaker_serving.rules.facts.kinds import EventScheduleFacts
from sagemaker_serving.rules.facts.roles import PolicyDocumentFacts
from sagemaker_serving.rules.facts.template import SchemaFacts, TemplateFacts
from sagemaker_serving.rules.registry import RULES
from sagemaker_serving.rules.template import Template, add_sections, template_of, written

_SEVERITIES = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "informational",
}
_judged: tuple[LintedTemplate | None, list[tuple[str, RuleMatch]]] = (None, [])
"""The template that was judged last, for all rules at once, and what each rule found."""


class _OfThisProject:
    """What a rule of this project says to cfn-lint, which knows it by its id."""

    id: str
    ids: frozenset[str]
    severity: str
    """cfn-lint reads it from an id's first letter, which ids here do not have."""
    is_mandatory = False

    def is_enabled(
        self,
        include_experimental: bool = False,
        ignore_rules: Sequence[str] | None = None,
        include_rules: Sequence[str] | None = None,
        mandatory_rules: Sequence[str] | None = None,
    ) -> bool:
        """Always, unless it is ignored: cfn-lint includes others by the letters E and W."""
        del include_experimental, include_rules
        self.is_mandatory = any(self.id.startswith(one) for one in mandatory_rules or ())
        return self.is_mandatory or self.ids.isdisjoint(ignore_rules or ())

    def match(self, cfn: LintedTemplate) -> list[RuleMatch]:
        """What this rule finds in the template, for each of cfn-lint's regions, and no resource
        ignores by an id that the rule had: cfn-lint looks for today's alone."""
        by_id = cfn.get_directives()
        ignoring = {name for each in self.ids for name in by_id.get(each, ())}
        return [
            match
            for rule, match in _matches(cfn)
            if rule == self.id and (self.is_mandatory or ignoring.isdisjoint(match.path[1:2]))
        ]


def _matches(cfn: LintedTemplate) -> list[tuple[str, RuleMatch]]:
    global _judged
    if _judged[0] is not cfn:
        template = _plain(cfn.template)
        problems = {
            (one.rule, one.where, one.message): one
            for region in cfn.regions or [None]
            for one in check_template(template, region)
        }
        matches = [
            (
                one.rule,
                RuleMatch(_path(cfn.template, written(template, one.where.path)), one.message),
            )
            for one in problems.values()
            if one.acknowledged is None
        ]
        _judged = (cfn, matches)
    return _judged[1]


def _plain(template: Any) -> Template:
    """The template without cfn-lint's nodes, which know their lines."""
    data = json.loads(json.dumps(template, default=str))
    resources = data.get("Resources")
    return add_sections(template_of(resources if isinstance(resources, dict) else {}), data)


def _path(template: Any, place: tuple[str | int, ...]) -> list[str | int]:
    """The place in cfn-lint's template; what is absent has that of what it is absent from."""
    path: list[str | int] = []
    for key in place:
        try:
            template = template[key]
        except (KeyError, IndexError, TypeError):
            break
        path.append(key)
    return path


def _offer(
    rule_id: str, severity: Severity, what: str, why: str, aliases: tuple[str, ...] = ()
) -> None:
    """Adds a class to this module, where cfn-lint looks for them."""
    name = "".join(word.capitalize() for word in rule_id.split("-"))
    members = {
        "id": rule_id,
        "ids": frozenset((rule_id, *aliases)),
        "severity": _SEVERITIES[severity],
        "shortdesc": what,
        "description": why,
        "tags": ["sagemaker"],
    }
    globals()[name] = type(name, (_OfThisProject, CloudFormationLintRule), members)


_ITS_OWN = (TemplateFacts, SchemaFacts, PolicyDocumentFacts, EventScheduleFacts)
"""What cfn-lint judges itself."""

for _rule in (one for one in RULES if one.about not in _ITS_OWN):
    _told = f"{_rule.why} Source: {_rule.source}".strip()
    _offer(_rule.id, _rule.severity, _rule.what, _told, _rule.aliases)
_offer("acknowledge", Severity.ERROR, "Acknowledgements name a rule and say why.", "")
