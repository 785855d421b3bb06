"""The rules as a policy-validation plugin, for the stacks of any CDK app."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import aws_cdk as cdk
import jsii
from constructs import IConstruct

from sagemaker_serving import __version__
from sagemaker_serving.errors import Problem, ProblemsFound, Severity
from sagemaker_serving.rules import RULES, check_template, read_template

NAME = "SageMakerChecks"


@jsii.implements(cdk.IPolicyValidationPlugin)
class SageMakerChecks:
    """Judges every template of an app by this project's rules, whoever wrote its constructs.

    ::

        cdk.Validations.of(app).add_plugins(SageMakerChecks(app))

    An error stops the synthesis; warnings are reported. What is meant to stay is
    acknowledged one rule at a time, with its reason, on a construct or above it::

        cdk.Validations.of(construct).acknowledge(
            cdk.Acknowledgment(id="SageMakerChecks::instance-retired", reason="…")
        )

    The CDK CLI stops at findings in the stacks that its command names; ``cdk synth``
    alone names none that is in a Stage, ``cdk synth '**'`` does.

    A stack's region is that of its ``env``; without one, the rules that depend on
    it don't run. docs/rules.md has every rule.

    :param scope: where it is added, as cdk-nag's packs take it; nothing is read from it.
    """

    def __init__(self, scope: IConstruct | None = None) -> None:
        del scope  # stands there so that packs of checks are all made alike

    @property
    def name(self) -> str:
        """What reports and acknowledgements call the plugin."""
        return NAME

    @property
    def version(self) -> str:
        """The version of this package."""
        return __version__

    @property
    def rule_ids(self) -> list[str]:
        """Every rule that may be broken."""
        return [rule.id for rule in RULES]

    def validate(self, context: cdk.IPolicyValidationContext) -> cdk.PolicyValidationPluginReport:
        """Called by CDK once the templates are written."""
        violations = [
            violation
            for stack in context.stack_templates
            for violation in _violations(Path(stack.template_path), stack.region)
        ]
        return cdk.PolicyValidationPluginReport(
            success=all(violation.severity != Severity.ERROR for violation in violations),
            violations=violations,
        )


def _violations(path: Path, region: str | None) -> Iterator[cdk.PolicyViolation]:
    try:
        template = read_template(path)
    except ProblemsFound:
        return  # a stack without resources has a template without any
    open_problems = (
        problem
        for problem in check_template(template, region)
        if problem.severity is not Severity.NOTE
    )
    for (rule, severity, message), places in _grouped(open_problems).items():
        yield cdk.PolicyViolation(
            rule_name=rule,
            description=message,
            severity=severity,
            fix=f"see docs/rules.md, {rule}",
            violating_resources=[
                cdk.PolicyViolatingResource(
                    resource_logical_id=str(problem.where.path[0]),
                    template_path=str(path),
                    locations=["/".join(("Properties", *map(str, problem.where.path[1:])))],
                )
                for problem in places
            ],
        )


def _grouped(problems: Iterable[Problem]) -> dict[tuple[str, str, str], list[Problem]]:
    """Problems that differ in their place only, together."""
    groups: dict[tuple[str, str, str], list[Problem]] = defaultdict(list)
    for problem in problems:
        groups[problem.rule, str(problem.severity), problem.message].append(problem)
    return groups
