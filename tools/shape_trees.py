"""What properties are called and of what type: CloudFormation's resources and SageMaker's jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

RESOURCES = tuple(
    f"AWS::SageMaker::{name}"
    for name in ("Model", "EndpointConfig", "Endpoint", "InferenceComponent")
)

Shape = Any
"""A mapping of properties, a list of one shape, or the name of a type as JSON Schema has it."""

_TYPES = {"map": "object", "float": "number", "double": "number", "long": "integer"}
"""What botocore calls otherwise."""


def resource_tree(schema: Mapping[str, Any], part: Mapping[str, Any] | None = None) -> Shape:
    """The shape of a CloudFormation resource schema, without what only the service sets."""
    here = schema if part is None else part
    if "$ref" in here:
        return resource_tree(schema, schema["definitions"][here["$ref"].rpartition("/")[2]])
    if "items" in here:
        return [resource_tree(schema, here["items"])]
    if "properties" not in here:
        kind = here["type"]
        return kind[0] if isinstance(kind, list) else kind
    read_only = {path.rpartition("/")[2] for path in schema.get("readOnlyProperties", ())}
    return {
        name: resource_tree(schema, inner)
        for name, inner in sorted(here["properties"].items())
        if part is not None or name not in read_only
    }


def action_tree(shapes: Mapping[str, Any], name: str) -> Shape:
    """The shape of an API action's input."""
    shape = shapes[name]
    if shape["type"] == "list":
        return [action_tree(shapes, shape["member"]["shape"])]
    if shape["type"] != "structure":
        return _TYPES.get(shape["type"], shape["type"])
    return {
        member: action_tree(shapes, inner["shape"])
        for member, inner in sorted(shape["members"].items())
    }
