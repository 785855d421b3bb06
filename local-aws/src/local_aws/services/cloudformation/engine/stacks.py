"""What is known of every stack: plain dataclasses that JSON can carry, and where they are kept."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Lock, RLock
from typing import Any, ClassVar
from uuid import uuid4

from local_aws.arn import arn_in
from local_aws.clock import iso
from local_aws.resources.base import Provider, physical_name
from local_aws.services.cloudformation.engine.parameters import MASK, Parameter
from local_aws.services.cloudformation.engine.refusals import PropertyProblem
from local_aws.services.cloudformation.engine.template import EMPTY, Template, parse

STACK_TYPE = "AWS::CloudFormation::Stack"
REVIEW_IN_PROGRESS = "REVIEW_IN_PROGRESS"
NAME_CHARACTERS = 128

CARRIED_OUT_KEPT = 20
"""A stack's change sets that can no longer be executed; AWS keeps every one."""

_DEPLOYING = ("CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "IMPORT_IN_PROGRESS")
_DEPLOYED = ("CREATE_COMPLETE", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "IMPORT_COMPLETE")
_GOING = ("DELETE_IN_PROGRESS", "ROLLBACK_IN_PROGRESS")

_history = Lock()
"""Held while a line of history is written, so that times and order agree."""


@dataclass
class Resource:
    """One physical resource of a stack.

    ``properties`` are evaluated, with ``{{resolve:…}}`` still as written so that no
    secret is kept; ``resolved`` are those in which it named a public value; ``needs`` are the
    logical ids that must outlive it; ``no_echo`` says that its attributes are not to be shown;
    ``drift`` is what was found when it was last compared with its service; ``kept`` names what is
    only kept of it, as `Provider.only_kept` does.
    """

    logical_id: str
    type: str
    physical_id: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    resolved: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    deletion_policy: str = "Delete"
    update_replace_policy: str = "Delete"
    needs: list[str] = field(default_factory=list)
    status: str = ""
    reason: str | None = None
    timestamp: str = ""
    no_echo: bool = False
    drift: dict[str, Any] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)

    @property
    def told(self) -> str | None:
        """What is only kept of it, as its status says when it is made."""
        if Provider.whole in self.kept:
            return f"the local AWS only keeps this, and does nothing that {self.type} does on AWS"
        names = ", ".join(self.kept)
        return f"the local AWS only keeps {names}, and does nothing by it" if names else None

    def take(self, wanted: Resource) -> None:
        """Become what ``wanted`` says, remaining the same physical resource."""
        self.properties = wanted.properties
        self.metadata = wanted.metadata
        self.deletion_policy = wanted.deletion_policy
        self.update_replace_policy = wanted.update_replace_policy
        self.needs = wanted.needs
        self.drift = {}
        self.kept = wanted.kept


@dataclass
class Event:
    """One line of a stack's history."""

    event_id: str
    logical_id: str
    physical_id: str
    type: str
    status: str
    reason: str | None
    timestamp: str
    operation_id: str
    token: str | None = None


@dataclass
class Output:
    """One output; ``export`` is the name it is exported by, or None; ``no_echo``: not shown."""

    key: str
    value: str
    description: str | None = None
    export: str | None = None
    no_echo: bool = False

    @property
    def shown(self) -> str:
        """The value as the API's answers have it."""
        return MASK if self.no_echo else self.value


@dataclass
class Version:
    """All that a deployment sets and a rollback restores.

    ``body`` is the template's text as it was sent, ``processed`` what its transforms made of
    it, None where there are none.
    """

    body: str = ""
    parameters: dict[str, Parameter] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    resources: dict[str, Resource] = field(default_factory=dict)
    outputs: dict[str, Output] = field(default_factory=dict)
    imports: list[str] = field(default_factory=list)
    capabilities: list[str] = field(default_factory=list)
    notification_arns: list[str] = field(default_factory=list)
    role_arn: str | None = None
    processed: str | None = None

    @property
    def template(self) -> Template:
        """The template that is deployed, parsed."""
        return parse(self.processed or self.body) if self.body else EMPTY

    def copy(self) -> Version:
        """The same, sharing nothing that a deployment changes."""
        return deepcopy(self)


@dataclass
class ChangeSet:
    """A deployment that is planned, and what became of it.

    ``missing_values`` says why some of its changes lack values, which is told with the values.
    ``parent_id`` and ``root_id`` are the change sets that it is nested in; ``imported`` are
    physical ids, by logical id, of what it takes into the stack. ``invalid`` is what early
    validation has found.
    """

    name: str
    change_set_id: str
    type: str
    version: Version
    changes: list[dict[str, Any]]
    created: str
    status: str = "CREATE_COMPLETE"
    reason: str | None = None
    execution_status: str = "AVAILABLE"
    description: str | None = None
    on_failure: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    missing_values: str | None = None
    include_nested: bool = False
    parent_id: str | None = None
    root_id: str | None = None
    imported: dict[str, str] = field(default_factory=dict)
    invalid: list[PropertyProblem] = field(default_factory=list)

    @property
    def active(self) -> bool:
        """Whether it is still to be executed or deleted, and its name is taken."""
        return self.execution_status in ("AVAILABLE", "UNAVAILABLE")


@dataclass
class Stack:
    """One stack.

    ``stable`` is the version that a rollback returns to, kept from the start of an update
    until it or its rollback is complete; ``obsolete`` are physical resources that the
    running operation has yet to delete. ``on_failure`` is what a create does when it fails,
    ``retained`` the logical ids that a deletion lets go of; both are for an operation that
    another process has to finish. ``change_sets`` are by id; ``change_set_id`` names the one
    that made the stack what it is. ``deleted`` is when its last deletion began.

    A nested stack has the ids of its parent and of the outermost stack, and its ``logical_id`` in
    the parent; ``skipped`` are its resources that its next rollback leaves as they are.
    ``drift`` is the last detection, ``alias`` another name that it is found by.
    """

    name: str
    stack_id: str
    region: str
    created: str
    status: str = REVIEW_IN_PROGRESS
    reason: str | None = None
    updated: str | None = None
    deleted: str | None = None
    version: Version = field(default_factory=Version)
    stable: Version | None = None
    obsolete: list[Resource] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    change_sets: dict[str, ChangeSet] = field(default_factory=dict)
    change_set_id: str | None = None
    operation_id: str = ""
    token: str | None = None
    disable_rollback: bool = False
    on_failure: str = "ROLLBACK"
    retained: list[str] = field(default_factory=list)
    termination_protection: bool = False
    settings: dict[str, Any] = field(default_factory=dict)
    parent_id: str | None = None
    root_id: str | None = None
    logical_id: str | None = None
    skipped: list[str] = field(default_factory=list)
    drift: dict[str, Any] = field(default_factory=dict)
    alias: str | None = None

    _latest: ClassVar[str] = ""
    """When the last event of any stack was: a nested stack's come before its parent's next one."""

    def __post_init__(self) -> None:
        self.last_export: dict[str, Any] | None = None

    @property
    def busy(self) -> bool:
        """Whether an operation is under way."""
        return self.status.endswith("_IN_PROGRESS") and self.status != REVIEW_IN_PROGRESS

    @property
    def express(self) -> bool:
        """Whether its operation waits for nothing that becomes ready by itself."""
        return (self.settings.get("DeploymentConfig") or {}).get("Mode") == "EXPRESS"

    def change_set(self, name_or_id: str) -> ChangeSet | None:
        """The change set by its id, or the latest of that name."""
        for change_set in reversed(list(self.change_sets.values())):
            if name_or_id in (change_set.name, change_set.change_set_id):
                return change_set
        return None

    def first_failure(self) -> str | None:
        """The first resource that failed in the last operation, and why; None when none did."""
        for event in list(self.events):
            of_operation = event.operation_id == self.operation_id
            of_resource = event.physical_id != self.stack_id
            if of_operation and of_resource and event.status.endswith("_FAILED"):
                return f"{event.logical_id}: {event.reason}"
        return None

    def begin(self, token: str | None) -> None:
        """Give the events that follow a new operation's id."""
        self.operation_id = str(uuid4())
        self.token = token

    def carry_out(self, version: Version, change_set: ChangeSet | None) -> None:
        """Be that version, by a change set or without; all others are obsolete by it."""
        self.version = version
        for each in list(self.change_sets.values()):
            if each.active:
                each.execution_status = "OBSOLETE"
        self.change_set_id = None
        if change_set is not None:
            change_set.execution_status = "EXECUTE_IN_PROGRESS"
            self.change_set_id = change_set.change_set_id
        for change_set_id in list(self.change_sets)[:-CARRIED_OUT_KEPT]:
            del self.change_sets[change_set_id]

    def set_status(self, status: str, reason: str | None = None) -> None:
        """Move the stack to ``status`` and say so in its history."""
        event = self._record(self.name, self.stack_id, STACK_TYPE, status, reason)
        created_by_change_set = status == "CREATE_IN_PROGRESS" and self.change_set_id is not None
        if status == "UPDATE_IN_PROGRESS" or created_by_change_set:
            self.updated = event.timestamp
        if status not in _DEPLOYING:
            self._settle_change_set(status)
        if status in _GOING:
            self.deleted = event.timestamp
            self.change_set_id = None
        self.reason = reason
        self.status = status  # last: who finds DELETE_COMPLETE finds all that belongs to it

    def _settle_change_set(self, status: str) -> None:
        """The deployment of a change set has ended, as the stack's status says."""
        executed = self.change_sets.get(self.change_set_id or "")
        if executed is not None and executed.execution_status == "EXECUTE_IN_PROGRESS":
            executed.execution_status = (
                "EXECUTE_COMPLETE" if status in _DEPLOYED else "EXECUTE_FAILED"
            )

    def set_resource_status(
        self, resource: Resource, status: str, reason: str | None = None
    ) -> None:
        """Move a resource to ``status`` and say so in the stack's history."""
        resource.status, resource.reason = status, reason
        event = self._record(
            resource.logical_id, resource.physical_id, resource.type, status, reason
        )
        resource.timestamp = event.timestamp

    def _record(
        self,
        logical_id: str,
        physical_id: str,
        type_name: str,
        status: str,
        reason: str | None,
    ) -> Event:
        with _history:
            own = self.events[-1].timestamp if self.events else ""
            timestamp = Stack._latest = now(after=max(own, Stack._latest))
            of_resource = physical_id != self.stack_id
            event = Event(
                f"{logical_id}-{status}-{timestamp}" if of_resource else str(uuid4()),
                logical_id,
                physical_id,
                type_name,
                status,
                reason,
                timestamp,
                self.operation_id,
                self.token,
            )
            self.events.append(event)
        return event


class Stacks:
    """Every stack of every region; the deleted ones are found by their id alone."""

    def __init__(self) -> None:
        self.lock = RLock()
        self._by_id: dict[str, Stack] = {}

    def add(self, name: str, region: str, account_id: str) -> Stack:
        """A new stack in review, with an id of its own."""
        stack_id = arn_in(region, "cloudformation", account_id, f"stack/{name}/{uuid4()}")
        stack = Stack(name, stack_id, region, now())
        self.put(stack)
        return stack

    def add_nested(self, logical_id: str, parent: Stack, account_id: str) -> Stack:
        """A stack in review, nested in another: a new one, or what a change set has planned."""
        for planned in self.nested_in(parent):
            if planned.logical_id == logical_id and planned.status == REVIEW_IN_PROGRESS:
                return planned
        name = physical_name(parent.name, logical_id, NAME_CHARACTERS)
        stack = self.add(name, parent.region, account_id)
        stack.parent_id, stack.root_id = parent.stack_id, parent.root_id or parent.stack_id
        stack.logical_id = logical_id
        return stack

    def nested_in(self, parent: Stack) -> list[Stack]:
        """The living stacks whose parent it is."""
        return [each for each in self.living(parent.region) if each.parent_id == parent.stack_id]

    def family(self, stack: Stack) -> list[Stack]:
        """The living stacks that are nested in one another, with the one in which all are."""
        root = stack.root_id or stack.stack_id
        return [each for each in self.living(stack.region) if root in (each.stack_id, each.root_id)]

    def every(self) -> list[Stack]:
        """The stacks of every region, deleted ones too, oldest first."""
        with self.lock:
            return list(self._by_id.values())

    def put(self, stack: Stack) -> None:
        """Take a stack, one that another process has made, too."""
        with self.lock:
            self._by_id[stack.stack_id] = stack

    def remove(self, stack: Stack) -> None:
        """Forget a stack that never was: one made only for a change set."""
        self.remove_planned(stack)
        with self.lock:
            self._by_id.pop(stack.stack_id, None)

    def remove_planned(self, parent: Stack) -> None:
        """Forget what change sets would have nested in a stack."""
        for each in self.nested_in(parent):
            if each.status == REVIEW_IN_PROGRESS:
                self.remove(each)

    def find_by_id(self, stack_id: str) -> Stack | None:
        """The stack of any region, deleted or not."""
        return self._by_id.get(stack_id)

    def find(self, name_or_id: str, region: str) -> Stack | None:
        """The stack by its id (deleted or not), or the living one of that name or alias."""
        with self.lock:
            if name_or_id in self._by_id:
                return self._by_id[name_or_id]
            return next(
                (one for one in self.living(region) if name_or_id in (one.name, one.alias)), None
            )

    def living(self, region: str) -> Iterator[Stack]:
        """The region's stacks that are not deleted, newest first."""
        return (stack for stack in self.all(region) if stack.status != "DELETE_COMPLETE")

    def all(self, region: str) -> Iterator[Stack]:
        """The region's stacks, deleted ones too, newest first."""
        with self.lock:
            stacks = [stack for stack in self._by_id.values() if stack.region == region]
        return reversed(stacks)


def kept_of(stack: Stack) -> list[str]:
    """What is only kept of a stack, a line for each type: ``3 AWS::Glue::Job``, of what is carried
    out with the properties that are not: ``1 AWS::RDS::DBInstance (MonitoringInterval)``."""
    found: dict[str, list[Resource]] = {}
    for resource in list(stack.version.resources.values()):
        if resource.kept:
            found.setdefault(resource.type, []).append(resource)
    return [
        f"{len(resources)} {type_name}{_names(resources)}"
        for type_name, resources in sorted(found.items())
    ]


def _names(resources: list[Resource]) -> str:
    names = sorted({name for each in resources for name in each.kept} - {Provider.whole})
    return f" ({', '.join(names)})" if names else ""


def now(*, after: str = "") -> str:
    """The time as ISO 8601 with milliseconds, later than ``after`` so that events keep order."""
    stamp = datetime.now(UTC)
    if after:
        stamp = max(stamp, datetime.fromisoformat(after) + timedelta(milliseconds=1))
    return iso(stamp)
