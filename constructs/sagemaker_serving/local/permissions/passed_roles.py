"""Roles that a call hands to a service: the service must be trusted, the caller allowed to pass.

The words in which each service refuses are those that users of AWS quote in
public issues (SageMaker: awslabs/predictive-maintenance-using-machine-learning#3;
Lambda: aws-samples/aws-ct-vpc-flowlogs#1; Step Functions: lumigo-io/lumigo-CLI#83),
read 2026-11-21.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sagemaker_serving.local.permissions.evaluator import PolicyEvaluator
from sagemaker_serving.local.protocol import AwsError
from sagemaker_serving.local.protocol.call import Call

from .needs import needs_of

Refusal = Callable[[str], AwsError]
"""The service's error for a role that does not let it in, by the role's ARN."""


@dataclass(frozen=True, kw_only=True)
class PassedRole:
    """A role that a call hands over, and the service that will act in its name."""

    role_arn: str
    service: str


def passed_roles(call: Call) -> Iterator[PassedRole]:
    """The roles that a call hands to a service."""
    rule = _RULES.get(call.service)
    if rule is None or not call.operation.startswith(rule.verbs):
        return
    for path in rule.parameters:
        for arn in _values(call.parameters, path):
            yield PassedRole(role_arn=arn, service=rule.principal)


def refuse_what_is_not_trusted(call: Call, evaluator: PolicyEvaluator, account: str) -> None:
    """Raise the service's own error for a role that is not there or does not trust it.

    The service says for which resource it acts, in ``aws:SourceArn``.
    """
    for passed in passed_roles(call):
        given = {"aws:SourceArn": needs_of(call, account)[0].resource}
        rule = _RULES[call.service]
        accepted = [passed.service]
        if rule.regional:
            name = passed.service.partition(".")[0]
            accepted.append(f"{name}.{call.region}.amazonaws.com")
        if not any(evaluator.trusts(passed.role_arn, service, given) for service in accepted):
            raise rule.refusal(passed.role_arn)


@dataclass(frozen=True, kw_only=True)
class _Rule:
    principal: str
    parameters: Sequence[str]
    refusal: Refusal
    verbs: tuple[str, ...] = ("Create", "Update", "Put")
    regional: bool = False


_RULES: Mapping[str, _Rule] = {
    "sagemaker": _Rule(
        principal="sagemaker.amazonaws.com",
        parameters=("ExecutionRoleArn", "RoleArn"),
        refusal=lambda arn: AwsError(
            "ValidationException",
            f"Could not assume role {arn}. Please ensure that the role exists and allows "
            "principal 'sagemaker.amazonaws.com' to assume the role.",
        ),
    ),
    "stepfunctions": _Rule(
        principal="states.amazonaws.com",
        parameters=("roleArn",),
        regional=True,
        refusal=lambda arn: AwsError(
            "AccessDeniedException",
            "Neither the global service principal states.amazonaws.com, nor the regional one "
            "is authorized to assume the provided role.",
        ),
    ),
    "lambda": _Rule(
        principal="lambda.amazonaws.com",
        parameters=("Role",),
        refusal=lambda arn: AwsError(
            "InvalidParameterValueException",
            "The role defined for the function cannot be assumed by Lambda.",
        ),
    ),
    "events": _Rule(
        principal="events.amazonaws.com",
        parameters=("Targets.RoleArn",),
        refusal=lambda arn: AwsError(
            "ValidationException",
            f"Provided role '{arn}' cannot be assumed by principal 'events.amazonaws.com'.",
        ),
    ),
    "scheduler": _Rule(
        principal="scheduler.amazonaws.com",
        parameters=("Target.RoleArn",),
        refusal=lambda arn: AwsError(
            "ValidationException",
            "The execution role you provide must allow AWS EventBridge Scheduler to assume "
            "the role.",
        ),
    ),
    "cloudformation": _Rule(
        principal="cloudformation.amazonaws.com",
        parameters=("RoleARN",),
        refusal=lambda arn: AwsError(
            "ValidationError", f"Role {arn} is invalid or cannot be assumed"
        ),
        verbs=("Create", "Update", "Delete", "Continue", "Rollback", "Execute"),
    ),
}


def _values(parameters: Mapping[str, Any], path: str) -> Iterator[str]:
    name, _, rest = path.partition(".")
    found = parameters.get(name)
    if rest:
        for each in found if isinstance(found, list) else [found]:
            if isinstance(each, Mapping):
                yield from _values(each, rest)
    elif isinstance(found, str) and found.startswith("arn:"):
        yield found
