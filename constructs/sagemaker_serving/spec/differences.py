"""What two environments say differently, defaults included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from sagemaker_serving.spec.environment import Environment


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One value that differs: ``path`` as a reader says it, None where one side has nothing."""

    path: str
    left: Any
    right: Any


def differences(left: Environment, right: Environment) -> list[Difference]:
    """Every value that differs, in the order of the fields; equal ones are left out.

    Defaults count as written, so a field that one file leaves out and the
    other sets to its default does not differ. What one side has alone stands
    as its file says it, without defaults. Entries that have a name (variants) are compared by
    it, whatever their order.
    """
    return list(_compared("", left, right))


def _compared(path: str, left: Any, right: Any) -> Iterator[Difference]:
    lefts, rights = _members(left), _members(right)
    if lefts is not None and rights is not None:
        for key in dict.fromkeys([*lefts, *rights]):
            deeper = f"{path}.{key}" if path else str(key)
            yield from _compared(deeper, lefts.get(key), rights.get(key))
    elif left != right:
        yield Difference(path=path, left=_plain(left), right=_plain(right))


def _members(value: Any) -> Mapping[Any, Any] | None:
    """What is compared by itself: fields, entries by their key, or by their name."""
    match value:
        case BaseModel():
            return dict(value)
        case Mapping():
            return value
        case [*entries] if entries and all(_name(entry) is not None for entry in entries):
            return {_name(entry): entry for entry in entries}
    return None


def _plain(value: Any) -> Any:
    """As its file says it: mappings, lists and single values, without defaults."""
    members = _members(value)
    if members is None:
        return [_plain(entry) for entry in value] if isinstance(value, list) else value
    by_name = isinstance(value, list)
    said = value.model_fields_set if isinstance(value, BaseModel) else members.keys()
    return {
        key: {name: each for name, each in plain.items() if name != "name"} if by_name else plain
        for key, entry in members.items()
        if key in said
        for plain in [_plain(entry)]
    }


def _name(entry: Any) -> str | None:
    name = getattr(entry, "name", None)
    return name if isinstance(name, str) else None
