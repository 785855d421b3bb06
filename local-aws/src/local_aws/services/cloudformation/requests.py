"""What several actions need of a request: the stack that it names, the options that it sets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from local_aws.protocol import AwsError
from local_aws.services.cloudformation.engine.deployment import DO_NOTHING, ROLLBACK
from local_aws.services.cloudformation.engine.refusals import validation_error
from local_aws.services.cloudformation.engine.stacks import ChangeSet, Stack, Stacks

Values = Mapping[str, Any]
Answer = dict[str, Any]

_STACK_NAME = re.compile(r"[a-zA-Z][-a-zA-Z0-9]{0,127}")
_TRIGGERS = ("AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm")
_ALARM = re.compile(r"arn:[^:]+:cloudwatch:[^:]*:[^:]*:alarm:.+")
_UPDATABLE = frozenset(
    {
        "CREATE_COMPLETE",
        "CREATE_FAILED",
        "IMPORT_COMPLETE",
        "IMPORT_ROLLBACK_COMPLETE",
        "UPDATE_COMPLETE",
        "UPDATE_FAILED",
        "UPDATE_ROLLBACK_COMPLETE",
    }
)
_NOT_FOLLOWED = {
    "ChangeSetType": ("CREATE", "UPDATE", "IMPORT"),
    "DeploymentMode": ("REVERT_DRIFT",),
    "ResourceTypes": (),
    "StackPolicyBody": (),
    "StackPolicyURL": (),
    "TimeoutInMinutes": (),
}
"""Options that the engine refuses, and their values that ask for nothing it lacks.

ImportExistingResources, which ``cdk bootstrap`` sends, is let through: it matters only to
resources that exist already, and creating those fails.
"""


def found(stacks: Stacks, values: Values, region: str) -> Stack:
    """The stack that StackName names; AwsError ``ValidationError`` when there is none."""
    name = values.get("StackName", "")
    stack = stacks.find(name, region)
    if stack is None:
        raise validation_error(f"Stack [{name}] does not exist")
    return stack


def find_change_set(stacks: Stacks, values: Values, region: str) -> tuple[Stack, ChangeSet] | None:
    """The change set that ChangeSetName names in StackName, or in any stack by its ARN.

    AwsError ``ValidationError`` when there is no such stack, or neither of both was given.
    """
    wanted = values["ChangeSetName"]
    check_stack_is_named(
        values, "StackName must be specified if ChangeSetName is not specified as an ARN."
    )
    named = "StackName" in values
    candidates = [found(stacks, values, region)] if named else stacks.all(region)
    return next(
        (
            (stack, change_set)
            for stack in candidates
            if (change_set := stack.change_set(wanted)) is not None
        ),
        None,
    )


def check_stack_is_named(values: Values, message: str) -> None:
    """Refuse a change set by its bare name without its stack, in an action's own words."""
    if "StackName" not in values and not values["ChangeSetName"].startswith("arn:"):
        raise validation_error(message)


def found_change_set(stacks: Stacks, values: Values, region: str) -> tuple[Stack, ChangeSet]:
    """What `find_change_set` finds; AwsError ``ChangeSetNotFound`` when there is none."""
    known = find_change_set(stacks, values, region)
    if known is None:
        raise AwsError(
            "ChangeSetNotFound", f"ChangeSet [{values['ChangeSetName']}] does not exist", status=404
        )
    return known


def check_name(name: str) -> None:
    """Refuse a stack name that CloudFormation would."""
    if not _STACK_NAME.fullmatch(name):
        raise validation_error(
            f"1 validation error detected: Value '{name}' at 'stackName' failed to satisfy "
            "constraint: Member must satisfy regular expression pattern: "
            "[a-zA-Z][-a-zA-Z0-9]*, at most 128 characters"
        )


def check_updatable(stack: Stack) -> None:
    """Refuse a stack whose state does not let it be updated."""
    if stack.status not in _UPDATABLE:
        raise validation_error(
            f"Stack:{stack.stack_id} is in {stack.status} state and can not be updated."
        )


def check_options(values: Values) -> None:
    """Refuse what the engine does not do rather than deploy without it."""
    for option, allowed in _NOT_FOLLOWED.items():
        if option in values and values[option] not in allowed and values[option] != []:
            raise validation_error(f"{option} is not supported by the local AWS")
    triggers = values.get("RollbackConfiguration", {}).get("RollbackTriggers", [])
    for trigger in triggers:
        if trigger["Type"] not in _TRIGGERS:
            raise validation_error("Rollback Trigger Type not supported")
        if not _ALARM.fullmatch(trigger["Arn"]):
            raise validation_error("RelativeId of a Rollback Trigger's ARN is incorrect")
    if triggers:
        raise validation_error(
            "RollbackConfiguration.RollbackTriggers is not supported by the local AWS"
        )


def settings(values: Values) -> dict[str, Any]:
    """What is kept of a request: how it deploys, and what is only shown again."""
    kept = {"DeploymentConfig": values.get("DeploymentConfig")}  # of this operation alone
    for name in ("DeploymentMode", "RollbackConfiguration"):
        if name in values:
            kept[name] = values[name]
    return kept


def rollback_disabled(values: Values, config: Values | None) -> bool:
    """Whether what fails stays as it is: as ``values`` say, or the DeploymentConfig ``config``.

    Express mode rolls nothing back unless it is told to (aws/aws-cdk-cli#1931).
    """
    given = {} if config is None else config
    is_express = given.get("Mode") == "EXPRESS"
    return bool(values.get("DisableRollback") or given.get("DisableRollback", is_express))


def on_failure(values: Values) -> str:
    """What a create does when it fails: DisableRollback or OnFailure, by default roll back."""
    if "OnFailure" in values and "DisableRollback" in values:
        raise validation_error("OnFailure and DisableRollback cannot both be given")
    by_default = (
        DO_NOTHING if rollback_disabled(values, values.get("DeploymentConfig")) else ROLLBACK
    )
    chosen: str = values.get("OnFailure", by_default)
    return chosen
