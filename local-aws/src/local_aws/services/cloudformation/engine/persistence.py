"""Stacks as JSON has them, for the next process."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter

from local_aws.services.cloudformation.engine.stacks import Stack, Stacks

_STACKS: TypeAdapter[list[Stack]] = TypeAdapter(list[Stack])


def export_stacks(stacks: Stacks) -> list[dict[str, Any]]:
    """Every stack with its versions, events and change sets, oldest first."""
    still = [_still(stack) for stack in stacks.every()]
    exported: list[dict[str, Any]] = _STACKS.dump_python(still, mode="json")
    return exported


def restore_stacks(stacks: Stacks, state: Any) -> None:
    """Put every stack of `export_stacks` into ``stacks``; ValueError when it is none."""
    for stack in _STACKS.validate_python(state):
        stacks.put(stack)


def _still(stack: Stack) -> Stack:
    """The stack with copies of what a deployment adds to and takes from meanwhile.

    pydantic-core ends the thread that it dumps in when a mapping changes under it. ``obsolete`` is
    read later than the resources, so that what moves there is saved at least once.
    """
    version = stack.version
    still = replace(version, resources=dict(version.resources))
    return replace(stack, version=still, change_sets=dict(stack.change_sets))
