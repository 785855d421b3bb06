"""The API's actions that only read."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from local_aws.protocol import AwsError
from local_aws.schemas import schema_of
from local_aws.services.cloudformation.engine.checks import required_capabilities
from local_aws.services.cloudformation.engine.operations import Operations
from local_aws.services.cloudformation.engine.parameters import MASK
from local_aws.services.cloudformation.engine.refusals import validation_error
from local_aws.services.cloudformation.engine.stacks import (
    REVIEW_IN_PROGRESS,
    Event,
    Stack,
    Stacks,
)
from local_aws.services.cloudformation.engine.submissions import Submissions
from local_aws.services.cloudformation.engine.template import Template, parse
from local_aws.services.cloudformation.imports import importable_types
from local_aws.services.cloudformation.requests import (
    Answer,
    Values,
    check_stack_is_named,
    found,
    found_change_set,
)
from local_aws.services.cloudformation.views import (
    PAGE,
    event_view,
    page,
    problem_view,
    resource_view,
    stack_view,
    summary_view,
)
from local_aws.write_lock import WriteLock

HOLD_SECONDS = 20.0
"""How long DescribeStacks waits, asked by a stack's id, for the operation under way to end.

The CDK CLI asks by id and then sleeps five seconds: an answer that comes when the
operation ends spares it that sleep. Asked by name, the answer comes at once.
"""


class Queries:
    """Each method is an action."""

    def __init__(
        self,
        write_lock: WriteLock,
        stacks: Stacks,
        operations: Operations,
        submissions: Submissions,
    ) -> None:
        self._write_lock = write_lock
        self._stacks = stacks
        self._operations = operations
        self._submissions = submissions

    def describe_stacks(self, values: Values, region: str, *, waits: bool = True) -> Answer:
        """One stack, or every living one of the region."""
        name = values.get("StackName")
        if name is None:
            views, token = page(list(self._stacks.living(region)), values.get("NextToken"))
            return {"Stacks": [stack_view(stack) for stack in views], "NextToken": token}
        stack = self._described(name, region)
        if name == stack.stack_id and stack.busy and waits:
            with self._write_lock.aside():
                self._operations.wait(stack, HOLD_SECONDS)
        return {"Stacks": [stack_view(stack)]}

    def list_stacks(self, values: Values, region: str) -> Answer:
        """Summaries, deleted stacks too, those of StackStatusFilter when it is given."""
        wanted = values.get("StackStatusFilter")
        stacks = [
            stack for stack in self._stacks.all(region) if not wanted or stack.status in wanted
        ]
        shown, token = page(stacks, values.get("NextToken"))
        return {"StackSummaries": [summary_view(stack) for stack in shown], "NextToken": token}

    def describe_stack_events(self, values: Values, region: str) -> Answer:
        """One page of a stack's history, newest first."""
        stack = found(self._stacks, values, region)
        events, token = _newest(stack.events, values.get("NextToken"))
        return {"StackEvents": [event_view(stack, event) for event in events], "NextToken": token}

    def describe_events(self, values: Values, region: str) -> Answer:
        """One page of an operation's events, only the failed ones when they are asked for.

        Those of a change set are what early validation has found.
        """
        if "ChangeSetName" in values:
            stack, change_set = found_change_set(self._stacks, values, region)
            problems = [problem_view(stack, change_set, each) for each in change_set.invalid]
            shown, token = page(problems, values.get("NextToken"))
            return {"OperationEvents": shown, "NextToken": token}
        stack = found(self._stacks, values, region)
        operation = values.get("OperationId")
        failed_only = values.get("Filters", {}).get("FailedEvents", False)
        chosen = [
            event
            for event in list(stack.events)
            if (operation is None or event.operation_id == operation)
            and (not failed_only or event.status.endswith("_FAILED"))
        ]
        events, token = _newest(chosen, values.get("NextToken"))
        views = [{**event_view(stack, event), "EventType": "STACK_EVENT"} for event in events]
        return {"OperationEvents": views, "NextToken": token}

    def describe_stack_resources(self, values: Values, region: str) -> Answer:
        """The resources of a stack, or of the stack that has a physical id."""
        stack = self._holder(values, region)
        logical_id = values.get("LogicalResourceId")
        return {
            "StackResources": [
                resource_view(stack, resource)
                for resource in list(stack.version.resources.values())
                if logical_id in (None, resource.logical_id)
            ]
        }

    def describe_stack_resource(self, values: Values, region: str) -> Answer:
        """One resource with its metadata."""
        name, logical_id = values["StackName"], values["LogicalResourceId"]
        stack = self._stacks.find(name, region)
        if stack is None:
            raise validation_error(f"Stack '{name}' does not exist")
        resource = stack.version.resources.get(logical_id)
        if resource is None:
            raise validation_error(f"Resource {logical_id} does not exist for stack {name}")
        return {"StackResourceDetail": resource_view(stack, resource)}

    def list_stack_resources(self, values: Values, region: str) -> Answer:
        """One page of a stack's resources."""
        stack = found(self._stacks, values, region)
        resources = list(stack.version.resources.values())
        shown, token = page(resources, values.get("NextToken"))
        views = [resource_view(stack, resource) for resource in shown]
        return {"StackResourceSummaries": views, "NextToken": token}

    def get_template(self, values: Values, region: str) -> Answer:
        """A template, of a stack or of a change set: what its transforms made, or as sent."""
        if "ChangeSetName" in values:
            check_stack_is_named(values, "StackName is a required parameter.")
            version = found_change_set(self._stacks, values, region)[1].version
        elif "StackName" in values:
            version = self._described(values["StackName"], region).version
        else:
            raise validation_error("StackName is required if ChangeSetName is not specified.")
        body = version.body
        if values.get("TemplateStage", "Processed") == "Processed":
            body = version.processed or version.body
        return {"TemplateBody": body, "StagesAvailable": ["Original", "Processed"]}

    def get_template_summary(self, values: Values, region: str) -> Answer:
        """What a template declares, of a stack or as sent."""
        if "StackName" in values:
            stack = found(self._stacks, values, region)
            if stack.status == REVIEW_IN_PROGRESS:
                raise validation_error(
                    "GetTemplateSummary cannot be called on REVIEW_IN_PROGRESS stacks."
                )
            written, template = parse(stack.version.body), stack.version.template
        else:
            written = template = parse(self._submissions.body(values, region))
        metadata = written.section("Metadata")
        return {
            **_declared(written),
            "ResourceTypes": sorted({each["Type"] for each in template.resources.values()}),
            "Version": template.document.get("AWSTemplateFormatVersion", "2010-09-09"),
            "Metadata": str(metadata) if metadata else None,
            "ResourceIdentifierSummaries": _identifiers(template, region),
        }

    def validate_template(self, values: Values, region: str) -> Answer:
        """Read a template and say what it declares."""
        return _declared(parse(self._submissions.body(values, region)))

    def list_exports(self, values: Values, region: str) -> Answer:
        """The region's exports."""
        exports, token = page(self._operations.exports.all(region), values.get("NextToken"))
        views = [
            {"ExportingStackId": stack.stack_id, "Name": output.export, "Value": output.shown}
            for stack, output in exports
        ]
        return {"Exports": views, "NextToken": token}

    def list_imports(self, values: Values, region: str) -> Answer:
        """The stacks that import a name."""
        name = values["ExportName"]
        importers = self._operations.exports.importers(region, name)
        if not importers:
            raise validation_error(f"Export '{name}' is not imported by any stack.")
        names, token = page(importers, values.get("NextToken"))
        return {"Imports": names, "NextToken": token}

    def describe_type(self, values: Values, region: str) -> Answer:
        """A resource type's schema."""
        name = values.get("TypeName", "")
        schema = schema_of(name, region)
        if schema is None or values.get("Type", "RESOURCE") != "RESOURCE":
            raise AwsError(
                "TypeNotFoundException", f"The type '{name}' cannot be found.", status=404
            )
        return {
            "Type": "RESOURCE",
            "TypeName": name,
            "Schema": json.dumps(schema.document),
            "Visibility": "PUBLIC",
        }

    def list_hook_results(self, values: Values, region: str) -> Answer:
        """None: the local AWS has no hooks."""
        return {"HookResults": []}

    def get_stack_policy(self, values: Values, region: str) -> Answer:
        """None: stack policies are refused when a stack is made."""
        found(self._stacks, values, region)
        return {}

    def _described(self, name: str, region: str) -> Stack:
        stack = self._stacks.find(name, region)
        if stack is None:
            raise validation_error(f"Stack with id {name} does not exist")
        return stack

    def _holder(self, values: Values, region: str) -> Stack:
        if "StackName" in values:
            return found(self._stacks, values, region)
        physical_id = values.get("PhysicalResourceId")
        for stack in self._stacks.living(region):
            if any(each.physical_id == physical_id for each in stack.version.resources.values()):
                return stack
        raise validation_error(f"Stack for {physical_id} does not exist")


def _newest(events: list[Event], token: str | None) -> tuple[list[Event], str | None]:
    """A page from the newest backwards; the token counts from the oldest, as pages must not
    shift when events are added."""
    if token is not None and not token.isdigit():
        raise validation_error(f"NextToken {token} is none that was given out")
    end = len(events) if token is None else int(token)
    start = max(0, end - PAGE)
    return events[start:end][::-1], str(start) if start else None


def _declared(template: Template) -> dict[str, Any]:
    capabilities = required_capabilities(template)
    return {
        "Parameters": [_parameter(key, each) for key, each in template.parameters.items()],
        "Description": template.description,
        "Capabilities": capabilities or None,
        "DeclaredTransforms": list(template.transforms) or None,
    }


def _parameter(key: str, declared: dict[str, Any]) -> dict[str, Any]:
    no_echo = str(declared.get("NoEcho", False)).lower() == "true"
    default = declared.get("Default")
    return {
        "ParameterKey": key,
        "DefaultValue": MASK if no_echo and default is not None else default,
        "ParameterType": declared.get("Type"),
        "NoEcho": no_echo,
        "Description": declared.get("Description"),
        "ParameterConstraints": {"AllowedValues": declared.get("AllowedValues", [])},
    }


def _identifiers(template: Template, region: str) -> list[dict[str, Any]]:
    by_type: dict[str, list[str]] = defaultdict(list)
    for logical_id, definition in template.resources.items():
        by_type[definition["Type"]].append(logical_id)
    schemas = {type_name: schema_of(type_name, region) for type_name in by_type}
    return [
        {
            "ResourceType": type_name,
            "LogicalResourceIds": logical_ids,
            "ResourceIdentifiers": [",".join(schema.identifier)],
        }
        for type_name, logical_ids in by_type.items()
        if (schema := schemas[type_name]) is not None and type_name in importable_types()
    ]
