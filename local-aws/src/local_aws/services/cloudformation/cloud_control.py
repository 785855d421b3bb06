"""Cloud Control API: one way to change a resource of any type, as ``cdk deploy --hotswap`` does."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import partial
from typing import Any
from uuid import uuid4

from local_aws import service
from local_aws.context import LocalContext
from local_aws.permissions.service import ServicePermissions
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.resources import ResourceTypes
from local_aws.resources.base import Request
from local_aws.services.cloudformation.engine.stacks import Resource, Stack, Stacks
from local_aws.services.cloudformation.engine.steps import reason_of

Answer = dict[str, Any]


class CloudControl(service.Service):
    """Resources that a stack has made, by their physical ids.

    What a stack did not make is refused: its properties are known to nobody. The stack keeps what
    its template says, so that the change is drift, as on AWS.
    """

    name = "cloudcontrol"
    whole = True
    permissions = ServicePermissions(prefix="cloudformation")

    def __init__(self, context: LocalContext, types: ResourceTypes, stacks: Stacks) -> None:
        self._context = context
        self._types = types
        self._stacks = stacks

    def actions(self) -> Mapping[str, service.Action]:
        """Reading and changing."""
        return {
            "GetResource": partial(self._do, self._get),
            "UpdateResource": partial(self._do, self._update),
        }

    def _do(self, action: Callable[[Stack, Resource, Call], Answer], call: Call) -> Answer:
        wanted = (call.parameters["TypeName"], call.parameters["Identifier"])
        for stack in self._stacks.living(call.region):
            for resource in list(stack.version.resources.values()):
                if (resource.type, resource.physical_id) == wanted:
                    return action(stack, resource, call)
        raise AwsError(
            "ResourceNotFoundException",
            f"no stack of the local AWS has a resource of type '{wanted[0]}' with identifier "
            f"'{wanted[1]}'",
        )

    def _get(self, stack: Stack, resource: Resource, call: Call) -> Answer:
        known = {**({} if resource.no_echo else resource.attributes), **resource.properties}
        description = {"Identifier": resource.physical_id, "Properties": json.dumps(known)}
        return {"TypeName": resource.type, "ResourceDescription": description}

    def _update(self, stack: Stack, resource: Resource, call: Call) -> Answer:
        provider = self._types.provider_of(resource.type, resource.kept)
        assert provider is not None, f"{resource.type} was deployed"
        properties = patched(resource.properties, call.parameters["PatchDocument"])
        try:
            provider.refuse_unchangeable(resource.properties, properties)
            provider.update(
                Request(
                    context=self._context,
                    region=stack.region,
                    stack_name=stack.name,
                    stack_id=stack.stack_id,
                    logical_id=resource.logical_id,
                    type_name=resource.type,
                    properties=properties,
                    previous=resource.properties,
                    physical_id=resource.physical_id,
                    attributes=resource.attributes,
                )
            )
        except Exception as error:
            raise AwsError("GeneralServiceException", reason_of(error)) from error
        progress = {
            "TypeName": resource.type,
            "Identifier": resource.physical_id,
            "RequestToken": str(uuid4()),
            "Operation": "UPDATE",
            "OperationStatus": "SUCCESS",
        }
        return {"ProgressEvent": progress}


def patched(properties: Mapping[str, Any], document: str) -> dict[str, Any]:
    """Properties after a JSON Patch (RFC 6902) of add, replace and remove.

    Raises AwsError ``ValidationException`` for what is no such patch or does not fit.
    """
    found: dict[str, Any] = deepcopy(dict(properties))
    try:
        for step in json.loads(document):
            *places, last = (_unescaped(each) for each in step["path"].split("/")[1:])
            holder: Any = found
            for place in places:
                holder = holder[int(place) if isinstance(holder, list) else place]
            _apply(holder, last, step)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise AwsError(
            "ValidationException",
            f"PatchDocument {document} does not fit the resource: {type(error).__name__}: {error}",
        ) from None
    return found


def _apply(holder: Any, last: str, step: Mapping[str, Any]) -> None:
    key: Any = last
    if isinstance(holder, list):
        key = len(holder) if last == "-" else int(last)
    match step["op"]:
        case "remove":
            del holder[key]
        case "add" if isinstance(holder, list):
            holder.insert(key, step["value"])
        case "add" | "replace":
            holder[key] = step["value"]
        case other:
            raise ValueError(f"op is {other}; add, replace and remove are known")


def _unescaped(token: str) -> str:
    return token.replace("~1", "/").replace("~0", "~")
