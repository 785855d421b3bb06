"""What an import change set takes into a stack: judged before anything is taken.

Sources: AWS CloudFormation User Guide, "Import AWS resources into a CloudFormation stack manually";
the words of aws-quickstart/quickstart-awx#38, awslabs/aws-security-assessment-solution#6 and
aws-solutions/aws-waf-security-automations#226, as users quote them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from local_aws.resources import ResourceTypes
from local_aws.schemas import schema_of
from local_aws.services.cloudformation.engine.changes import Change, Plan
from local_aws.services.cloudformation.engine.refusals import refuse, validation_error
from local_aws.services.cloudformation.engine.stacks import Resource, Stack, Stacks, Version


class Imports:
    """The resources that a request wants to import."""

    def __init__(self, types: ResourceTypes, stacks: Stacks) -> None:
        self._types = types
        self._stacks = stacks

    def identified(
        self, stack: Stack, version: Version, plan: Plan, given: list[Mapping[str, Any]]
    ) -> dict[str, str]:
        """Their physical ids by logical id; the plan's changes become imports.

        Raises AwsError ``ValidationError`` for what AWS or the local AWS does not import.
        """
        wanted = {each["LogicalResourceId"]: each for each in given}
        if not wanted:
            raise validation_error("ResourcesToImport names no resource to import")
        _refuse_types(sorted({each["ResourceType"] for each in given}))
        added = {
            change.wanted.logical_id: change.wanted
            for change in plan.changes
            if change.action == "Add" and change.wanted is not None
        }
        refuse(self._problems(stack, wanted, added))
        _refuse_other_changes(plan, wanted)
        without = [
            name for name in wanted if "DeletionPolicy" not in version.template.resources[name]
        ]
        if without:
            raise validation_error(
                f"The following resources to import [{', '.join(without)}] must have "
                "DeletionPolicy attribute specified in the template."
            )
        for name, resource in added.items():
            resource.physical_id = _identifier(resource.type, stack.region, wanted[name])
        plan.changes = [replace(change, action="Import") for change in plan.changes]
        return {name: resource.physical_id for name, resource in added.items()}

    def _problems(
        self, stack: Stack, wanted: Mapping[str, Mapping[str, Any]], added: Mapping[str, Resource]
    ) -> Iterator[str]:
        for name, each in wanted.items():
            type_name, identifier = each["ResourceType"], each["ResourceIdentifier"]
            provider, schema = (
                self._types.provider_of(type_name),
                schema_of(type_name, stack.region),
            )
            if schema is None or provider is None or not provider.adopts:
                yield f"Resource {name}: the local AWS cannot import {type_name}"
            elif name not in added:
                yield f"Resource {name} is to be imported, and the template does not add it"
            elif added[name].type != type_name:
                yield f"Resource {name} is of type {added[name].type}, not {type_name}"
            elif set(identifier) != set(schema.identifier):
                yield (
                    f"Resource {name}: {type_name} is identified by "
                    f"{', '.join(schema.identifier)}, not by {', '.join(identifier) or 'nothing'}"
                )
            elif owner := self._owner(stack.region, type_name, each):
                yield (
                    f"Resource {name}: {_identifier(type_name, stack.region, each)} is managed "
                    f"already by stack {owner}"
                )

    def _owner(self, region: str, type_name: str, each: Mapping[str, Any]) -> str | None:
        wanted = (type_name, _identifier(type_name, region, each))
        return next(
            (
                stack.name
                for stack in self._stacks.living(region)
                for resource in list(stack.version.resources.values())
                if (resource.type, resource.physical_id) == wanted
            ),
            None,
        )


@lru_cache(maxsize=1)
def importable_types() -> frozenset[str]:
    """The types that AWS imports; the file says where that is from."""
    lines = Path(__file__).with_name("importable.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(
        f"AWS::{service}::{name}"
        for line in lines
        if not line.startswith("#")
        for service, *names in [line.split()]
        for name in names
    )


def _refuse_types(types: list[str]) -> None:
    refused = [name for name in types if name not in importable_types()]
    if refused:
        raise validation_error(
            "The following resource types are not supported for resource import: "
            + ",".join(refused)
        )


def _refuse_other_changes(plan: Plan, wanted: Mapping[str, object]) -> None:
    if plan.outputs_change:
        raise validation_error(
            "As part of the import operation, you cannot modify or add [Outputs]"
        )
    others = [name for name in map(_name, plan.changes) if name not in wanted]
    if others:
        raise validation_error(
            f"You have modified resources [{', '.join(others)}] in your template that are not "
            "being imported. Update, create or delete operations cannot be executed during "
            "import operations."
        )


def _name(change: Change) -> str:
    one = change.wanted or change.current
    assert one is not None
    return one.logical_id


def _identifier(type_name: str, region: str, each: Mapping[str, Any]) -> str:
    """The physical id: what identifies a type that the local AWS imports is what Ref gives."""
    schema = schema_of(type_name, region)
    assert schema is not None, f"{type_name} was not refused beforehand"
    return "|".join(each["ResourceIdentifier"][name] for name in schema.identifier)
