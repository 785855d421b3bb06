"""A template's text as a document: JSON or YAML, with YAML's short forms spelled out."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import yaml

from local_aws.services.cloudformation.engine.refusals import format_error, validation_error
from local_aws.template import FOR_EACH, short_form

LIMITS = {"Resources": 500, "Parameters": 200, "Outputs": 200, "Mappings": 200}
"""Entries a section may have (AWS CloudFormation quotas page)."""

LANGUAGE_EXTENSIONS = "AWS::LanguageExtensions"

_SECTIONS = frozenset(
    {
        "AWSTemplateFormatVersion",
        "Conditions",
        "Description",
        "Mappings",
        "Metadata",
        "Outputs",
        "Parameters",
        "Resources",
        "Rules",
        "Transform",
    }
)
_RESOURCE_KEYS = frozenset(
    {
        "Condition",
        "CreationPolicy",
        "DeletionPolicy",
        "DependsOn",
        "Metadata",
        "Properties",
        "Type",
        "UpdatePolicy",
        "UpdateReplacePolicy",
    }
)


@dataclass(frozen=True)
class Template:
    """One template: the text as it was sent and the document it says."""

    body: str
    document: dict[str, Any]

    @cached_property
    def resources(self) -> dict[str, dict[str, Any]]:
        """Every resource by logical id, conditions not yet judged; no loops, nor what is yet to
        be included."""
        return dict(_entries(self.section("Resources")))

    @property
    def parameters(self) -> dict[str, dict[str, Any]]:
        """The declared parameters by name."""
        return self.section("Parameters")

    @property
    def conditions(self) -> dict[str, Any]:
        """The declared conditions by name."""
        return self.section("Conditions")

    @property
    def mappings(self) -> dict[str, Any]:
        """The mappings by name."""
        return self.section("Mappings")

    @property
    def outputs(self) -> dict[str, dict[str, Any]]:
        """The declared outputs by name."""
        return self.section("Outputs")

    @property
    def rules(self) -> dict[str, dict[str, Any]]:
        """The assertions on parameters by rule name."""
        return self.section("Rules")

    @property
    def description(self) -> str | None:
        """The template's own description, or None."""
        return self.document.get("Description")

    @property
    def is_transformed(self) -> bool:
        """Whether a transform may make something else of it."""
        return bool(self.transforms) or "Fn::Transform" in self.body or "!Transform" in self.body

    @cached_property
    def transforms(self) -> tuple[str, ...]:
        """The macros it asks for, by name."""
        declared = self.document.get("Transform", [])
        items = declared if isinstance(declared, list) else [declared]
        return tuple(item["Name"] if isinstance(item, dict) else item for item in items)

    def section(self, name: str) -> dict[str, Any]:
        """A section of the document, empty when the template has none."""
        section: dict[str, Any] = self.document.get(name, {})
        return section


EMPTY = Template("", {})
"""What a stack has before its first template."""


@lru_cache(maxsize=64)
def parse(body: str) -> Template:
    """Read a template.

    Raises AwsError ``ValidationError`` ("Template format error: …") when the text is
    neither JSON nor YAML, or has not the shape of a template.
    """
    document = load(body)
    if not isinstance(document, dict):
        raise format_error("unsupported structure.")
    _refuse_nulls(document, "")
    unknown = sorted(str(key) for key in document if key not in _SECTIONS)
    if unknown:
        raise format_error(f"Invalid template property or properties [{', '.join(unknown)}]")
    if not isinstance(document.get("Resources", {}), dict):
        raise format_error("Any Resources member must be an object.")
    for section in sorted(_SECTIONS - {"AWSTemplateFormatVersion", "Description", "Transform"}):
        if not isinstance(document.get(section, {}), dict):
            raise format_error(f"Every {section} member must be an object.")
    for section, most in LIMITS.items():
        count = len(document.get(section, {}))
        if count > most:
            raise format_error(
                f"Number of {section.lower()}, {count}, is greater than maximum allowed, {most}"
            )
    template = Template(body, document)
    loops = LANGUAGE_EXTENSIONS in template.transforms
    for kind in ("Parameter", "Resource"):
        for name in document.get(f"{kind}s", {}):
            if not str(name).isalnum() and not (loops and str(name).startswith(FOR_EACH)):
                raise format_error(f"{kind} name {name} is non alphanumeric.")
    _check_mappings(dict(_entries(document.get("Mappings", {}))))
    if not document.get("Resources"):
        raise format_error("At least one Resources member must be defined.")
    _check_resources(template.resources)
    for _, output in _entries(document.get("Outputs", {})):
        if not isinstance(output, dict) or "Value" not in output:
            raise format_error("Every Outputs member must contain a Value object")
    return template


def _entries(section: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """A section's members, without those that a transform is yet to make."""
    for name, definition in section.items():
        included = isinstance(definition, dict) and "Fn::Transform" in definition
        if not included and not str(name).startswith("Fn::"):
            yield name, definition


def _check_mappings(mappings: dict[str, Any]) -> None:
    """A mapping has two levels of keys; a value is no function and no object."""
    for name, mapping in mappings.items():
        for key, row in {name: mapping, **_members(mapping)}.items():
            if not isinstance(row, dict):
                raise format_error(f"Every Mappings member {key} must be a map")
        if any(isinstance(value, dict) for row in mapping.values() for value in row.values()):
            raise format_error("Every Mappings attribute must be a String or a List.")


def _members(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _check_resources(resources: dict[str, Any]) -> None:
    for logical_id, resource in resources.items():
        if not isinstance(resource, dict):
            raise format_error("Any Resources member must be an object.")
        if not isinstance(resource.get("Type"), str):
            raise format_error(
                f"[/Resources/{logical_id}] Every Resources object must contain a Type member."
            )
        unknown = sorted(set(resource) - _RESOURCE_KEYS)
        if unknown:
            raise validation_error(f"Invalid template resource property '{unknown[0]}'")
        if not isinstance(resource.get("Properties", {}), dict):
            raise format_error(f"[/Resources/{logical_id}/Properties] must be an object")


def _refuse_nulls(value: Any, place: str) -> None:
    items: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, item in items:
        if item is None:
            raise validation_error(f"[{place}/{key}] 'null' values are not allowed in templates")
        _refuse_nulls(item, f"{place}/{key}")


def load(body: str) -> Any:
    """What a template's text says, or that of a part of one.

    Raises AwsError ``ValidationError`` for what is neither JSON nor YAML.
    """
    try:
        return json.loads(body)
    except json.JSONDecodeError as error:
        not_json = f"JSON not well-formed. (line {error.lineno}, column {error.colno})"
    try:
        return yaml.load(body, Loader=_TemplateLoader)
    except yaml.YAMLError as error:
        if body.lstrip().startswith("{"):
            raise format_error(not_json) from None
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise format_error(f"YAML not well-formed.{place}") from None


class _TemplateLoader(yaml.CSafeLoader):
    """YAML as CloudFormation reads it: dates stay text, ``!Sub`` means ``Fn::Sub``."""


def _mapping(loader: _TemplateLoader, node: yaml.MappingNode) -> dict[Hashable, Any]:
    """A mapping whose keys are each given once, as CloudFormation demands of YAML."""
    mapping = loader.construct_mapping(node, deep=True)
    if len(mapping) != len(node.value):
        raise yaml.MarkedYAMLError(problem="duplicate key", problem_mark=node.start_mark)
    return mapping


_TemplateLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
_TemplateLoader.add_multi_constructor("!", short_form)
_TemplateLoader.add_constructor("tag:yaml.org,2002:map", _mapping)
