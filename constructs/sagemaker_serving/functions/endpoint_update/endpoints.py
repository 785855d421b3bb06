"""Endpoints and their configs as SageMaker has them, and whether a stack is being taken back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sagemaker_serving.functions.custom_resource.clients import client, described

from .request import Request

_MOVING = ("Creating", "Updating", "SystemUpdating", "RollingBack")


def endpoint_named(name: str, *, deleting: bool = False) -> Mapping[str, Any] | None:
    """The endpoint; None where there is none, or where it is on its way out."""
    found = described("describe_endpoint", EndpointName=name)
    is_going = found is not None and found["EndpointStatus"] == "Deleting"
    return None if is_going and not deleting else found


def is_moving(endpoint: Mapping[str, Any]) -> bool:
    """Whether it is on its way to a state that lasts."""
    return endpoint["EndpointStatus"] in _MOVING


def config_named(name: str) -> Mapping[str, Any]:
    """A config; nothing where it has gone, which UpdateEndpoint then says."""
    return described("describe_endpoint_config", EndpointConfigName=name) or {}


def serves_another(request: Request, endpoint: Mapping[str, Any]) -> bool:
    """Whether it serves neither what an Update leaves nor what it wants, nor the latter's like.

    The former commit has the same content under new names: nothing is at stake there, and the
    stack says what serves again. Where the name does not tell that, what SageMaker says of both
    is compared; that it says the same of the same content is unverified.
    """
    serving = endpoint["EndpointConfigName"]
    if serving in (request.former_config, request.config) or request.has_content_of(serving):
        return False
    return bool(_content(serving) != _content(request.config))


def is_taken_back(stack: str) -> bool:
    """Whether the stack is in any of its ROLLBACK states, clean-up included (CloudFormation user
    guide, "Stack status codes")."""
    (found,) = client("cloudformation").describe_stacks(StackName=stack)["Stacks"]
    return "ROLLBACK" in found["StackStatus"]


def _content(config: str) -> Any:
    """What a config says, with its Models' content in the place of their names."""
    return {
        kind: (
            [{**each, "ModelName": _model(each.get("ModelName"))} for each in value]
            if kind.endswith("ProductionVariants")
            else value
        )
        for kind, value in _asked("CreateEndpointConfig", config_named(config)).items()
    }


def _model(name: str | None) -> Any:
    found = None if name is None else described("describe_model", ModelName=name)
    return name if found is None else _asked("CreateModel", found)


def _asked(operation: str, found: Mapping[str, Any]) -> Mapping[str, Any]:
    """What was asked for, without its name: SageMaker adds more, which two of the same content
    differ in, as a Model's DeploymentRecommendation (botocore, DescribeModel)."""
    takes = client("sagemaker").meta.service_model.operation_model(operation).input_shape.members
    names = ("EndpointConfigName", "ModelName")
    return {kind: found[kind] for kind in takes if kind in found and kind not in names}
