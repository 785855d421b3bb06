"""Calls of services whose things a stack only keeps: what is asked of those cannot be answered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.resources import ResourceTypes
from local_aws.resources.base import Provider
from local_aws.schemas import schema_of
from local_aws.services.cloudformation.engine.stacks import Resource, Stack, Stacks


def refuse_for_kept(stacks: Stacks, types: ResourceTypes, call: Call, *, is_here: bool) -> None:
    """Raise `AwsError` for a call that would need what a stack of its region only keeps.

    ``is_here``: the local AWS brings the call's service; of one that it does not, and of which no
    type is carried out, that is every call.
    """
    kept = list(_kept(stacks, call))
    if not kept:
        return
    named = set(_texts(call.parameters))
    for stack, resource in kept:
        partly = is_here or types.carries_out(resource.type.split("::")[1])
        if not partly or _names(resource, call.region) & named:
            raise AwsError(
                "InvalidAction" if call.protocol == "query" else "UnknownOperationException",
                f"the local AWS does not offer {call.operation} of {call.service}: of stack "
                f"{stack.name} it only keeps {resource.logical_id} ({resource.type}), and does "
                "nothing by it",
            )


def _kept(stacks: Stacks, call: Call) -> Iterator[tuple[Stack, Resource]]:
    """Every resource of the call's service that is nothing but kept."""
    found = [
        (stack, resource)
        for stack in stacks.living(call.region)
        for resource in list(stack.version.resources.values())
        if resource.kept and Provider.whole in resource.kept
    ]
    if not found:
        return
    metadata = call.model.service_model.metadata
    names = {call.service, metadata.get("endpointPrefix"), metadata.get("signingName")}
    for stack, resource in found:
        schema = schema_of(resource.type, call.region)
        if schema is not None and schema.service_prefix in names:
            yield stack, resource


def _names(resource: Resource, region: str) -> set[str]:
    """By what a call may name it: its ARNs and its id, but no part of that which names another.

    An ``…Id`` that a template gives is another's: a gateway's, in what associates it.
    """
    schema = schema_of(resource.type, region)
    own = {value for value in resource.attributes.values() if isinstance(value, str)}
    names = () if schema is None else schema.identifier
    if len(names) == 1 and not names[0].endswith("Id"):
        own.add(str(resource.properties.get(names[0], "")))
    ids = {resource.physical_id, *resource.physical_id.split("|")} & own
    return (ids | {text for text in own if text.startswith("arn:")}) - {""}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if _is_list(value) else ():
        yield from _texts(item)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)
