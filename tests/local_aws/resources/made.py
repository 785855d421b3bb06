"""Values of properties, made from the schemas of their types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from local_aws.schemas import Schema, schema_of
from tests.local_aws.aws import REGION


def made(type_name: str, place: str, **instead: Any) -> dict[str, Any]:
    """The properties of a type that have all there is at ``place``, and nothing beside it.

    ``instead`` are values by a property's name, where any would not do; None leaves it out.
    """
    schema = schema_of(type_name, REGION)
    assert schema is not None
    found: dict[str, Any] = _leading(schema, schema.document, place.split("."), instead)
    return found


def made_in(type_name: str, place: str, **instead: Any) -> Any:
    """The value at ``place`` itself, an item of it where it is a list."""
    value: Any = made(type_name, place, **instead)
    for name in place.split("."):
        value = value[name]
        value = value[0] if isinstance(value, list) else value
    return value


def _leading(schema: Schema, node: Any, place: list[str], instead: Mapping[str, Any]) -> Any:
    node = schema.resolved(node)
    if "items" in node:
        return [_leading(schema, node["items"], place, instead)]
    if not place:
        return _value(schema, node, "", instead)
    name, *rest = place
    within = node["properties"][name]
    if not rest:
        return {name: _value(schema, within, name, instead)}
    return {name: _leading(schema, within, rest, instead)}


def _value(schema: Schema, node: Any, name: str, instead: Mapping[str, Any]) -> Any:
    node = schema.resolved(node)
    if "items" in node:
        return [_value(schema, node["items"], name, instead)]
    if "properties" in node:
        return {
            each: instead[each] if each in instead else _value(schema, item, each, instead)
            for each, item in node["properties"].items()
            if instead.get(each, "") is not None
        }
    if "enum" in node:
        return node["enum"][-1]
    if node.get("type") == "boolean":
        return True
    if node.get("type") in ("integer", "number"):
        return node.get("minimum", 1) + 6
    return f"lost-{name}".lower() if node.get("type") == "string" else {"lost": name}
