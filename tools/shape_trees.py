"""What properties of CloudFormation's resources are called, and of what type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

RESOURCES = tuple(
    f"AWS::SageMaker::{name}"
    for name in ("Model", "EndpointConfig", "Endpoint", "InferenceComponent")
)

Shape = Any
"""A mapping of properties, a list of one shape, or the name of a type as JSON Schema has it."""


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
