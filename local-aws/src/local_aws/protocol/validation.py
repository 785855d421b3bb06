"""What a service accepts: every input is held against botocore's model of its API first.

botocore itself checks types, required members and minima only; the service
checks everything its model says, and answers all that is wrong at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import regex

from local_aws.protocol import AwsError


def validate(shape: Any, parameters: Mapping[str, Any], code: str = "ValidationException") -> None:
    """Raise `AwsError` unless ``parameters`` are what an operation's input ``shape`` accepts.

    A value of the wrong type is a SerializationException; everything else has
    ``code``, in AWS's words: ``1 validation error detected: Value 'x' at
    'endpointName' failed to satisfy constraint: …``.
    """
    _refuse(list(_structure(shape, parameters, "")), code)


def known_members(shape: Any, value: Any) -> Any:
    """``value`` without what its shape does not have, which most services leave unread."""
    if isinstance(value, dict) and shape.type_name == "structure":
        members = shape.members
        return {
            name: known_members(members[name], each)
            for name, each in value.items()
            if name in members
        }
    if isinstance(value, list) and shape.type_name == "list":
        return [known_members(shape.member, each) for each in value]
    if isinstance(value, dict) and shape.type_name == "map":
        return {name: known_members(shape.value, each) for name, each in value.items()}
    return value


def require_members(shape: Any, parameters: Mapping[str, Any], code: str) -> None:
    """Raise `AwsError` ``code`` unless every required member of a structure is there, and all
    that is there of its type."""
    list(_structure(shape, known_members(shape, parameters), ""))
    _refuse(list(_absent(shape, parameters, "")), code)


def _refuse(faults: Sequence[str], code: str) -> None:
    if faults:
        errors = "1 validation error" if len(faults) == 1 else f"{len(faults)} validation errors"
        raise AwsError(code, f"{errors} detected: {'; '.join(faults)}")


def _faults(shape: Any, value: object, path: str) -> Iterator[str]:
    match shape.type_name:
        case "structure":
            yield from _structure(shape, value, path)
        case "list":
            yield from _list(shape, value, path)
        case "map":
            yield from _map(shape, value, path)
        case _:
            yield from _scalar(shape, value, path)


def _structure(shape: Any, value: object, path: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        raise _wrong_type(value, path, "a Structure")
    for name, member in value.items():
        if name not in shape.members:
            known = ", ".join(shape.members)
            yield _fault(member, _join(path, name), f"Member must be one of [{known}]")
        elif member is not None:
            yield from _faults(shape.members[name], member, _join(path, name))
    yield from _absent(shape, value, path)


def _absent(shape: Any, value: Mapping[str, Any], path: str) -> Iterator[str]:
    # No service takes a tag without a key, though some models say nothing of it.
    keys = [name for name in ("Key", "key") if name in shape.members and shape.name == "Tag"]
    for name in shape.required_members or keys:
        if value.get(name) is None:
            yield _fault(None, _join(path, name), "Member must not be null")


def _list(shape: Any, value: object, path: str) -> Iterator[str]:
    if not isinstance(value, list):
        raise _wrong_type(value, path, "a List")
    broken_length = list(_broken_length(shape, value))
    yield from (_fault(_as_text(shape, value), path, broken) for broken in broken_length)
    places = ((member, f"{path}.{number}.member") for number, member in enumerate(value, start=1))
    if shape.member.type_name not in _KINDS:
        for member, place in places:
            yield from _faults(shape.member, member, place)
    elif [broken for member, place in places for broken in _broken(shape.member, member, place)]:
        wanted = f"Member must satisfy constraint: [{_constraints(shape.member)}]"
        yield _fault(_as_text(shape, value), path, wanted)


def _map(shape: Any, value: object, path: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        raise _wrong_type(value, path, "a Map")
    yield from (_fault(value, path, broken) for broken in _broken_length(shape, value))
    parts: list[tuple[str, Any, Iterable[Any]]] = [("keys", shape.key, value.keys())]
    if shape.value.type_name in _KINDS:
        parts.append(("value", shape.value, value.values()))
    else:
        for key, item in value.items():
            yield from _faults(shape.value, item, f"{path}.{key}.member")
    for what, part, items in parts:
        if [broken for item in items for broken in _broken(part, item, path)]:
            wanted = f"Map {what} must satisfy constraint: [{_constraints(part)}]"
            yield _fault(_as_text(shape, value), path, wanted)


def _constraints(shape: Any) -> str:
    """All that a scalar in a list or a map must satisfy, broken or not, in AWS's order (recorded
    of Lambda and API Gateway by LocalStack's suite, 2025). Some say at the end that it must not be
    null, which no model knows."""
    known = shape.metadata
    if shape.type_name == "string":
        limits = {"max": "have length less", "min": "have length greater"}
    else:
        limits = {"max": "have value less", "min": "have value greater"}
    texts = [
        f"Member must {what} than or equal to {_number(shape, known[limit])}"
        for limit, what in limits.items()
        if limit in known
    ]
    if "pattern" in known:
        texts.append(_pattern_text(known["pattern"]))
    if known.get("enum"):
        texts.append(_enum_text(known["enum"]))
    return ", ".join(texts)


def _scalar(shape: Any, value: object, path: str) -> Iterator[str]:
    for constraint in _broken(shape, value, path):
        yield _fault(value, path, constraint)


def _broken(shape: Any, value: object, path: str) -> Iterator[str]:
    """The constraints of a string, number, boolean or time that the value breaks."""
    kind = _KINDS[shape.type_name]
    if not kind.accepts(value):
        raise _wrong_type(value, path, kind.name)
    if isinstance(value, str):
        yield from _broken_length(shape, value)
        yield from _broken_text(shape, value)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from _broken_range(shape, value)


def _broken_length(shape: Any, value: Any) -> Iterator[str]:
    least, most = shape.metadata.get("min"), shape.metadata.get("max")
    if least is not None and len(value) < least:
        yield f"Member must have length greater than or equal to {least}"
    if most is not None and len(value) > most:
        yield f"Member must have length less than or equal to {most}"


def _broken_range(shape: Any, value: float) -> Iterator[str]:
    least, most = shape.metadata.get("min"), shape.metadata.get("max")
    if least is not None and value < least:
        yield f"Member must have value greater than or equal to {least}"
    if most is not None and value > most:
        yield f"Member must have value less than or equal to {most}"


def _broken_text(shape: Any, value: str) -> Iterator[str]:
    pattern, allowed = shape.metadata.get("pattern"), shape.metadata.get("enum")
    if pattern is not None and _pattern(pattern).fullmatch(value) is None:
        yield _pattern_text(pattern)
    if allowed and value not in allowed:
        yield _enum_text(allowed)


def _pattern_text(pattern: str) -> str:
    return f"Member must satisfy regular expression pattern: {pattern}"


def _enum_text(allowed: Iterable[str]) -> str:
    return f"Member must satisfy enum value set: [{', '.join(allowed)}]"


@cache
def _pattern(pattern: str) -> Any:
    # Java writes what is beyond 16 bits as pairs.
    whole = pattern.replace(r"\uD800\uDC00-\uDBFF\uDFFF", r"\U00010000-\U0010FFFF")
    return regex.compile(whole)  # not re: patterns of tags name Unicode classes (\p{L})


class _Kind:
    def __init__(self, name: str, *types: type) -> None:
        self.name = name
        self._types = types

    def accepts(self, value: object) -> bool:
        if isinstance(value, bool):
            return bool in self._types
        if isinstance(value, float) and value.is_integer() and int in self._types:
            return True
        return isinstance(value, self._types)


_KINDS = {
    "string": _Kind("a String", str),
    "integer": _Kind("an Integer", int),
    "long": _Kind("a Long", int),
    "float": _Kind("a Float", int, float),
    "double": _Kind("a Double", int, float),
    "boolean": _Kind("a Boolean", bool),
    "timestamp": _Kind("a Timestamp", int, float, str, datetime),
    "blob": _Kind("a Blob", str, bytes),
}


def _wrong_type(value: object, path: str, wanted: str) -> AwsError:
    shown = json.dumps(value, default=str)
    return AwsError(
        "SerializationException", f"the value {shown} at '{path}' can not be converted to {wanted}"
    )


def _fault(value: object, path: str, constraint: str) -> str:
    shown = "null" if value is None else f"'{_shown(value)}'"
    return f"Value {shown} at '{path}' failed to satisfy constraint: {constraint}"


def _as_text(shape: Any, value: Any) -> str:
    """A value as AWS's services write it: ``[Tag(key=a, value=null)]``.

    That of Step Functions and of CloudWatch Logs was recorded by LocalStack's suite, 2025. What is
    not of the shape's type is shown as it is: that fault is told beside.
    """
    match value:
        case None:
            return "null"
        case dict() if shape.type_name == "structure":
            members = (
                f"{_join('', name)}={_as_text(each, value.get(name))}"
                for name, each in shape.members.items()
            )
            return f"{shape.name}({', '.join(members)})"
        case dict() if shape.type_name == "map":
            items = (f"{key}={_as_text(shape.value, each)}" for key, each in value.items())
            return f"{{{', '.join(items)}}}"
        case int() | float() if not isinstance(value, bool):
            return _number(shape, value)
        case list() if shape.type_name == "list":
            return f"[{', '.join(_as_text(shape.member, each) for each in value)}]"
        case _:
            return value if isinstance(value, str) else json.dumps(value, default=str)


def _number(shape: Any, value: float) -> str:
    """A number as AWS's services write it: 1.0 where the model has a double."""
    return str(float(value) if shape.type_name in ("double", "float") else value)


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _join(path: str, name: str) -> str:
    camel = name[:1].lower() + name[1:]
    return f"{path}.{camel}" if path else camel
