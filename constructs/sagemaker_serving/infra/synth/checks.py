"""The rules as a policy-validation plugin, for the stacks of any CDK app."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import aws_cdk as cdk
import jsii
from constructs import IConstruct

from sagemaker_serving import __version__
from sagemaker_serving.errors import ProblemsFound, Severity
from sagemaker_serving.infra.synth.acknowledge import acknowledged
from sagemaker_serving.rules import RULES, check_template, read_template
from sagemaker_serving.rules.template import written

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
        violations = []
        for stack in context.stack_templates:
            found = list(_violations(stack))
            _acknowledge_by_new_ids(context.app_construct, stack, {one.rule_name for one in found})
            violations += found
        return cdk.PolicyValidationPluginReport(
            success=all(violation.severity != Severity.ERROR for violation in violations),
            violations=violations,
        )


def _acknowledge_by_new_ids(
    app: IConstruct, stack: cdk.PolicyValidationStack, broken: set[str]
) -> None:
    """Lets what is acknowledged by an id that a rule had be so by the one that it has.

    Looks at a stack that broke such a rule and what it stands in; each look is a call to Node.
    """
    had = {
        f"{NAME}::{alias}": f"{NAME}::{rule.id}"
        for rule in RULES
        if rule.id in broken
        for alias in rule.aliases
    }
    if not had:
        return
    scopes = [app]
    for name in filter(None, stack.stack_construct_path.split("/")):
        scopes.append(scopes[-1].node.find_child(name))
    for construct in (*scopes[:-1], *scopes[-1].node.find_all()):
        for finding, reason in acknowledged(construct):
            if finding in had:
                entry = cdk.Acknowledgment(id=had[finding], reason=reason)
                cdk.Validations.of(construct).acknowledge(entry)


def _violations(stack: cdk.PolicyValidationStack) -> Iterator[cdk.PolicyViolation]:
    try:
        template = read_template(Path(stack.template_path))
    except ProblemsFound:
        return  # a stack without resources has a template without any
    groups: dict[tuple[str, str, str], list[cdk.PolicyViolatingResource]] = defaultdict(list)
    for problem in check_template(template, stack.region):
        if problem.severity is not Severity.NOTE:
            path = written(template, problem.where.path)
            message, violating = _placed(stack, path, problem.message)
            groups[problem.rule, problem.severity.value, message].append(violating)
    for (rule, severity, message), places in groups.items():
        yield cdk.PolicyViolation(
            rule_name=rule,
            description=message,
            severity=severity,
            fix=f"sagemaker-serving explain {rule} says why",
            violating_resources=places,
        )


def _placed(
    stack: cdk.PolicyValidationStack, path: tuple[str | int, ...], message: str
) -> tuple[str, cdk.PolicyViolatingResource]:
    """The message, and the resource at ``path`` of the template, or else the stack.

    CDK reports no location beside a construct path, so the message says it, as CDK's own does.
    """
    if path[:1] == ("Resources",) and len(path) > 1:
        return message, cdk.PolicyViolatingResource(
            resource_logical_id=str(path[1]),
            template_path=stack.template_path,
            locations=["/".join(map(str, path[2:]))],
        )
    location = "/".join(map(str, path))
    return f"{location}: {message}", cdk.PolicyViolatingResource(
        construct_path=stack.stack_construct_path, locations=[location]
    )
