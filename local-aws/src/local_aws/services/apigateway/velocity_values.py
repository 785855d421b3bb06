"""What values are in Velocity's templates: compared, added, and what can be called of them.

Nothing leads from a value to its class: a name is a map's item or one of `_METHODS`.
Sources: as of `velocity`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

MAX_ITERATIONS = 1000
"""Of one #foreach (API Gateway developer guide, "Quotas for configuring and running a REST
API")."""


class TemplateError(Exception):
    """A template cannot be read or carried out; the message says where."""


def member(value: Any, name: Any, arguments: list[Any] | None) -> Any:
    """A map's or list's item; with arguments, what a method gives."""
    if isinstance(value, Mapping) and (arguments is None or callable(value.get(name))):
        found = value.get(name)
        return found if arguments is None else value[name](*arguments)
    if arguments is None:
        is_index = isinstance(value, list) and isinstance(name, int)
        return value[name] if is_index and -len(value) <= name < len(value) else None
    for kind, methods in _METHODS.items():
        if isinstance(value, kind) and name in methods:
            return methods[name](value, *arguments)
    return None


def as_text(value: Any) -> str:
    """A value as API Gateway prints it: maps as Java does, lists within as JSON (recorded by
    LocalStack's suite, 2024)."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Mapping():
            return "{" + ", ".join(f"{key}={as_text(item)}" for key, item in value.items()) + "}"
        case list():
            return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        case _:
            return str(value)


def is_true(value: Any) -> bool:
    """Everything but false and null (Velocity user guide, "Conditionals")."""
    return value is not None and value is not False


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, as texts at least."""
    return bool(one == other or as_text(one) == as_text(other))


def sum_of(one: Any, other: Any) -> Any:
    """The sum of numbers; with a text, both texts joined."""
    is_text = isinstance(one, str) or isinstance(other, str)
    return as_text(one) + as_text(other) if is_text else one + other


def quotient(one: Any, other: Any) -> Any:
    """Of whole numbers a whole one, towards zero."""
    whole = isinstance(one, int) and isinstance(other, int)
    return int(one / other) if whole else one / other


def numbers(first: int, last: int) -> list[int]:
    """All from ``first`` to ``last``, downwards too. Raises `TemplateError` for too many."""
    if abs(last - first) >= MAX_ITERATIONS:
        raise TemplateError(f"a range has {abs(last - first) + 1} items; {MAX_ITERATIONS} may be")
    step = 1 if last >= first else -1
    return list(range(first, last + step, step))


def _put(value: dict[str, Any], key: str, item: Any) -> Any:
    before = value.get(key)
    value[key] = item
    return before


def _add(value: list[Any], item: Any) -> bool:
    value.append(item)
    return True


def _set_item(value: list[Any], index: int, item: Any) -> Any:
    before, value[index] = value[index], item
    return before


def _entries(value: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for key, item in value.items():
        yield {"key": key, "value": item, "getKey": lambda k=key: k, "getValue": lambda v=item: v}


_METHODS: Mapping[Any, Mapping[str, Callable[..., Any]]] = {
    Mapping: {
        "get": lambda value, key: value.get(key),
        "put": _put,
        "putAll": lambda value, other: value.update(other),
        "remove": lambda value, key: value.pop(key, None),
        "containsKey": lambda value, key: key in value,
        "containsValue": lambda value, item: item in value.values(),
        "keySet": lambda value: list(value),
        "values": lambda value: list(value.values()),
        "entrySet": lambda value: list(_entries(value)),
        "size": len,
        "isEmpty": lambda value: not value,
        "toString": as_text,
    },
    list: {
        "get": lambda value, index: value[index],
        "set": _set_item,
        "add": _add,
        "contains": lambda value, item: item in value,
        "size": len,
        "isEmpty": lambda value: not value,
        "toString": as_text,
    },
    str: {
        "length": len,
        "isEmpty": lambda value: not value,
        "contains": lambda value, part: part in value,
        "startsWith": lambda value, part: value.startswith(part),
        "endsWith": lambda value, part: value.endswith(part),
        "indexOf": lambda value, part: value.find(part),
        "lastIndexOf": lambda value, part: value.rfind(part),
        "substring": lambda value, start, end=None: value[start:end],
        "replace": lambda value, old, new: value.replace(old, new),
        "replaceAll": lambda value, old, new: re.sub(old, re.sub(r"\$(\d)", r"\\\1", new), value),
        "matches": lambda value, pattern: re.fullmatch(pattern, value) is not None,
        "split": lambda value, pattern: re.split(pattern, value),
        "trim": lambda value: value.strip(),
        "toLowerCase": lambda value: value.lower(),
        "toUpperCase": lambda value: value.upper(),
        "equals": lambda value, other: value == other,
        "equalsIgnoreCase": lambda value, other: value.casefold() == str(other).casefold(),
        "concat": lambda value, other: value + other,
        "toString": lambda value: value,
    },
    object: {"toString": as_text, "equals": lambda value, other: same(value, other)},
}
"""What Java's own classes offer a template, as far as others were seen to use it."""
