"""What a task of Step Functions can call, and the shapes of what AWS's API and templates take."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from sagemaker_serving.catalog.properties import Shape
from sagemaker_serving.catalog.snapshot import snapshot


def sdk_services() -> tuple[str, ...]:
    """The services that ``arn:aws:states:::aws-sdk:<service>:<action>`` can name.

    Source: botocore's service models.
    """
    facts = snapshot("actions")
    return (*facts["services"], *facts["others"])


def sdk_actions(service: str) -> tuple[str, ...]:
    """A service's actions as its API names them (``CreateModel``); () for one not judged.

    Source: botocore's service models.
    """
    return tuple(snapshot("actions")["services"].get(service, ()))


_RESOURCES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "AWS::SageMaker::Model": (("CreateModel",), ()),
    "AWS::SageMaker::EndpointConfig": (("CreateEndpointConfig",), ("ProductionVariants",)),
    "AWS::SageMaker::Endpoint": (("CreateEndpoint", "UpdateEndpoint"), ("EndpointConfigName",)),
    "AWS::SageMaker::InferenceComponent": (("CreateInferenceComponent",), ("EndpointName",)),
    "AWS::ApplicationAutoScaling::ScalableTarget": (("RegisterScalableTarget",), ()),
    "AWS::ApplicationAutoScaling::ScalingPolicy": (("PutScalingPolicy",), ("PolicyName",)),
}
"""The actions that make and change each resource, and which of their needs its template meets:
names are CloudFormation's to make up, and a policy's target may be referred to."""


def action_input(action: str) -> str | None:
    """The shape of the input of an action (``CreateTransformJob``), or None for one not judged."""
    name: str | None = snapshot("actions")["inputs"].get(action)
    return name


def has_shape(resource_type: str) -> bool:
    """Whether a resource type of CloudFormation's is an action's input."""
    return resource_type in _RESOURCES


def shape(name: str) -> Mapping[str, Any]:
    """The shape of this name, which a member of another has; that of a type without bounds.

    A structure has ``members`` and ``required``, a list what it is a list ``of``, a map its
    ``keys`` and ``values``; of a scalar there is its ``type``, ``enum``, ``pattern``, ``min`` and
    ``max``, its length if it is a text. A resource type has its actions' members but Tags. Source:
    botocore's service models.
    """
    if name in _RESOURCES:
        actions, required = _RESOURCES[name]
        inputs = [shape(snapshot("actions")["inputs"][action]) for action in actions]
        members = {key: of for each in inputs for key, of in each["members"].items()}
        members.pop("Tags", None)  # which CloudFormation writes in its own form
        return {"members": members, "required": required}
    found: Mapping[str, Any] = snapshot("actions")["shapes"].get(name, {"type": name})
    return found


@cache
def action_parameters(action: str) -> Mapping[str, Shape] | None:
    """The parameters of a SageMaker action (``CreateTransformJob``) by name, or None."""
    name = action_input(action)
    members = {} if name is None else shape(name)["members"]
    return {key: _tree(of) for key, of in members.items()} if members else None


def resource_members(resource_type: str) -> Mapping[str, Shape]:
    """The properties of a resource that `has_shape`, by the actions that make it."""
    return {key: _tree(of) for key, of in shape(resource_type)["members"].items()}


def _tree(name: str) -> Shape:
    known = shape(name)
    if "members" in known:
        return {key: _tree(inner) for key, inner in known["members"].items()}
    if "of" in known:
        return [_tree(known["of"])]
    return "object" if "values" in known else known.get("type", "string")
