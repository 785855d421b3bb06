"""Whether values are what a schema of CloudFormation's says, in CloudFormation's words.

CloudFormation judges by everit-org/json-schema, whose words these are, and says nothing of a value
itself: of keywords that would, "failed validation constraint for keyword [pattern]"
(aws-cloudformation/cloudformation-resource-schema, ``ValidationException``, read 2026-11-23).
Numbers and booleans may be written as text, and text as numbers, as in every template. Words for
the keywords that cfn-lint adds are JSON Schema's own for the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from local_aws.template import Unknown, function_name, same

Resolve = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""A schema, where another place of the document has it."""


class Judge:
    """Judges values by schemas of one document.

    ``read_only`` are places, by names alone, that only the service sets. Without ``whole`` only
    the names of properties are judged: those that must be there, and those that may not.
    """

    def __init__(
        self, resolve: Resolve, read_only: Iterable[tuple[str, ...]] = (), *, whole: bool = True
    ) -> None:
        self._resolve = resolve
        self._read_only = frozenset(read_only)
        self._whole = whole

    def problems(
        self, schema: Any, value: Any, at: str = "#", place: tuple[str, ...] = ()
    ) -> Iterator[str]:
        """What is wrong with a value; what a function still has to give is not judged."""
        if not isinstance(schema, Mapping) or not is_known(value):
            return
        schema = self._resolve(schema)
        if self._whole:
            types = _listed(schema.get("type", ()))
            if types and not any(_is_of(kind, value) for kind in types):
                yield f"{at}: expected type: {_JAVA[types[0]]}, found: {_java_type(value)}"
                return
            yield from _scalar_problems(schema, value, at)
        if isinstance(value, list):
            yield from self._of_list(schema, value, at, place)
        if isinstance(value, dict):
            yield from self._of_object(schema, value, at, place)
        if self._whole:
            yield from self._combined(schema, value, at, place)

    def _of_list(
        self, schema: Mapping[str, Any], value: list[Any], at: str, place: tuple[str, ...]
    ) -> Iterator[str]:
        leading = schema.get("prefixItems", ())  # of cfn-lint's: beside what all items must be
        for index, item in enumerate(value):
            yield from self.problems(schema.get("items"), item, f"{at}/{index}", place)
            if self._whole and index < len(leading):
                yield from self.problems(leading[index], item, f"{at}/{index}", place)
        if not self._whole or not all(is_known(item) for item in value):
            return
        if len(value) < schema.get("minItems", 0):
            yield f"{at}: expected minimum item count: {schema['minItems']}, found: {len(value)}"
        if len(value) > schema.get("maxItems", len(value)):
            yield f"{at}: expected maximum item count: {schema['maxItems']}, found: {len(value)}"
        keys = schema.get("uniqueKeys", ())
        told_apart = [
            [item.get(key, "") for key in keys] for item in value if isinstance(item, dict)
        ]
        if (schema.get("uniqueItems") and _repeated(value)) or (keys and _repeated(told_apart)):
            yield f"{at}: array items are not unique"

    def _of_object(
        self, schema: Mapping[str, Any], value: dict[str, Any], at: str, place: tuple[str, ...]
    ) -> Iterator[str]:
        known: Mapping[str, Any] = schema.get("properties") or {}
        patterns: Mapping[str, Any] = schema.get("patternProperties") or {}
        free = self._whole or not known or _is_combined(schema)
        others = schema.get("additionalProperties", free)
        for name in schema.get("required", ()):
            if name not in value:
                yield f"{at}: required key [{name}] not found"
        for name, item in value.items():
            inner = (*place, name)
            matching = [shape for pattern, shape in patterns.items() if _matches(pattern, name)]
            if inner in self._read_only or not (name in known or matching or others):
                yield f"{at}: extraneous key [{name}] is not permitted"
                continue
            shapes = [known[name]] if name in known else []
            shapes += matching or ([] if shapes else [others])
            for shape in shapes:
                yield from self.problems(shape, item, f"{at}/{name}", inner)
        if self._whole:
            yield from _size_problems(schema, value, at)
            yield from _dependency_problems(schema, value, at)
            for name, needed in (schema.get("dependencies") or {}).items():
                if name in value and isinstance(needed, Mapping):
                    yield from self.problems(needed, value, at, place)

    def _combined(
        self, schema: Mapping[str, Any], value: Any, at: str, place: tuple[str, ...]
    ) -> Iterator[str]:
        def fits(shape: Any) -> bool:
            return next(self.problems(shape, value, at, place), None) is None

        for keyword in ("allOf", "anyOf", "oneOf"):
            shapes = schema.get(keyword)
            if shapes is None:
                continue
            count = sum(fits(shape) for shape in shapes)
            if keyword == "allOf" and count < len(shapes):
                yield f"{at}: #: only {count} subschema matches out of {len(shapes)}"
                for shape in shapes:
                    yield from self.problems(shape, value, at, place)
            elif keyword != "allOf" and count == 0:
                yield f"{at}: #: no subschema matched out of the total {len(shapes)} subschemas"
            elif keyword == "oneOf" and count > 1 and is_known_whole(value):
                yield f"{at}: #: {count} subschemas matched instead of one"
        if "if" in schema and is_known_whole(value):
            yield from self.problems(
                schema.get("then" if fits(schema["if"]) else "else"), value, at, place
            )
        if "not" in schema and is_known_whole(value) and fits(schema["not"]):
            yield f"{at}: {_scrubbed('not')}"


def is_known(value: Any) -> bool:
    """Whether a value is there, rather than what a function or a service still has to give."""
    if isinstance(value, Unknown) or (isinstance(value, str) and "{{resolve:" in value):
        return False
    return function_name(value) is None


def is_known_whole(value: Any) -> bool:
    """Whether it is, and all within."""
    within = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return is_known(value) and all(is_known_whole(item) for item in within)


def fits_text(schema: Mapping[str, Any], text: str) -> bool:
    """Whether a text is of the length and pattern that a schema wants."""
    return next(_scalar_problems(schema, text, "#"), None) is None


def _scalar_problems(schema: Mapping[str, Any], value: Any, at: str) -> Iterator[str]:
    if "enum" in schema and not any(same(value, each) for each in schema["enum"]):
        yield f"{at}: {_scrubbed('enum')}"
    anyhow = [str(each).lower() for each in schema.get("enumCaseInsensitive", ())]
    if anyhow and str(value).lower() not in anyhow:
        yield f"{at}: {_scrubbed('enum')}"
    if "const" in schema and not same(value, schema["const"]):
        yield f"{at}: {_scrubbed('const')}"
    if isinstance(value, dict | list):
        return
    if _is_of("number", value) and _listed(schema.get("type", ())) != ["string"]:
        for keyword, holds in _RANGES.items():
            if keyword in schema and not holds(float(value), schema[keyword]):
                yield f"{at}: {_scrubbed(keyword)}"
    if _is_of("string", value) and "string" in _listed(schema.get("type", "string")):
        text = _as_text(value)
        if len(text) < schema.get("minLength", 0):
            yield f"{at}: expected minLength: {schema['minLength']}, actual: {len(text)}"
        if len(text) > schema.get("maxLength", len(text)):
            yield f"{at}: expected maxLength: {schema['maxLength']}, actual: {len(text)}"
        if "pattern" in schema and not _matches(schema["pattern"], text):
            yield f"{at}: {_scrubbed('pattern')}"


def _size_problems(schema: Mapping[str, Any], value: dict[str, Any], at: str) -> Iterator[str]:
    if len(value) < schema.get("minProperties", 0):
        yield f"{at}: minimum size: [{schema['minProperties']}], found: [{len(value)}]"
    if len(value) > schema.get("maxProperties", len(value)):
        yield f"{at}: maximum size: [{schema['maxProperties']}], found: [{len(value)}]"


def _dependency_problems(
    schema: Mapping[str, Any], value: dict[str, Any], at: str
) -> Iterator[str]:
    for keyword in ("dependencies", "dependentRequired"):
        for name, needed in (schema.get(keyword) or {}).items():
            listed = needed if isinstance(needed, list) else ()
            missing = [each for each in listed if name in value and each not in value]
            yield from (f"{at}: property [{each}] is required" for each in missing)
    if not is_known_whole(value):  # what Fn::If may leave out
        return
    for name, excluded in (schema.get("dependentExcluded") or {}).items():
        if name in value and any(each in value for each in excluded):
            yield f"{at}: {_scrubbed('dependentExcluded')}"
    for keyword, right in (("requiredXor", (1,)), ("requiredOr", range(1, 99))):
        names = schema.get(keyword)
        if names is not None and sum(name in value for name in names) not in right:
            yield f"{at}: {_scrubbed(keyword)}"


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


def _is_of(kind: str, value: Any) -> bool:
    match kind:
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str | bool | int | float)
        case "boolean":
            return str(value).lower() in ("true", "false")
        case "integer" | "number" if not isinstance(value, bool | dict | list):
            try:
                number = float(value)
            except (TypeError, ValueError):
                return False
            return kind == "number" or number.is_integer()
        case "null":
            return value is None
        case _:
            return False


def _java_type(value: Any) -> str:
    names = {"str": "String", "bool": "Boolean", "int": "Integer", "float": "BigDecimal"}
    return {**names, "dict": "JSONObject", "list": "JSONArray"}.get(type(value).__name__, "Null")


def _is_combined(schema: Mapping[str, Any]) -> bool:
    return any(keyword in schema for keyword in ("oneOf", "anyOf", "patternProperties"))


def _repeated(values: Sequence[Any]) -> bool:
    return any(same(one, other) for n, one in enumerate(values) for other in values[:n])


def _scrubbed(keyword: str) -> str:
    return f"failed validation constraint for keyword [{keyword}]"


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _matches(pattern: str, text: str) -> bool:
    """Whether a pattern is found; one that cannot be read is taken for found."""
    compiled = _compiled(pattern)
    try:
        return compiled is None or compiled.search(text, timeout=1) is not None
    except TimeoutError:
        return True


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    import regex  # here, since who judges no pattern may not have it

    try:
        return regex.compile(pattern)
    except regex.error:
        return None
