"""Calls of services whose things a stack only keeps: what is asked of those cannot be answered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.resources import ResourceTypes
from local_aws.resources.base import Provider
from local_aws.resources.schemas import schema_of
from local_aws.services.cloudformation.engine.stacks import Resource, Stack, Stacks


def refuse_for_kept(stacks: Stacks, types: ResourceTypes, call: Call) -> None:
    """Raise `AwsError` for a call that would need what a stack of its region only keeps."""
    kept = list(_kept(stacks, call))
    if not kept:
        return
    named = set(_texts(call.parameters))
    for stack, resource in kept:
        service = resource.type.split("::")[1]
        if not types.carries_out(service) or _names(resource) & named:
            raise AwsError(
                "InvalidAction" if call.protocol == "query" else "UnknownOperationException",
                f"the local AWS does not offer {call.operation} of {call.service}: of stack "
                f"{stack.name} it only keeps {resource.logical_id} ({resource.type}), and does "
                "nothing by it",
            )


def _kept(stacks: Stacks, call: Call) -> Iterator[tuple[Stack, Resource]]:
    """Every resource of the call's service that is nothing but kept."""
    metadata = call.model.service_model.metadata
    names = {call.service, metadata.get("endpointPrefix"), metadata.get("signingName")}
    for stack in stacks.living(call.region):
        for resource in list(stack.version.resources.values()):
            if Provider.whole in resource.kept:
                schema = schema_of(resource.type, call.region)
                if schema is not None and schema.service_prefix in names:
                    yield stack, resource


def _names(resource: Resource) -> set[str]:
    """By what a call may name it: its id, and the parts of one that has several; its ARN."""
    texts = {value for value in resource.attributes.values() if isinstance(value, str)}
    arns = {text for text in texts if text.startswith("arn:")}
    return {resource.physical_id, *resource.physical_id.split("|"), *arns} - {""}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if _is_list(value) else ():
        yield from _texts(item)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)
