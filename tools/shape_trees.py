"""The names of properties, level by level: CloudFormation's resources and SageMaker's jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

RESOURCES = ("AWS::SageMaker::Model", "AWS::SageMaker::EndpointConfig", "AWS::SageMaker::Endpoint")
ACTIONS = ("CreateTransformJob", "CreateCompilationJob")

Tree = dict[str, Any]
"""A property's own properties; empty for values and for mappings with any keys."""


def resource_tree(schema: Mapping[str, Any], part: Mapping[str, Any] | None = None) -> Tree:
    """The tree of a CloudFormation resource schema, without what only the service sets."""
    here = schema if part is None else part
    if "$ref" in here:
        return resource_tree(schema, schema["definitions"][here["$ref"].rpartition("/")[2]])
    if "items" in here:
        return resource_tree(schema, here["items"])
    read_only = {path.rpartition("/")[2] for path in schema.get("readOnlyProperties", ())}
    return {
        name: resource_tree(schema, inner)
        for name, inner in sorted(here.get("properties", {}).items())
        if part is not None or name not in read_only
    }


def action_tree(shapes: Mapping[str, Any], name: str) -> Tree:
    """The tree of an API action's input."""
    shape = shapes[name]
    if shape["type"] == "list":
        return action_tree(shapes, shape["member"]["shape"])
    return {
        member: action_tree(shapes, inner["shape"])
        for member, inner in sorted(shape.get("members", {}).items())
    }
