"""What a task of Step Functions can call, and the inputs of SageMaker's actions."""

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


def action_input(action: str) -> Mapping[str, Any] | None:
    """The input of a SageMaker action (``CreateTransformJob``), or None for one not judged.

    A structure has ``members`` and ``required``, a list what it is a list ``of``, a map its
    ``values``; of a scalar there is its ``type``, ``enum``, ``pattern``, ``min`` and ``max``, its
    length if it is a text. Source: botocore's service model.
    """
    name = snapshot("actions")["inputs"].get(action)
    return None if name is None else shape(name)


def shape(name: str) -> Mapping[str, Any]:
    """The shape of this name, which a member of another has; that of a type without bounds."""
    found: Mapping[str, Any] = snapshot("actions")["shapes"].get(name, {"type": name})
    return found


@cache
def action_parameters(action: str) -> Mapping[str, Shape] | None:
    """The parameters of a SageMaker action (``CreateTransformJob``) by name, or None."""
    known = action_input(action)
    return None if known is None else {name: _tree(of) for name, of in known["members"].items()}


def _tree(name: str) -> Shape:
    known = shape(name)
    if "members" in known:
        return {key: _tree(inner) for key, inner in known["members"].items()}
    if "of" in known:
        return [_tree(known["of"])]
    return "object" if "values" in known else known.get("type", "string")
