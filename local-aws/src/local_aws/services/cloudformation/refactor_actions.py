"""The API's actions on stack refactors: resources change stack or logical id, and nothing else.

Nothing is asked of any service, so that creating and executing one have ended when they answer;
what a resource is tagged with changes with the next update of its stack. Refactors are known as
long as the process lives. Source: AWS CloudFormation User Guide, "Stack refactoring".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from uuid import uuid4

from local_aws.arn import arn_in
from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.schemas import schema_of
from local_aws.services.cloudformation.engine.blueprint import Blueprint, Existing
from local_aws.services.cloudformation.engine.changes import difference
from local_aws.services.cloudformation.engine.deployment import surroundings_of
from local_aws.services.cloudformation.engine.exports import Exports
from local_aws.services.cloudformation.engine.refusals import Refused, refuse, validation_error
from local_aws.services.cloudformation.engine.stacks import (
    STACK_TYPE,
    Output,
    Resource,
    Stack,
    Stacks,
    Version,
    now,
)
from local_aws.services.cloudformation.engine.submissions import Submissions
from local_aws.services.cloudformation.engine.template import parse
from local_aws.services.cloudformation.requests import Answer, Values, check_name, check_updatable
from local_aws.services.cloudformation.views import page

Place = tuple[str, str]
"""A stack's name and a logical id."""

_CAPABILITIES = ("CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND")


@dataclass
class Refactor:
    """One that was asked for, and what became of it."""

    refactor_id: str
    region: str
    asked: Values
    status: str = "CREATE_COMPLETE"
    reason: str | None = None
    execution_status: str = "AVAILABLE"
    execution_reason: str | None = None
    stack_ids: list[str] = field(default_factory=list)
    actions: list[dict[str, Any]] = field(default_factory=list)

    @property
    def shown(self) -> dict[str, Any]:
        """It, as DescribeStackRefactor shows it."""
        return {
            "StackRefactorId": self.refactor_id,
            "Description": self.asked.get("Description"),
            "StackIds": self.stack_ids,
            "Status": self.status,
            "StatusReason": self.reason,
            "ExecutionStatus": self.execution_status,
            "ExecutionStatusReason": self.execution_reason,
        }


class RefactorActions:
    """Each method is an action."""

    def __init__(
        self, context: LocalContext, stacks: Stacks, submissions: Submissions, exports: Exports
    ) -> None:
        self._account_id = context.account_id
        self._stacks = stacks
        self._submissions = submissions
        self._exports = exports
        self._refactors: dict[str, Refactor] = {}

    def create_stack_refactor(self, values: Values, region: str) -> Answer:
        """Judge a refactor; one that would change more than places is kept as CREATE_FAILED."""
        refactor = Refactor(str(uuid4()), region, values)
        try:
            planned = self._planned(refactor)
        except Refused as error:
            refactor.status, refactor.reason = "CREATE_FAILED", str(error)
            refactor.execution_status = "UNAVAILABLE"
        else:
            refactor.stack_ids = [each.stack.stack_id for each in planned.targets.values()]
            refactor.actions = list(planned.actions())
        self._refactors[refactor.refactor_id] = refactor
        return {"StackRefactorId": refactor.refactor_id}

    def describe_stack_refactor(self, values: Values, region: str) -> Answer:
        """What became of it."""
        return self._found(values, region).shown

    def list_stack_refactor_actions(self, values: Values, region: str) -> Answer:
        """One page of what it does."""
        shown, token = page(self._found(values, region).actions, values.get("NextToken"))
        return {"StackRefactorActions": shown, "NextToken": token}

    def list_stack_refactors(self, values: Values, region: str) -> Answer:
        """One page of them, those of ExecutionStatusFilter when it is given."""
        wanted = values.get("ExecutionStatusFilter")
        views = [
            {name: value for name, value in each.shown.items() if name != "StackIds"}
            for each in self._refactors.values()
            if each.region == region and (not wanted or each.execution_status in wanted)
        ]
        shown, token = page(views, values.get("NextToken"))
        return {"StackRefactorSummaries": shown, "NextToken": token}

    def execute_stack_refactor(self, values: Values, region: str) -> Answer:
        """Move the resources, if that still changes nothing else."""
        refactor = self._found(values, region)
        if refactor.execution_status != "AVAILABLE":
            raise validation_error(
                f"Stack refactor {refactor.refactor_id} cannot be executed in its current "
                f"execution status [{refactor.execution_status}]"
            )
        with self._stacks.lock:
            try:
                planned = self._planned(refactor)
            except Refused as error:
                refactor.execution_status = "EXECUTE_FAILED"
                refactor.execution_reason = str(error)
                return {}
            for target in planned.targets.values():
                verb = "CREATE" if target.is_new else "UPDATE"
                self._stacks.put(target.stack)
                target.stack.begin(None)
                target.stack.set_status(f"{verb}_IN_PROGRESS", "Stack refactor")
                target.stack.carry_out(target.version, None)
                target.stack.set_status(f"{verb}_COMPLETE")
            refactor.execution_status = "EXECUTE_COMPLETE"
        return {}

    def _found(self, values: Values, region: str) -> Refactor:
        refactor_id = values["StackRefactorId"]
        refactor = self._refactors.get(refactor_id)
        if refactor is None or refactor.region != region:
            raise AwsError(
                "StackRefactorNotFound",
                f"Stack refactor {refactor_id} does not exist",
                status=404,
            )
        return refactor

    def _planned(self, refactor: Refactor) -> _Plan:
        if not all(each.get("StackName") for each in refactor.asked["StackDefinitions"]):
            raise validation_error("each of StackDefinitions must have a StackName")
        targets = {
            each["StackName"]: self._target(each, refactor)
            for each in refactor.asked["StackDefinitions"]
        }
        plan = _Plan(targets, _mappings(refactor.asked), self._account_id, self._exports)
        refuse(plan.problems())
        return plan

    def _target(self, definition: Mapping[str, Any], refactor: Refactor) -> _Target:
        name, region = definition["StackName"], refactor.region
        stack = self._stacks.find(name, region)
        is_new = stack is None
        if stack is None:
            if not refactor.asked.get("EnableStackCreation"):
                raise validation_error(f"Stack [{name}] does not exist")
            check_name(name)
            stack_id = arn_in(region, "cloudformation", self._account_id, f"stack/{name}/{uuid4()}")
            stack = Stack(name, stack_id, region, now())
        else:
            check_updatable(stack)
        declared = parse(self._submissions.body(definition, region)).parameters
        previous = [
            {"ParameterKey": key, "UsePreviousValue": True}
            for key in stack.version.parameters
            if key in declared
        ]
        asked = {**definition, "Parameters": previous, "Capabilities": _CAPABILITIES}
        version = self._submissions.version(stack, asked)
        version.capabilities = stack.version.capabilities
        return _Target(stack, version, is_new)


@dataclass
class _Target:
    """A stack and the version that it is to have; ``came`` are the places of its resources."""

    stack: Stack
    version: Version
    is_new: bool
    came: dict[str, Place] = field(default_factory=dict)

    @property
    def old(self) -> Mapping[str, Resource]:
        """The resources that it has."""
        return self.stack.version.resources


class _Plan:
    """Which resource of which stack comes from where."""

    def __init__(
        self,
        targets: dict[str, _Target],
        given: dict[Place, Place],
        account_id: str,
        exports: Exports,
    ) -> None:
        self.targets = targets
        self._given = given
        self._exports = exports
        self._outputs: dict[str, dict[str, Output]] = {}
        self._imported: dict[str, set[str]] = {name: set() for name in targets}
        self._leaving = set(given.values())
        for name, target in targets.items():
            kept = target.version.template.resources.keys()
            self._leaving |= {(name, each) for each in target.old if each not in kept}
        self._blueprints: dict[str, Blueprint] = {}
        for name, target in targets.items():
            old, target.version.resources = target.old, {}
            blueprint = Blueprint(
                target.version,
                surroundings_of(target.stack, target.version, account_id),
                Existing(target.version.resources),
                partial(self._import, name),
            )
            self._blueprints[name] = blueprint
            for logical_id in blueprint.resources:
                place = self._source((name, logical_id), stays=logical_id in old)
                if place is not None:
                    target.came[logical_id] = place
                    target.version.resources[logical_id] = replace(
                        targets[place[0]].old[place[1]], logical_id=logical_id, drift={}
                    )

    def problems(self) -> Iterator[str]:
        """What would be more than a move; where there is nothing, the versions are whole."""
        come = [place for target in self.targets.values() for place in target.came.values()]
        for name, target in self.targets.items():
            if not target.came:
                yield f"Stack [{name}] would have no resources"
            for logical_id in self._blueprints[name].resources.keys() - target.came.keys():
                yield f"Resource {name}.{logical_id} would be created, which no refactor does"
            for logical_id in target.old:
                if come.count((name, logical_id)) != 1:
                    yield f"Resource {name}.{logical_id} would not be in exactly one stack"
        if len(come) == sum(len(each.version.template.resources) for each in self.targets.values()):
            for name in self.targets:
                yield from self._changes(name)
            yield from self._lost_exports()

    def actions(self) -> Iterator[dict[str, Any]]:
        """Each resource that moves, and each stack that is made, as the API shows them."""
        for name, target in self.targets.items():
            if target.is_new:
                yield {
                    "Action": "CREATE",
                    "Entity": "STACK",
                    "PhysicalResourceId": target.stack.stack_id,
                }
            for logical_id, source in target.came.items():
                if source != (name, logical_id):
                    yield {
                        "Action": "MOVE",
                        "Entity": "RESOURCE",
                        "PhysicalResourceId": target.version.resources[logical_id].physical_id,
                        "Detection": "MANUAL" if (name, logical_id) in self._given else "AUTO",
                        "ResourceMapping": {
                            "Source": _written(source),
                            "Destination": _written((name, logical_id)),
                        },
                    }

    def _source(self, place: Place, *, stays: bool) -> Place | None:
        """Where a resource comes from: as given, from the same place, or from the only one that
        leaves and is just like it."""
        if place in self._given:
            source = self._given[place]
            known = source[0] in self.targets and source[1] in self.targets[source[0]].old
            return source if known else None
        if stays and place not in self._leaving:
            return place
        wanted = self._definition(self.targets[place[0]].version, place[1])
        alike = [
            each
            for each in self._leaving - set(self._given.values())
            if self._definition(self.targets[each[0]].stack.version, each[1]) == wanted
        ]
        return alike[0] if len(alike) == 1 else None

    def _definition(self, version: Version, logical_id: str) -> tuple[Any, Any]:
        definition = version.template.resources[logical_id]
        return definition["Type"], definition.get("Properties")

    def _changes(self, name: str) -> Iterator[str]:
        """What of a stack's resources would not be as it is; each takes what stands beside."""
        target, region = self.targets[name], self.targets[name].stack.region
        try:
            for logical_id, resource in target.version.resources.items():
                wanted = self._blueprints[name].resource(logical_id)
                moved = target.came[logical_id] != (name, logical_id)
                schema = schema_of(resource.type, region)
                tags = None if schema is None else schema.tag_property
                changed = set(difference(resource, wanted, region).properties) - {tags}
                if wanted.type != resource.type or (moved and resource.type == STACK_TYPE):
                    yield f"Resource {name}.{logical_id} cannot be a moved {resource.type}"
                elif changed:
                    yield (
                        f"Resource {name}.{logical_id}: {', '.join(sorted(changed))} would change, "
                        "which no refactor does"
                    )
                wanted.properties, wanted.kept = resource.properties, resource.kept
                resource.take(wanted)
            target.version.outputs = self._outputs_of(name)
            target.version.imports = sorted(self._imported[name])
        except Refused as error:
            yield f"Stack [{name}]: {error}"

    def _lost_exports(self) -> Iterator[str]:
        """Exports that would be gone and that other stacks import."""
        new = {
            (each.export, each.value) for found in self._outputs.values() for each in found.values()
        }
        for target in self.targets.values():
            for output in target.stack.version.outputs.values():
                if output.export is None or (output.export, output.value) in new:
                    continue
                users = self._exports.importers(target.stack.region, output.export)
                others = [name for name in users if name not in self.targets]
                if others:
                    yield (
                        f"Export {output.export} cannot be deleted as it is in use by "
                        f"{' and '.join(others)}"
                    )

    def _outputs_of(self, name: str) -> dict[str, Output]:
        if name not in self._outputs:
            self._outputs[name] = {}  # while it is worked out: outputs may import
            self._outputs[name] = self._blueprints[name].outputs()
        return self._outputs[name]

    def _import(self, importer: str, name: str) -> str:
        """An export's value: of a stack that is refactored, else of any."""
        self._imported[importer].add(name)
        for each in self.targets:
            for output in self._outputs_of(each).values():
                if output.export == name:
                    return output.value
        others = self._exports.all(self.targets[importer].stack.region)
        for stack, output in others:
            if output.export == name and stack.name not in self.targets:
                return output.value
        raise validation_error(f"No export named {name} found")


def _mappings(asked: Values) -> dict[Place, Place]:
    """The source of each destination, as given."""
    return {
        _place(each["Destination"]): _place(each["Source"])
        for each in asked.get("ResourceMappings", [])
    }


def _place(written: Mapping[str, str]) -> Place:
    return written["StackName"], written["LogicalResourceId"]


def _written(place: Place) -> dict[str, str]:
    return {"StackName": place[0], "LogicalResourceId": place[1]}
