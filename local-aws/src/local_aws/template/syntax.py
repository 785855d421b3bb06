"""How a template writes functions, and to which names it refers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from local_aws.template.values import TemplateError

PLACEHOLDER = re.compile(r"\$\{(!?)([^{}]+)\}")
"""A ``${name}`` in the text of Fn::Sub, or a ``${!literal}``."""

_MACROS = ("Fn::Transform", "Fn::ForEach::")


@dataclass(frozen=True)
class Reference:
    """One mention of a name: ``attribute`` is None for a Ref."""

    name: str
    attribute: str | None = None


def function_name(value: Any) -> str | None:
    """The function that an object calls, or None when it is plain data.

    A macro may have data beside it; it makes something else of the whole object.
    """
    if not isinstance(value, dict):
        return None
    if len(value) == 1:
        (key,) = value
        return key if isinstance(key, str) and (key == "Ref" or key.startswith("Fn::")) else None
    for key in value:
        if isinstance(key, str) and key.startswith(_MACROS):
            return key
    return None


def attribute_reference(argument: Any) -> tuple[str, Any]:
    """The logical id and attribute of a ``Fn::GetAtt``, in its list or dotted form.

    Raises `TemplateError` where it is neither.
    """
    if isinstance(argument, str) and "." in argument:
        logical_id, attribute = argument.split(".", 1)
        return logical_id, attribute
    if isinstance(argument, list) and len(argument) >= 2 and isinstance(argument[0], str):
        rest = argument[1:]
        joined = ".".join(rest) if all(isinstance(part, str) for part in rest) else rest[0]
        return argument[0], joined
    raise malformed("Fn::GetAtt")


def substitution(argument: Any) -> tuple[str, dict[Any, Any]]:
    """The text and the variables of a ``Fn::Sub``, in its list form or as text alone.

    Raises `TemplateError` where it is neither.
    """
    match argument:
        case str() as text:
            return text, {}
        case [str() as text, dict() as variables]:
            return text, variables
    raise malformed("Fn::Sub")


def references(value: Any) -> Iterator[Reference]:
    """Every Ref, Fn::GetAtt and ``${…}`` in a value, both branches of Fn::If included."""
    if isinstance(value, list):
        for item in value:
            yield from references(item)
    if not isinstance(value, dict):
        return
    match function_name(value):
        case "Ref" if isinstance(value["Ref"], str):
            yield Reference(value["Ref"])
        case "Fn::GetAtt":
            logical_id, attribute = attribute_reference(value["Fn::GetAtt"])
            if isinstance(attribute, str):
                yield Reference(logical_id, attribute)
            else:
                yield Reference(logical_id, "")
                yield from references(attribute)
        case "Fn::Sub":
            yield from _substitutions(value["Fn::Sub"])
        case _:
            for item in value.values():
                yield from references(item)


def needed(resource: Mapping[str, Any]) -> set[str]:
    """The names that a resource's definition mentions, its DependsOn included."""
    declared = resource.get("DependsOn", [])
    names = {reference.name for reference in references(resource.get("Properties"))}
    return names.union(declared if isinstance(declared, list) else [declared])


def short_form(loader: Any, tag: str, node: Any) -> dict[str, Any]:
    """What YAML's ``!tag value`` stands for: a multi-constructor of PyYAML's for ``!``."""
    deep = {} if node.id == "scalar" else {"deep": True}
    value = getattr(loader, f"construct_{node.id}")(node, **deep)
    if tag in ("Ref", "Condition"):
        return {tag: value}
    if tag == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {f"Fn::{tag}": value}


def malformed(name: str) -> TemplateError:
    """The answer to a function whose argument has not the shape that it takes."""
    if name == "Fn::Select":
        said = "Fn::Select requires a list argument with two elements: an integer index and a list"
    else:
        said = f"every {name} object requires {_ARGUMENTS[name]}"
    return TemplateError(f"Template error: {said}")


_LIST_OF_STRINGS = (
    "a list of strings to be joined or a function that returns a list of strings "
    "(such as Fn::GetAZs) to be joined."
)
_ARGUMENTS = {
    "Fn::And": "a list of 2 to 10 conditions",
    "Fn::Cidr": "a list of 2 or 3",
    "Fn::Contains": "a list and a value",
    "Fn::EachMemberEquals": "a list and a value",
    "Fn::EachMemberIn": "a list and a list",
    "Fn::Equals": "a list of 2 string parameters.",
    "Fn::FindInMap": "a map name and two keys",
    "Fn::GetAtt": "two non-empty parameters, the resource name and the resource attribute",
    "Fn::If": "a condition and two values",
    "Fn::Join": f"two parameters, (1) a string delimiter and (2) {_LIST_OF_STRINGS}",
    "Fn::Length": "a list",
    "Fn::Not": "a list of one condition",
    "Fn::Or": "a list of 2 to 10 conditions",
    "Fn::Split": "two parameters, (1) a string delimiter and (2) a string to be split or a "
    "function that returns a string to be split.",
    "Fn::Sub": "a string, or a string and a map of variables",
    "Ref": "a string",
}
"""What a function takes. CloudFormation's words are those of Equals, GetAtt, Join, Select and Split
(recorded by LocalStack's suite, 2025)."""


def unresolved_condition(name: str) -> TemplateError:
    """The answer to a Fn::If of a condition that is not declared."""
    return TemplateError(f"Template error: unresolved condition dependency {name} in Fn::If")


def _substitutions(argument: Any) -> Iterator[Reference]:
    text, variables = substitution(argument)
    yield from references(variables)
    for literal, inner in PLACEHOLDER.findall(text):
        name, dot, attribute = inner.strip().partition(".")
        if not literal and inner.strip() not in variables:
            yield Reference(name, attribute if dot else None)
