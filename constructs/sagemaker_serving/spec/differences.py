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
    other sets to its default does not differ. Entries that have a name
    (variants) are compared by it, whatever their order.
    """
    return list(_compared("", _plain(left), _plain(right)))


def _compared(path: str, left: Any, right: Any) -> Iterator[Difference]:
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        for key in dict.fromkeys([*left, *right]):
            deeper = f"{path}.{key}" if path else str(key)
            yield from _compared(deeper, left.get(key), right.get(key))
    elif left != right:
        yield Difference(path=path, left=left, right=right)


def _plain(value: Any) -> Any:
    """Mappings and single values only: named entries by their name, models by their fields."""
    if isinstance(value, BaseModel):
        fields = ((name, getattr(value, name)) for name in type(value).model_fields)
        return {name: _plain(field) for name, field in fields if field is not None}
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list) and value and all(_name(entry) is not None for entry in value):
        return {_name(entry): _plain(entry) for entry in value}
    return [_plain(entry) for entry in value] if isinstance(value, list) else value


def _name(entry: Any) -> str | None:
    name = getattr(entry, "name", None)
    return name if isinstance(name, str) else None
