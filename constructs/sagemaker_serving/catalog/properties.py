"""Which properties CloudFormation and SageMaker's API know, by name."""

from __future__ import annotations

from typing import Any

from sagemaker_serving.catalog.snapshot import snapshot

Tree = dict[str, Any]
"""A property's own properties by name; empty for plain values and free mappings."""


def sagemaker_resource_types() -> tuple[str, ...]:
    """CloudFormation's resource types of SageMaker (``AWS::SageMaker::Model`` and others).

    Source: cfn-lint's copy of CloudFormation's registry, read 2026-11-21.
    """
    return tuple(snapshot("properties")["types"])


def resource_properties(resource_type: str) -> Tree | None:
    """The properties of a resource type, or None for one that is not judged.

    Source: cfn-lint's copy of CloudFormation's registry, read 2026-11-21.
    """
    tree: Tree | None = snapshot("properties")["resources"].get(resource_type)
    return tree


def action_parameters(action: str) -> Tree | None:
    """The parameters of a SageMaker action (``CreateTransformJob``), or None.

    Source: botocore's service model, read 2026-11-21.
    """
    tree: Tree | None = snapshot("properties")["actions"].get(action)
    return tree
