"""Stacks as tests deploy them through boto3, each call until its operation is done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.local_aws.aws import eventually

Template = str | dict[str, Any]


class Deployments:
    """What is done with stacks over and over, by a ``cloudformation`` client."""

    def __init__(self, cloudformation: Any) -> None:
        self.cloudformation = cloudformation

    def create(self, name: str, template: Template, **options: Any) -> dict[str, Any]:
        """Create a stack and return it once it is done."""
        return self.done(self.begin("create_stack", name, template, **options))

    def update(self, name: str, template: Template, **options: Any) -> dict[str, Any]:
        """Update a stack and return it once it is done."""
        return self.done(self.begin("update_stack", name, template, **options))

    def begin(self, operation: str, name: str, template: Template, **options: Any) -> str:
        """Begin to create or update a stack; its id."""
        body = template if isinstance(template, str) else json.dumps(template)
        given = {"Capabilities": ["CAPABILITY_NAMED_IAM"], **options}
        call = getattr(self.cloudformation, operation)
        return str(call(StackName=name, TemplateBody=body, **given)["StackId"])

    def delete(self, name: str, **options: Any) -> dict[str, Any]:
        """Delete a stack and return what is left of it."""
        stack_id = self.stack(name)["StackId"]
        self.cloudformation.delete_stack(StackName=name, **options)
        return self.done(stack_id)

    def done(self, stack_id: str) -> dict[str, Any]:
        """The stack once no operation is under way."""

        def look() -> Any:
            stack = self.stack(stack_id)
            return None if stack["StackStatus"].endswith("_IN_PROGRESS") else stack

        found: dict[str, Any] = eventually(look)
        return found

    def stack(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.cloudformation.describe_stacks(StackName=name)["Stacks"][0]
        return found

    def outputs(self, name: str) -> dict[str, str]:
        outputs = self.stack(name).get("Outputs", [])
        return {output["OutputKey"]: output["OutputValue"] for output in outputs}

    def physical_ids(self, name: str) -> dict[str, str]:
        answer = self.cloudformation.describe_stack_resources(StackName=name)
        return {
            resource["LogicalResourceId"]: resource["PhysicalResourceId"]
            for resource in answer["StackResources"]
        }

    def events(self, name: str) -> list[dict[str, Any]]:
        """The stack's whole history, oldest first."""
        pages = self.cloudformation.get_paginator("describe_stack_events").paginate(StackName=name)
        return [event for page in pages for event in page["StackEvents"]][::-1]

    def history(self, name: str) -> list[tuple[str, str]]:
        """Logical id and status of every event, oldest first."""
        return [
            (event["LogicalResourceId"], event["ResourceStatus"]) for event in self.events(name)
        ]

    def reason(self, name: str, status: str, logical_id: str | None = None) -> str:
        """Why the first resource, or the one of that id, turned ``status``."""
        return next(
            str(event["ResourceStatusReason"])
            for event in self.events(name)
            if event["ResourceStatus"] == status
            and (event["LogicalResourceId"] == logical_id if logical_id else _is_resource(event))
        )


def _is_resource(event: Mapping[str, Any]) -> bool:
    """The stack itself has its id for its own, too."""
    return bool(event.get("PhysicalResourceId") != event["StackId"])
