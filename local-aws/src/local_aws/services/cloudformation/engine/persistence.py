"""Stacks as JSON has them, for the next process."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter

from local_aws.services.cloudformation.engine.stacks import Stack, Stacks

_STACK = TypeAdapter(Stack)
_STACKS: TypeAdapter[list[Stack]] = TypeAdapter(list[Stack])


def export_stacks(stacks: Stacks) -> list[dict[str, Any]]:
    """Every stack with its versions, events and change sets, oldest first."""
    return [_exported(stack) for stack in stacks.every()]


def restore_stacks(stacks: Stacks, state: Any) -> None:
    """Put every stack of `export_stacks` into ``stacks``; ValueError when it is none."""
    for stack in _STACKS.validate_python(state):
        stacks.put(stack)


def _exported(stack: Stack) -> dict[str, Any]:
    """The stack as JSON has it; once for one that is deleted, which changes no more."""
    if stack.last_export is not None:
        return stack.last_export
    is_deleted = stack.status == "DELETE_COMPLETE"
    exported: dict[str, Any] = _STACK.dump_python(_still(stack), mode="json")
    if is_deleted:
        stack.last_export = exported
    return exported


def _still(stack: Stack) -> Stack:
    """The stack with copies of what a deployment adds to and takes from meanwhile.

    pydantic-core ends the thread that it dumps in when a mapping changes under it. ``obsolete`` is
    read later than the resources, so that what moves there is saved at least once.
    """
    version = stack.version
    still = replace(version, resources=dict(version.resources))
    return replace(stack, version=still, change_sets=dict(stack.change_sets))
