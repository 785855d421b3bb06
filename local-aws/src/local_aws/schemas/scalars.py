"""Types, texts and numbers: the keywords of a schema that look at one value alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

from local_aws.schemas.fault import Fault, Path, scrubbed
from local_aws.template import same

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


def scalar_faults(schema: Mapping[str, Any], value: Any, path: Path = ()) -> Iterator[Fault]:
    """What is wrong with a value itself, not with what is in it; of a wrong type that alone."""
    types = listed(schema.get("type", ()))
    if types and not any(is_of(kind, value) for kind in types):
        said = f"expected type: {_JAVA[types[0]]}, found: {_java_type(value)}"
        yield Fault(path, "type", said, value, schema)
        return
    for keyword in _keywords_broken(schema, value):
        yield Fault(path, keyword, scrubbed(keyword), value, schema)
    if is_of("string", value) and "string" in listed(schema.get("type", "string")):
        yield from _text_faults(schema, value, path)


def fits_text(schema: Mapping[str, Any], text: str) -> bool:
    """Whether a text is of the length and pattern that a schema wants."""
    return next(scalar_faults(schema, text), None) is None


def number_of(value: Any) -> float | None:
    """The number that a value is, or that its text writes with the digits 0 to 9; else None."""
    if isinstance(value, bool | dict | list) or not _NUMBER.fullmatch(str(value)):
        return None
    return float(value)


def is_of(kind: str, value: Any) -> bool:
    """Whether a value is of one of JSON's types, or text that CloudFormation reads as one."""
    match kind:
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str | bool | int | float)
        case "boolean":
            return str(value).lower() in ("true", "false")
        case "integer" | "number":
            number = number_of(value)
            return number is not None and (kind == "number" or number.is_integer())
        case "null":
            return value is None
        case _:
            return False


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern is found; one that cannot be read is taken for found."""
    compiled = _compiled(pattern)
    try:
        return compiled is None or compiled.search(text, timeout=1) is not None
    except TimeoutError:
        return True


def listed(value: Any) -> list[Any]:
    """A list as it is, anything else as a list of it."""
    return list(value) if isinstance(value, list | tuple) else [value]


def _keywords_broken(schema: Mapping[str, Any], value: Any) -> Iterator[str]:
    if "enum" in schema and not any(same(value, each) for each in schema["enum"]):
        yield "enum"
    anyhow = [str(each).lower() for each in schema.get("enumCaseInsensitive", ())]
    if anyhow and str(value).lower() not in anyhow:
        yield "enum"
    if "const" in schema and not same(value, schema["const"]):
        yield "const"
    number = number_of(value)
    if number is not None and listed(schema.get("type", ())) != ["string"]:
        for keyword, holds in _RANGES.items():
            if keyword in schema and not holds(number, schema[keyword]):
                yield keyword


def _text_faults(schema: Mapping[str, Any], value: Any, path: Path) -> Iterator[Fault]:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    length = _length(schema, text)
    if length < schema.get("minLength", 0):
        said = f"expected minLength: {schema['minLength']}, actual: {length}"
        yield Fault(path, "minLength", said, value, schema)
    if length > schema.get("maxLength", length):
        said = f"expected maxLength: {schema['maxLength']}, actual: {length}"
        yield Fault(path, "maxLength", said, value, schema)
    if "pattern" in schema and not matches(schema["pattern"], text):
        yield Fault(path, "pattern", scrubbed("pattern"), value, schema)


def _length(schema: Mapping[str, Any], text: str) -> int:
    """In characters; of JSON without what only makes it readable."""
    if schema.get("format") == "json":
        with suppress(ValueError, RecursionError):
            return len(json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False))
    return len(text)


_RANGES: Mapping[str, Callable[[float, float], bool]] = {
    "minimum": lambda value, limit: value >= limit,
    "maximum": lambda value, limit: value <= limit,
    "exclusiveMinimum": lambda value, limit: value > limit,
    "exclusiveMaximum": lambda value, limit: value < limit,
    "multipleOf": lambda value, limit: abs(value / limit - round(value / limit)) < 1e-9,
}

_JAVA = {
    "string": "String",
    "integer": "Integer",
    "number": "Number",
    "boolean": "Boolean",
    "object": "JSONObject",
    "array": "JSONArray",
    "null": "Null",
}
"""JSON's types as Java, in which CloudFormation judges them, calls them."""


def _java_type(value: Any) -> str:
    names = {"str": "String", "bool": "Boolean", "int": "Integer", "float": "BigDecimal"}
    return {**names, "dict": "JSONObject", "list": "JSONArray"}.get(type(value).__name__, "Null")


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    import regex  # here, since who judges no pattern may not have it

    try:
        return regex.compile(pattern)
    except regex.error:
        return None
