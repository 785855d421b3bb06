"""Stacks, resources and events as the API's answers show them.

What a stack has none of is left out or an empty list, by member: Parameters, Outputs and
Capabilities of a stack and Parameters and Tags of a change set are left out (recorded of AWS by
LocalStack's suite, 2022 to 2025).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from local_aws.services.cloudformation.engine.refusals import PropertyProblem, validation_error
from local_aws.services.cloudformation.engine.stacks import (
    ChangeSet,
    Event,
    Resource,
    Stack,
    Version,
    kept_of,
)

PAGE = 100
"""Entries of one page of a long answer."""

Item = TypeVar("Item")


def stack_view(stack: Stack) -> dict[str, Any]:
    """A stack as DescribeStacks shows it."""
    version = stack.version
    return {
        "StackId": stack.stack_id,
        "StackName": stack.name,
        "AliasName": stack.alias,
        "ParentId": stack.parent_id,
        "RootId": stack.root_id,
        "ChangeSetId": stack.change_set_id,
        "Description": version.template.description,
        "Parameters": _parameters(version),
        "CreationTime": stack.created,
        "LastUpdatedTime": stack.updated,
        "DeletionTime": stack.deleted,
        "RollbackConfiguration": stack.settings.get("RollbackConfiguration", {}),
        "StackStatus": stack.status,
        "StackStatusReason": stack.reason,
        "DisableRollback": stack.disable_rollback,
        "TimeoutInMinutes": stack.settings.get("TimeoutInMinutes"),
        "NotificationARNs": version.notification_arns,
        "Capabilities": version.capabilities or None,
        "Outputs": [
            {
                "OutputKey": output.key,
                "OutputValue": output.shown,
                "Description": output.description,
                "ExportName": output.export,
            }
            for output in version.outputs.values()
        ]
        or None,
        "RoleARN": version.role_arn,
        "Tags": _tags(version),
        "EnableTerminationProtection": (
            None if stack.status == "DELETE_COMPLETE" else stack.termination_protection
        ),
        "DriftInformation": _drift("StackDriftStatus", stack.drift),
        "DeploymentConfig": stack.settings.get("DeploymentConfig"),
    }


def summary_view(stack: Stack) -> dict[str, Any]:
    """A stack as ListStacks shows it."""
    return {
        "StackId": stack.stack_id,
        "StackName": stack.name,
        "ParentId": stack.parent_id,
        "RootId": stack.root_id,
        "TemplateDescription": stack.version.template.description,
        "CreationTime": stack.created,
        "LastUpdatedTime": stack.updated,
        "DeletionTime": stack.deleted,
        "StackStatus": stack.status,
        "StackStatusReason": stack.reason,
        "DriftInformation": _drift("StackDriftStatus", stack.drift),
    }


def stack_summary(stack: Stack) -> dict[str, Any]:
    """A stack as ``local status`` shows it; ``reason`` says why its last operation failed,
    ``only_kept`` what the local AWS does nothing with."""
    return {
        "name": stack.name,
        "region": stack.region,
        "status": stack.status,
        "reason": _why(stack),
        "updated": stack.updated or stack.created,
        "resources": len(stack.version.resources),
        "only_kept": kept_of(stack),
    }


def _why(stack: Stack) -> str | None:
    """The first resource that failed in the last operation, or what the stack says itself."""
    if "FAILED" not in stack.status and "ROLLBACK" not in stack.status:
        return None
    failure = stack.first_failure()
    if failure is not None:
        return failure
    last = [event for event in list(stack.events) if event.operation_id == stack.operation_id]
    rollbacks = [event.reason for event in last if event.status.endswith("ROLLBACK_IN_PROGRESS")]
    return rollbacks[0] if rollbacks else stack.reason


def resource_view(stack: Stack, resource: Resource) -> dict[str, Any]:
    """A resource with the members of every answer that shows one."""
    return {
        "StackName": stack.name,
        "StackId": stack.stack_id,
        "LogicalResourceId": resource.logical_id,
        "PhysicalResourceId": resource.physical_id or None,
        "ResourceType": resource.type,
        "Timestamp": resource.timestamp,
        "LastUpdatedTimestamp": resource.timestamp,
        "ResourceStatus": resource.status,
        "ResourceStatusReason": resource.reason,
        "DriftInformation": _drift("StackResourceDriftStatus", resource.drift),
    }


def event_view(stack: Stack, event: Event) -> dict[str, Any]:
    """An event as DescribeStackEvents shows it."""
    return {
        "StackId": stack.stack_id,
        "EventId": event.event_id,
        "StackName": stack.name,
        "OperationId": event.operation_id,
        "LogicalResourceId": event.logical_id,
        "PhysicalResourceId": event.physical_id or None,
        "ResourceType": event.type,
        "Timestamp": datetime.fromisoformat(event.timestamp),  # the serializer guesses, slowly
        "ResourceStatus": event.status,
        "ResourceStatusReason": event.reason,
        "ClientRequestToken": event.token,
    }


def problem_view(stack: Stack, change_set: ChangeSet, found: PropertyProblem) -> dict[str, Any]:
    """What early validation found, as DescribeEvents shows it.

    (botocore OperationEvent; the words and the path of what is lacking: aws/aws-cdk-cli#1463.) The
    check's name is unverified: reports show only that of names, NAME_CONFLICT_VALIDATION.
    """
    pointer, _, said = found.problem.partition(": ")
    lacking = re.fullmatch(r"required key (\[.*\]) not found", said)
    return {
        "EventId": f"{change_set.change_set_id.rpartition('/')[2]}-{found.logical_id}",
        "StackId": stack.stack_id,
        "OperationType": "CREATE_CHANGESET",
        "EventType": "VALIDATION_ERROR",
        "LogicalResourceId": found.logical_id,
        "ResourceType": found.type,
        "Timestamp": datetime.fromisoformat(change_set.created),
        "ValidationFailureMode": "FAIL",
        "ValidationName": "PROPERTY_VALIDATION",
        "ValidationStatus": "FAILED",
        "ValidationStatusReason": (
            said if lacking is None else f"Required property {lacking[1]} not found"
        ),
        "ValidationPath": f"/Resources/{found.logical_id}/Properties{pointer.removeprefix('#')}",
    }


def change_set_view(stack: Stack, change_set: ChangeSet) -> dict[str, Any]:
    """A change set without its changes."""
    version = change_set.version
    return {
        "ChangeSetName": change_set.name,
        "ChangeSetId": change_set.change_set_id,
        "StackId": stack.stack_id,
        "StackName": stack.name,
        "Description": change_set.description,
        "Parameters": _parameters(version),
        "CreationTime": change_set.created,
        "ExecutionStatus": change_set.execution_status,
        "Status": change_set.status,
        "StatusReason": change_set.reason,
        "NotificationARNs": version.notification_arns,
        "RollbackConfiguration": change_set.settings.get("RollbackConfiguration", {}),
        "Capabilities": version.capabilities,
        "Tags": _tags(version) or None,
        "IncludeNestedStacks": change_set.include_nested,
        "ParentChangeSetId": change_set.parent_id,
        "RootChangeSetId": change_set.root_id,
        "OnStackFailure": change_set.on_failure,
        "DeploymentConfig": change_set.settings.get("DeploymentConfig"),
        "DeploymentMode": change_set.settings.get("DeploymentMode"),
    }


def _parameters(version: Version) -> list[dict[str, Any]] | None:
    return [
        {
            "ParameterKey": parameter.key,
            "ParameterValue": parameter.shown,
            "ResolvedValue": parameter.resolved_value,
        }
        for parameter in version.parameters.values()
    ] or None


def _drift(status: str, found: Mapping[str, Any]) -> dict[str, Any]:
    return {
        status: found.get(status, "NOT_CHECKED"),
        "LastCheckTimestamp": found.get("Timestamp"),
    }


def _tags(version: Version) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in version.tags.items()]


def page(items: Sequence[Item], token: str | None) -> tuple[Sequence[Item], str | None]:
    """One page of a long answer and the token of the next, or None at the end."""
    if token is not None and not token.isdigit():
        raise validation_error(f"NextToken {token} is none that was given out")
    start = int(token or 0)
    end = start + PAGE
    return items[start:end], str(end) if end < len(items) else None
