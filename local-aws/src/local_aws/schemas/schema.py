"""What CloudFormation's own resource schemas say, as cfn-lint ships them.

The files are read by path: importing cfn-lint takes a second and is not needed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from local_aws.schemas.fault import Fault
from local_aws.schemas.judge import Judge
from local_aws.template import Unknown, function_name, same


def data_folder() -> Path:
    """The folder. Raises ModuleNotFoundError without cfn-lint."""
    spec = find_spec("cfnlint")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(
            "cfn-lint is not installed: CloudFormation's resource schemas are read from it; "
            "install the extra 'run' of local-aws, or 'check' of sagemaker-serving"
        )
    return Path(spec.submodule_search_locations[0]) / "data"


Path_ = tuple[str, ...]
"""A property's place: ``("EncryptionConfiguration", "KmsKey")``; ``*`` is any list item."""

Place = tuple[str, ...]
"""A property's place by names alone: what is in a list's items is in the list."""

_ABSENT = object()
_OBJECT = {"type": "object", "additionalProperties": False}


@dataclass(frozen=True)
class Schema:
    """One resource type: its properties and how they may change."""

    type_name: str
    document: dict[str, Any]

    @property
    def properties(self) -> dict[str, Any]:
        """The top-level properties' own schemas by name, read-only ones included."""
        properties: dict[str, Any] = self.document["properties"]
        return properties

    @cached_property
    def create_only(self) -> tuple[Path_, ...]:
        """The properties whose change needs a new physical resource.

        Those that only sometimes do are taken for it: a new one is never wrong.
        """
        conditional = self._paths("conditionalCreateOnlyProperties")
        return self._paths("createOnlyProperties") + conditional

    @cached_property
    def read_only(self) -> frozenset[str]:
        """The top-level attributes that only the service sets."""
        return frozenset(path[0] for path in self._paths("readOnlyProperties") if len(path) == 1)

    @cached_property
    def write_only(self) -> frozenset[str]:
        """The top-level properties that no service tells, or not all of."""
        return frozenset(path[0] for path in self._paths("writeOnlyProperties"))

    @cached_property
    def identifier(self) -> tuple[str, ...]:
        """The properties that name a resource of this type."""
        return tuple(path[0] for path in self._paths("primaryIdentifier"))

    @cached_property
    def tag_property(self) -> str | None:
        """The property that holds the tags, or None for what has no tags."""
        tagging = self.document.get("tagging") or {}
        if not tagging.get("taggable", self.document.get("taggable", False)):
            return None
        name: str = tagging.get("tagProperty", "/properties/Tags").removeprefix("/properties/")
        return name if name in self.properties else None

    @cached_property
    def tags_are_a_map(self) -> bool:
        """Whether tags are ``{key: value}`` rather than a list of Key and Value; some schemas take
        them as text, too, or do not say."""
        return (
            self.tag_property is not None
            and self.resolved(self.properties[self.tag_property]).get("type") != "array"
        )

    @cached_property
    def tag_switches(self) -> list[str]:
        """What a tag of the list must say beside Key and Value: PropagateAtLaunch of an Auto
        Scaling group's, which is true of a stack's tags."""
        tags = self.resolved(self.properties[self.tag_property or ""])
        needed = self.resolved(tags.get("items") or {}).get("required", ())
        return [name for name in needed if name not in ("Key", "Value")]

    def replacing(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Path_]:
        """The create-only properties that differ between two sets of properties."""
        return [
            path for path in self.create_only if not same_values(_at(old, path), _at(new, path))
        ]

    def places(self, properties: Mapping[str, Any]) -> list[Place]:
        """The places of the properties that are given, each after the one that it is in.

        Free-form values, maps and what a function still has to give have none within.
        """
        found = self._within(self.document, dict(properties), ())
        return list(dict.fromkeys(found))

    def every_place(self) -> list[Place]:
        """The places of all properties that a template may give, each after what it is in."""
        return [
            place
            for place in dict.fromkeys(self._beneath(self.document, (), ()))
            if place[0] not in self.read_only
            and not any(place[: len(each)] == each for each in self._set_by_service)
        ]

    def _beneath(self, schema: Any, place: Place, above: tuple[Any, ...]) -> Iterator[Place]:
        if not isinstance(schema, dict) or schema in above:  # what contains itself is told once
            return
        resolved = self.resolved(schema)
        for name, item in (resolved.get("properties") or {}).items():
            yield (*place, name)
            yield from self._beneath(item, (*place, name), (*above, schema))
        yield from self._beneath(resolved.get("items"), place, (*above, schema))

    def _within(self, schema: Mapping[str, Any], value: Any, place: Place) -> Iterator[Place]:
        schema = self.resolved(schema)
        for item in value if isinstance(value, list) else ():
            yield from self._within(schema.get("items") or {}, item, place)
        if isinstance(value, dict) and function_name(value) is None:
            known = schema.get("properties") or {}
            for name, item in value.items():
                if name in known:
                    yield (*place, name)
                    yield from self._within(known[name], item, (*place, name))

    def problems(self, properties: Mapping[str, Any], *, whole: bool = False) -> list[str]:
        """Unknown and missing properties at any depth, in CloudFormation's words.

        ``whole``: and whatever else the schema says of their values. Values that a function still
        has to give are not judged. What only the service sets is no problem: it is left out, see
        `without_read_only`.
        """
        given = self.without_read_only(properties)
        found = self.judge(whole=whole).faults(self._of_properties, given)
        return list(dict.fromkeys(map(str, found)))

    def without_read_only(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        """The properties without what only the service sets.

        CloudFormation passes over it in silence (aws-cloudformation/cloudformation-resource-schema,
        issue 102, by a maintainer, open since 2020). Whether its validation before
        a deployment, which is younger, does so is unverified.
        """
        kept: dict[str, Any] = _without(self._set_by_service, dict(properties), ())
        return kept

    def faults(self, properties: Any) -> Iterator[Fault]:
        """Whatever is wrong with properties, forms of ids and ARNs included, one by one."""
        return self.judge(formats=True).faults(self._of_properties, properties)

    def judge(self, *, whole: bool = True, formats: bool = False) -> Judge:
        """What judges values of this type, as `Judge` has it."""
        return Judge(self.resolved, self._set_by_service, whole=whole, formats=formats)

    @cached_property
    def _set_by_service(self) -> frozenset[Place]:
        """The read-only places, but for what the schema wants given nevertheless."""
        required = self.document.get("required", [])
        return frozenset(place for place in self.read_only_places if place[0] not in required)

    @property
    def _of_properties(self) -> dict[str, Any]:
        return {**_OBJECT, **self.document}

    @cached_property
    def read_only_places(self) -> frozenset[Place]:
        """The places of all that only the service sets."""
        paths = self._paths("readOnlyProperties")
        return frozenset(tuple(name for name in path if name != "*") for path in paths)

    def resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """A property's own schema, where another place of the document has it."""
        reference = schema.get("$ref")
        if reference is None:
            return schema
        node: Any = self.document
        for step in reference.removeprefix("#/").split("/"):
            node = node.get(step, {})
        return self.resolved(node) if isinstance(node, dict) else {}

    @cached_property
    def service_prefix(self) -> str:
        """IAM's name of the service that makes resources of this type: ``ecs``.

        It is read of the permissions that making one needs; without any, of the type's name.
        """
        _, own, last = self.type_name.split("::")
        create = (self.document.get("handlers") or {}).get("create") or {}
        needed = [each.partition(":") for each in create.get("permissions", ())]
        names = [name for name, _, _ in needed]
        of_this = [name for name, _, action in needed if last in action]
        alike = [name for name in names if name.lower().startswith(own[:3].lower())]
        found = alike or of_this or names or [own]
        name: str = max(found, key=found.count)
        return name.lower()

    def _paths(self, key: str) -> tuple[Path_, ...]:
        return tuple(
            tuple(path.removeprefix("/properties/").split("/"))
            for path in self.document.get(key) or ()
        )


def schema_of(type_name: str, region: str) -> Schema | None:
    """The schema of a type, or None when CloudFormation has no such type in the region.

    A custom resource has none: its properties and attributes are what its provider makes of them.
    """
    if is_custom(type_name):
        return None
    name = _types(region).get(type_name)
    return _schema(type_name, name) if name is not None else None


def is_custom(type_name: str) -> bool:
    """Whether a type is a custom resource's."""
    return type_name.startswith("Custom::") or type_name == "AWS::CloudFormation::CustomResource"


def same_values(old: Any, new: Any) -> bool:
    """Whether two evaluated values, each possibly absent, are the same."""
    return old is new if _ABSENT in (old, new) else same(old, new)


@lru_cache(maxsize=2)
def type_names(region: str) -> list[str]:
    """Every type that CloudFormation has in a region, or AWS SAM as ``sam``."""
    return sorted(_types(region))


def regions_of(type_name: str) -> tuple[str, ...]:
    """The regions in which CloudFormation has a type; ``sam`` for one of AWS SAM."""
    files = (data_folder() / "schemas" / "providers").glob("*.json")
    return tuple(sorted(file.stem for file in files if type_name in _types(file.stem)))


@lru_cache(maxsize=64)
def _types(region: str) -> dict[str, str]:
    file = data_folder() / "schemas" / "providers" / f"{region}.json"
    if not file.exists():
        file = data_folder() / "schemas" / "providers" / "us-east-1.json"
    types: dict[str, str] = json.loads(file.read_text())
    return types


@lru_cache(maxsize=256)
def _schema(type_name: str, name: str) -> Schema:
    folder = data_folder() / "schemas" / "resources"
    return Schema(type_name, json.loads((folder / f"{name}.json").read_text()))


def _without(places: frozenset[Place], value: Any, at: Place) -> Any:
    if isinstance(value, list):
        return [_without(places, item, at) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _without(places, item, (*at, name))
        for name, item in value.items()
        if (*at, name) not in places
    }


def _at(properties: Any, path: Path_) -> Any:
    """The value at ``path``; every item's value for a ``*``."""
    if not path:
        return properties
    first, *rest = path
    if first == "*" and isinstance(properties, list):
        return [_at(item, tuple(rest)) for item in properties]
    if not isinstance(properties, dict) or first not in properties:
        return properties if isinstance(properties, Unknown) else _ABSENT
    return _at(properties[first], tuple(rest))
