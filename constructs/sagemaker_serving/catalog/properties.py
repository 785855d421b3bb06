"""Which properties CloudFormation and SageMaker's API know, by name, and of what type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sagemaker_serving.catalog.snapshot import snapshot

Shape = Any
"""A mapping of properties, a list of one shape, or the name of a type as JSON Schema has it:
string, integer, number, boolean, or object for a free mapping."""


def sagemaker_resource_types() -> tuple[str, ...]:
    """CloudFormation's resource types of SageMaker (``AWS::SageMaker::Model`` and others).

    Source: cfn-lint's copy of CloudFormation's registry.
    """
    return tuple(snapshot("properties")["types"])


def resource_properties(resource_type: str) -> Mapping[str, Shape] | None:
    """The properties of a resource type, or None for one that is not judged.

    Source: cfn-lint's copy of CloudFormation's registry.
    """
    properties: Mapping[str, Shape] | None = snapshot("properties")["resources"].get(resource_type)
    return properties


def resource_attributes(resource_type: str) -> tuple[str, ...]:
    """What Fn::GetAtt can name of a resource type of SageMaker; () for one that is not judged.

    Its own members and those that only the service sets: documented attributes are of both.
    Source: cfn-lint's copy of CloudFormation's registry.
    """
    return tuple(snapshot("properties")["attributes"].get(resource_type, ()))


def member_paths(shape: Shape, above: str = "") -> Iterator[str]:
    """The path of each value in ``shape``, dotted; entries of a list have that of the list."""
    if isinstance(shape, list):
        yield from member_paths(shape[0], above)
    elif isinstance(shape, Mapping):
        for name, inner in shape.items():
            yield from member_paths(inner, f"{above}.{name}" if above else name)
    else:
        yield above
