"""The least that a type's schema takes, and each step from there to what it does not take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from local_aws.resources.patterns import text_like
from local_aws.schemas import Schema, fits_text

Step = tuple[str, dict[str, Any]]
"""What is wrong, in a word, and the properties that are."""


_TEXTS = (
    "My::Own::Hook",
    "1",
    "index.handler",
    "https://example.com/",
    "arn:aws:s3:::bucket",
    "arn:aws:iam::123456789012:role/role",
    "arn:aws:lambda:eu-west-1:123456789012:function:name",
)
"""Of patterns that look ahead, which nothing is made to."""


def least(schema: Schema) -> dict[str, Any]:
    """Properties of which none can be left out."""
    shape = {**schema.document, "type": "object", "properties": _settable(schema)}
    found: dict[str, Any] = _least(schema, shape, 0)
    return found


def violations(schema: Schema, properties: Mapping[str, Any]) -> Iterator[Step]:
    """Every one-step violation of the schema around properties that it takes."""
    whole = dict(properties)
    shape = {**schema.document, "type": "object", "properties": _settable(schema)}
    for what, value in _wrong(schema, shape, whole, at="#"):
        if isinstance(value, dict):
            yield what, value


def _settable(schema: Schema) -> dict[str, Any]:
    required = schema.document.get("required", ())
    return {
        name: shape
        for name, shape in schema.properties.items()
        if name not in schema.read_only or name in required
    }


def _least(schema: Schema, shape: Any, depth: int) -> Any:
    shape = schema.resolved(shape or {})
    found = _bare(schema, shape, depth)
    if depth > 8:
        return found
    for keyword in ("allOf", "anyOf", "oneOf"):
        for branch in _branches(schema, shape, keyword):
            merged = _with(schema, shape, branch, depth)
            if isinstance(found, dict) and isinstance(merged, dict):
                merged = {**found, **merged}
            if keyword == "allOf" or _taken(schema, shape, merged, keyword):
                found = merged
                if keyword != "allOf":
                    break
    if isinstance(found, dict):
        for keyword in ("requiredXor", "requiredOr"):
            names = shape.get(keyword) or ()
            if names and not any(name in found for name in names):
                found[names[0]] = _least(schema, shape["properties"][names[0]], depth + 1)
    return found


def _branches(schema: Schema, shape: Mapping[str, Any], keyword: str) -> list[Any]:
    """The shapes that a keyword combines; of a choice also each with one more property."""
    given = [schema.resolved(each) for each in shape.get(keyword, ())]
    if keyword == "allOf":
        return given
    more = [
        {**each, "required": [*each.get("required", ()), name]}
        for each in given
        for name in each.get("properties", ())
    ]
    return given + more


def _with(schema: Schema, shape: Mapping[str, Any], branch: Any, depth: int) -> Any:
    """The least of a shape that is also what one branch of it says."""
    branch = schema.resolved(branch)
    plain = {key: each for key, each in shape.items() if key not in ("allOf", "anyOf", "oneOf")}
    properties = {**(shape.get("properties") or {})}
    for name, each in (branch.get("properties") or {}).items():
        own = schema.resolved(properties.get(name, {}))
        properties[name] = {**own, **schema.resolved(each)}
    both = {
        **plain,
        **branch,
        "properties": properties,
        "required": [*shape.get("required", ()), *branch.get("required", ())],
    }
    if not properties:
        del both["properties"]
    return _least(schema, both, depth + 1)


def _taken(schema: Schema, shape: Mapping[str, Any], value: Any, keyword: str) -> bool:
    return not list(schema.judge().faults({keyword: shape[keyword]}, value))


def _bare(schema: Schema, shape: Mapping[str, Any], depth: int) -> Any:
    if "const" in shape:
        return shape["const"]
    for keyword in ("enum", "enumCaseInsensitive"):
        if shape.get(keyword):
            return shape[keyword][0]
    kind = shape.get("type", "object" if "properties" in shape else "string")
    match kind if isinstance(kind, str) else kind[0]:
        case "boolean":
            return True
        case "integer" | "number":
            low = shape.get("minimum", 1)
            step = shape.get("multipleOf", 1)
            return min(-(-low // step) * step, shape.get("maximum", 10**12))
        case "array":
            leading = shape.get("prefixItems", ())
            count = max(shape.get("minItems", 0), len(leading))
            items = [_least(schema, each, depth + 1) for each in leading]
            for _ in range(200):
                if len(items) >= count or depth > 8:
                    break
                item = _least(schema, shape.get("items"), depth + 1)
                unique = not shape.get("uniqueItems") or item not in items
                items += [_differing(schema, shape, items) if not unique else item]
            return items
        case "object":
            inner = shape.get("properties") or {}
            names = [name for name in shape.get("required", ()) if depth <= 8]
            found = {name: _least(schema, inner.get(name), depth + 1) for name in names}
            patterns = shape.get("patternProperties") or {}
            for number in range(shape.get("minProperties", 0) - len(found)):
                if not inner and not patterns:
                    found[f"key{number}"] = "x"
                for pattern, each in patterns.items():
                    key = text_like({"pattern": pattern}, f"key{number}") or "key"
                    found[key] = _least(schema, each, depth + 1)
                for name in [name for name in inner if name not in found][:1]:
                    found[name] = _least(schema, inner[name], depth + 1)
            return found
        case _:
            return text_like(shape) or text_like(shape, *_TEXTS) or "x"


def _differing(schema: Schema, shape: Mapping[str, Any], items: list[Any]) -> Any:
    within = schema.resolved(shape.get("items") or {})
    others: list[Any] = [each for each in within.get("enum", ()) if each not in items]
    others += [
        {**items[0], name: _least(schema, each, 6)}
        for name, each in (within.get("properties") or {}).items()
        if isinstance(items[0], dict) and name not in items[0]
    ]
    return others[0] if others else f"{items[0]}{len(items)}"


def _wrong(schema: Schema, shape: Any, value: Any, *, at: str) -> Iterator[tuple[str, Any]]:
    """Values that are ``value`` but for one thing that its shape does not take."""
    shape = schema.resolved(shape or {})
    kind = shape.get("type")
    if isinstance(kind, str):
        yield f"{at} type", [{}] if kind != "array" else {"of": "another type"}
    if "enum" in shape and kind == "string":
        yield f"{at} enum", "no such value"
    if isinstance(value, dict):
        yield from _wrong_objects(schema, shape, value, at)
    elif isinstance(value, list):
        yield from _wrong_lists(schema, shape, value, at)
    elif kind in ("integer", "number"):
        if "maximum" in shape:
            yield f"{at} maximum", shape["maximum"] + 1
        if "minimum" in shape:
            yield f"{at} minimum", shape["minimum"] - 1
    elif kind == "string":
        if "maxLength" in shape and shape["maxLength"] < 100_000:
            yield f"{at} maxLength", "x" * (shape["maxLength"] + 1)
        if shape.get("minLength", 0) > 0:
            yield f"{at} minLength", ""
        if not fits_text({"pattern": shape.get("pattern", "")}, "\0 \u2603 {}"):
            yield f"{at} pattern", "\0 \u2603 {}"


def _wrong_objects(
    schema: Schema, shape: Mapping[str, Any], value: dict[str, Any], at: str
) -> Iterator[tuple[str, Any]]:
    for name in shape.get("required", ()):
        yield f"{at} required {name}", {key: each for key, each in value.items() if key != name}
    if shape.get("additionalProperties") is False and not shape.get("patternProperties"):
        yield f"{at} additionalProperties", {**value, "NoSuchProperty": "x"}
    for name, each in (shape.get("properties") or {}).items():
        if name in value:
            for what, wrong in _wrong(schema, each, value[name], at=f"{at}/{name}"):
                yield what, {**value, name: wrong}


def _wrong_lists(
    schema: Schema, shape: Mapping[str, Any], value: list[Any], at: str
) -> Iterator[tuple[str, Any]]:
    if len(value) == shape.get("minItems", 0) > 0:
        yield f"{at} minItems", value[:-1]
    if value and shape.get("uniqueItems"):
        yield f"{at} uniqueItems", [*value, deepcopy(value[0])]
    if value and shape.get("maxItems", 10**6) < 500:
        yield f"{at} maxItems", value[:1] * (shape["maxItems"] + 1)
    if value:
        for what, wrong in _wrong(schema, shape.get("items"), value[0], at=f"{at}/0"):
            yield what, [wrong, *value[1:]]
