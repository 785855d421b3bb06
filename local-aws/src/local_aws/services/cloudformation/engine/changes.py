"""What a new version changes: of one resource, and of a whole stack before it is deployed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from local_aws.protocol import AwsError
from local_aws.schemas import is_custom, schema_of
from local_aws.services.cloudformation.engine.blueprint import Blueprint, NotDeployed, attribute_of
from local_aws.services.cloudformation.engine.parameters import MASK
from local_aws.services.cloudformation.engine.refusals import refuse
from local_aws.services.cloudformation.engine.stacks import STACK_TYPE, Resource, Version
from local_aws.services.cloudformation.engine.template import Template
from local_aws.template import Unknown, has_unknown, same

_KEPT_ATTRIBUTES = {
    "Metadata": "metadata",
    "DeletionPolicy": "deletion_policy",
    "UpdateReplacePolicy": "update_replace_policy",
}
"""What a resource has beside its properties, by the scope that a change set names."""

_AUTOMATIC = {
    "Target": {"Attribute": "Properties", "RequiresRecreation": "Never"},
    "Evaluation": "Dynamic",
    "ChangeSource": "Automatic",
}
"""The detail of every nested stack (AWS CloudFormation API reference, ResourceChangeDetail)."""

_POLICIES = ("DeletionPolicy", "UpdateReplacePolicy")


@dataclass(frozen=True)
class Difference:
    """How a resource that exists differs from what it is to be.

    ``properties`` are the top-level ones that change; ``replacing`` those of them that
    only a new physical resource can have; ``scope`` what else changes. ``automatic``: it is a
    nested stack, whose template may have changed where it lies.
    """

    properties: tuple[str, ...]
    replacing: tuple[str, ...]
    scope: tuple[str, ...]
    unfinished: bool
    automatic: bool = False

    @property
    def to_update(self) -> bool:
        """Whether the resource itself is to be changed."""
        return bool(self.properties or self.unfinished or self.automatic)

    @property
    def any(self) -> bool:
        """Whether there is anything to do."""
        return self.to_update or bool(self.scope)


def difference(current: Resource, wanted: Resource, region: str) -> Difference:
    """Compare a resource with what it is to be; a failed one is unfinished even when equal."""
    names = sorted(current.properties.keys() | wanted.properties.keys())
    changed = tuple(
        name
        for name in names
        if (name in current.properties) != (name in wanted.properties)
        or not same(current.properties[name], wanted.properties[name])
    )
    schema = schema_of(current.type, region)
    paths = [] if schema is None else schema.replacing(current.properties, wanted.properties)
    return Difference(
        changed,
        tuple(dict.fromkeys(path[0] for path in paths)),
        tuple(
            scope
            for scope, name in _KEPT_ATTRIBUTES.items()
            if getattr(current, name) != getattr(wanted, name)
        ),
        current.status.endswith("_FAILED"),
        current.type == STACK_TYPE,
    )


@dataclass(frozen=True)
class Change:
    """One resource that a deployment would add, modify, remove or import."""

    action: str
    current: Resource | None
    wanted: Resource | None
    differs: Difference | None = None
    concealed: frozenset[str] = frozenset()
    """Properties whose values are not to be shown."""

    @property
    def replacement(self) -> str | None:
        """True, False, or Conditional when only the deployment will know the new value."""
        if self.differs is None or self.wanted is None:
            return None
        if not self.differs.replacing:
            return "False"
        values = (self.wanted.properties.get(name) for name in self.differs.replacing)
        return "Conditional" if all(has_unknown(value) for value in values) else "True"

    @property
    def new_physical_resource(self) -> bool:
        """Whether the resource gets another physical id."""
        return self.action == "Add" or self.replacement in ("True", "Conditional")

    def described(self, *, with_values: bool) -> dict[str, Any]:
        """The change as DescribeChangeSet shows it."""
        one = self.current or self.wanted
        assert one is not None
        change: dict[str, Any] = {
            "Action": self.action,
            "PolicyAction": self._policy_action(),
            "LogicalResourceId": one.logical_id,
            "PhysicalResourceId": one.physical_id or None,
            "ResourceType": one.type,
            "Replacement": self.replacement,
            "Scope": self._scope(),
            "Details": self._details(with_values=with_values),
        }
        if with_values:
            change["BeforeContext"] = _context(self.current, self.concealed)
            change["AfterContext"] = _context(self.wanted, self.concealed)
        return {"Type": "Resource", "ResourceChange": change}

    def _policy_action(self) -> str | None:
        if self.action == "Remove" and self.current is not None:
            return "Delete" if self.current.deletion_policy == "Delete" else "Retain"
        if self.replacement == "True" and self.current is not None:
            kept = self.current.update_replace_policy != "Delete"
            return "ReplaceAndRetain" if kept else "ReplaceAndDelete"
        return None

    def _scope(self) -> list[str]:
        if self.differs is None:
            return []
        properties = [name for name in self.differs.properties if name != "Tags"]
        return [
            *(["Properties"] if properties or self.differs.automatic else []),
            *(["Tags"] if "Tags" in self.differs.properties else []),
            *self.differs.scope,
        ]

    def _details(self, *, with_values: bool) -> list[dict[str, Any]]:
        if self.differs is None or self.current is None or self.wanted is None:
            return []
        details = [
            self._property_detail(name, self.current, self.wanted, with_values)
            for name in self.differs.properties
        ]
        details += [
            {
                "Target": {"Attribute": scope, "RequiresRecreation": "Never"},
                "Evaluation": "Static",
                "ChangeSource": "DirectModification",
            }
            for scope in self.differs.scope
        ]
        if self.differs.automatic:
            details.append(_AUTOMATIC)
        return details

    def _property_detail(
        self, name: str, current: Resource, wanted: Resource, with_values: bool
    ) -> dict[str, Any]:
        assert self.differs is not None
        dynamic = has_unknown(wanted.properties.get(name))
        recreated = name in self.differs.replacing
        target: dict[str, Any] = {
            "Attribute": "Tags" if name == "Tags" else "Properties",
            "Name": name,
            "RequiresRecreation": (
                "Never" if not recreated else "Conditionally" if dynamic else "Always"
            ),
            "Path": f"/Properties/{name}",
        }
        if with_values:
            before = _concealed(current.properties, self.concealed).get(name)
            after = _concealed(wanted.properties, self.concealed).get(name)
            target["BeforeValue"] = _shown(before)
            target["AfterValue"] = _shown(after)
            target["AttributeChangeType"] = (
                "Add" if before is None else "Remove" if after is None else "Modify"
            )
        return {
            "Target": target,
            "Evaluation": "Dynamic" if dynamic else "Static",
            "ChangeSource": "ResourceReference" if dynamic else "DirectModification",
        }


class ReferencesAsPlanned:
    """References during a plan: what a deployment would leave as it is, is known.

    ``find_export`` gives what another stack exports by a name, None when nothing does.
    """

    def __init__(
        self, resources: Mapping[str, Resource], find_export: Callable[[str], str | None]
    ) -> None:
        self._resources = resources
        self._find_export = find_export
        self._expected: dict[str, Change | None] = {}
        self._missing_exports: list[str] = []

    def expect(self, logical_id: str, change: Change | None) -> None:
        """What will happen to a resource, None for nothing: what comes after may refer to it."""
        self._expected[logical_id] = change

    def ref(self, logical_id: str) -> Any:
        """The physical id, unknown for what is yet to be made."""
        new = self._is_new(logical_id)
        return Unknown(logical_id) if new else self._resources[logical_id].physical_id

    def attribute(self, logical_id: str, name: str) -> Any:
        """The attribute, unknown for what is yet to be made."""
        if self._is_new(logical_id):
            return Unknown(logical_id)
        change = self._expected[logical_id]
        if change is not None and change.differs is not None and change.wanted is not None:
            if change.differs.automatic and change.differs.properties:
                return Unknown(logical_id)
            changed = set(change.differs.properties) & change.wanted.properties.keys()
            if name in changed:
                return change.wanted.properties[name]
        try:
            return attribute_of(self._resources[logical_id], name)
        except AwsError:  # one that there is not: the deployment will fail by it, the plan does not
            return Unknown(logical_id)

    def imported(self, name: str) -> Any:
        """The export's value, unknown when there is none yet: it may be there in time."""
        value = self._find_export(name)
        if value is not None:
            return value
        self._missing_exports.append(name)
        return Unknown()

    def missed_exports(self, importer: str) -> list[tuple[str, str]]:
        """The names that nothing exported since this was last asked, each with who imports it."""
        missed, self._missing_exports = self._missing_exports, []
        return [(importer, name) for name in missed]

    def conceals(self, logical_id: str) -> bool:
        """Whether the resource, as it is, said that its attributes are not to be shown."""
        return logical_id in self._resources and self._resources[logical_id].no_echo

    def _is_new(self, logical_id: str) -> bool:
        if logical_id not in self._expected:
            raise NotDeployed(logical_id)
        change = self._expected[logical_id]
        if change is None:
            return False
        # What a custom resource will be called, and have, is known to its provider alone.
        custom = change.wanted is not None and is_custom(change.wanted.type)
        return custom or change.new_physical_resource


class ReferencesOfRemoved:
    """References of what a plan takes away: a change set shows no value of theirs (recorded by
    LocalStack's suite, 2025)."""

    def ref(self, logical_id: str) -> Any:
        """Unknown."""
        return Unknown(logical_id)

    def attribute(self, logical_id: str, name: str) -> Any:
        """Unknown."""
        return Unknown(logical_id)

    def conceals(self, logical_id: str) -> bool:
        """No: there is nothing to conceal."""
        return False


@dataclass
class Plan:
    """Everything that a deployment would change.

    ``missing_exports`` are names that no stack exports yet, each with the resource, or
    Outputs, that imports it: values that only the deployment may find.
    """

    changes: list[Change] = field(default_factory=list)
    missing_exports: list[tuple[str, str]] = field(default_factory=list)
    outputs_change: bool = False
    settings_change: bool = False

    @property
    def empty(self) -> bool:
        """Whether there is nothing to deploy."""
        return not (self.changes or self.outputs_change or self.settings_change)

    def refuse_missing_exports(self) -> None:
        """Raise AwsError ``ValidationError`` when what is imported is not there."""
        refuse(f"No export named {name} found" for _, name in self.missing_exports)


def plan(
    old: Version,
    new: Version,
    before: Blueprint,
    blueprint: Blueprint,
    as_planned: ReferencesAsPlanned,
    region: str,
) -> Plan:
    """Compare a stack with what a new version would make of it, making nothing.

    ``before`` is the stack's own blueprint, with `ReferencesOfRemoved` for its references. Raises
    AwsError ``ValidationError`` where a value of the template cannot be evaluated, or a type
    is changed.
    """
    found = Plan()
    for logical_id in blueprint.graph.order():
        change = _change(
            old.resources.get(logical_id),
            blueprint.resource(logical_id),
            region,
            _concealed_names(blueprint, (old.template, new.template), logical_id),
        )
        as_planned.expect(logical_id, change)
        found.missing_exports += as_planned.missed_exports(logical_id)
        if change is not None:
            found.changes.append(change)
    found.changes += [
        Change("Remove", _as_written(resource, before), None)
        for logical_id, resource in old.resources.items()
        if logical_id not in blueprint.resources
    ]
    found.outputs_change = old.outputs != blueprint.outputs()
    found.missing_exports += as_planned.missed_exports("Outputs")
    found.settings_change = (
        old.tags != new.tags
        or old.notification_arns != new.notification_arns
        or _written_policies(old.template) != _written_policies(new.template)
    )
    return found


def _as_written(resource: Resource, blueprint: Blueprint) -> Resource:
    """A resource with the properties that its template alone tells."""
    if resource.logical_id not in blueprint.resources:
        return resource
    return replace(resource, properties=blueprint.resource(resource.logical_id).properties)


def _written_policies(template: Template) -> dict[str, tuple[Any, ...]]:
    """Which resources have policies: one that says the default is not one that is absent."""
    return {
        logical_id: tuple(definition.get(name) for name in _POLICIES)
        for logical_id, definition in template.resources.items()
    }


def _change(
    current: Resource | None, wanted: Resource, region: str, concealed: frozenset[str]
) -> Change | None:
    if current is None or current.status == "CREATE_FAILED":
        return Change("Add", None, wanted, concealed=concealed)
    differs = difference(current, wanted, region)
    return Change("Modify", current, wanted, differs, concealed) if differs.any else None


def _concealed_names(
    blueprint: Blueprint, templates: Iterable[Template], logical_id: str
) -> frozenset[str]:
    """The properties of a resource, as either template has them, that may not be shown."""
    return frozenset(
        name
        for template in templates
        for name, value in (template.resources.get(logical_id, {}).get("Properties") or {}).items()
        if blueprint.conceals(value)
    )


def _concealed(properties: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: MASK if name in names else value for name, value in properties.items()}


def _context(resource: Resource | None, concealed: frozenset[str]) -> str | None:
    if resource is None:
        return None
    context: dict[str, Any] = {"Properties": _concealed(resource.properties, concealed)}
    if resource.metadata:
        context["Metadata"] = resource.metadata
    return json.dumps(context, default=str)


def _shown(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Unknown):
        return str(value)
    return json.dumps(value, default=str)
