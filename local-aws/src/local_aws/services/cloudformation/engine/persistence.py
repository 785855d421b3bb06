"""Stacks as JSON has them, for the next process."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from local_aws.services.cloudformation.engine.stacks import Stack, Stacks

_STACKS: TypeAdapter[list[Stack]] = TypeAdapter(list[Stack])


def export_stacks(stacks: Stacks) -> list[dict[str, Any]]:
    """Every stack with its versions, events and change sets, oldest first."""
    exported: list[dict[str, Any]] = _STACKS.dump_python(stacks.every(), mode="json")
    return exported


def restore_stacks(stacks: Stacks, state: Any) -> None:
    """Put every stack of `export_stacks` into ``stacks``; ValueError when it is none."""
    for stack in _STACKS.validate_python(state):
        stacks.put(stack)
