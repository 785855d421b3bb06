"""Whether values are what a schema of CloudFormation's says, and which keyword of it they break.

What is not known passes: what a function still has to give, and members that it may leave out.
Numbers and booleans may be written as text, and text as numbers, as in every template.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from local_aws.schemas.fault import Fault, Path, scrubbed
from local_aws.schemas.formats import has_format
from local_aws.schemas.scalars import matches, scalar_faults
from local_aws.template import NO_VALUE, Unknown, function_name, same

Resolve = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""A schema, where another place of the document has it."""

_CHOICES = ("anyOf", "oneOf")


class Judge:
    """Judges values by schemas of one document.

    ``read_only`` are places, by names alone, that only the service sets. Without ``whole`` only
    the names of properties are judged: those that must be there, and those that may not. With
    ``formats`` ids and ARNs are judged by their forms, too, which CloudFormation itself does not.
    """

    def __init__(
        self,
        resolve: Resolve,
        read_only: Iterable[tuple[str, ...]] = (),
        *,
        whole: bool = True,
        formats: bool = False,
    ) -> None:
        self._resolve = resolve
        self._read_only = frozenset(read_only)
        self._whole = whole
        self._formats = formats
        self._unsure = False
        self._choosing = False

    def faults(
        self, schema: Any, value: Any, path: Path = (), place: tuple[str, ...] = ()
    ) -> Iterator[Fault]:
        """What is wrong with a value, which stands at ``path``, by names alone at ``place``."""
        if schema is False and not may_be_absent(value):
            yield Fault(path, "false", scrubbed("false"), value)
        if not isinstance(schema, Mapping) or not schema:
            self._unsure |= schema is False
            return
        if not is_known(value):
            self._unsure = True
            for branch in value.branches if isinstance(value, Unknown) else ():
                if branch is not NO_VALUE and not self._choosing:
                    yield from self.faults(schema, branch, path, place)
            return
        schema = self._resolve(schema)
        if self._whole:
            wrong = list(scalar_faults(schema, value, path))
            yield from wrong
            if any(each.keyword == "type" for each in wrong):
                return
            form = schema.get("format") if self._formats and isinstance(value, str) else None
            if form is not None and not has_format(form, value):
                yield Fault(path, "format", scrubbed("format"), value, schema)
        if isinstance(value, list):
            yield from self._of_list(schema, value, path, place)
        if isinstance(value, dict):
            yield from self._of_object(schema, value, path, place)
        if self._whole:
            yield from self._combined(schema, value, path, place)

    def fits(self, schema: Any, value: Any, place: tuple[str, ...] = ()) -> bool | None:
        """Whether a value is what a schema says; None where that depends on what is not known."""
        before = self._unsure, self._choosing
        self._unsure, self._choosing = False, True
        wrong = next(self.faults(schema, value, (), place), None) is not None
        answer = None if self._unsure and not wrong else not wrong
        self._unsure, self._choosing = before[0] or answer is None, before[1]
        return answer

    def _of_list(
        self, schema: Mapping[str, Any], value: list[Any], path: Path, place: tuple[str, ...]
    ) -> Iterator[Fault]:
        leading = schema.get("prefixItems", ())  # of cfn-lint's: beside what all items must be
        for index, item in enumerate(value):
            yield from self.faults(schema.get("items"), item, (*path, index), place)
            if self._whole and index < len(leading):
                yield from self.faults(leading[index], item, (*path, index), place)
        if self._whole:
            yield from _count_faults(schema, value, path)

    def _of_object(
        self, schema: Mapping[str, Any], value: dict[str, Any], path: Path, place: tuple[str, ...]
    ) -> Iterator[Fault]:
        known: Mapping[str, Any] = schema.get("properties") or {}
        patterns: Mapping[str, Any] = schema.get("patternProperties") or {}
        free = self._whole or not known or _is_combined(schema)
        others = schema.get("additionalProperties", free)
        for name in schema.get("required", ()):
            if name not in value:
                said = f"required key [{name}] not found"
                yield Fault(path, "required", said, value, schema, (name,))
            elif may_be_absent(value[name]):
                self._unsure = True
        for name, item in value.items():
            inner = (*place, name)
            matching = [shape for pattern, shape in patterns.items() if matches(pattern, name)]
            is_read_only = inner in self._read_only
            if is_read_only or not (name in known or matching or others):
                keyword = "readOnly" if is_read_only else "additionalProperties"
                said = f"extraneous key [{name}] is not permitted"
                yield Fault(path, keyword, said, value, schema, (name,))
                continue
            shapes = [known[name]] if name in known else []
            shapes += matching or ([] if shapes else [others])
            for shape in shapes:
                yield from self.faults(shape, item, (*path, name), inner)
        if self._whole:
            yield from self._names(schema, value, path)
            yield from _member_faults(schema, value, path)
            for name, needed in (schema.get("dependencies") or {}).items():
                if name in value and isinstance(needed, Mapping):
                    yield from self.faults(needed, value, path, place)

    def _names(
        self, schema: Mapping[str, Any], value: dict[str, Any], path: Path
    ) -> Iterator[Fault]:
        shape = schema.get("propertyNames")
        for name in value if shape is not None else ():
            if self.fits(shape, name) is False:
                said = f"extraneous key [{name}] is not permitted"
                yield Fault(path, "propertyNames", said, value, schema, (name,))

    def _combined(
        self, schema: Mapping[str, Any], value: Any, path: Path, place: tuple[str, ...]
    ) -> Iterator[Fault]:
        shapes = schema.get("allOf", ())
        wrong = [list(self.faults(shape, value, path, place)) for shape in shapes]
        if any(wrong):
            count = sum(not each for each in wrong)
            said = f"#: only {count} subschema matches out of {len(shapes)}"
            yield Fault(path, "allOf", said, value, schema)
            yield from (each for some in wrong for each in some)
        for keyword in _CHOICES:
            if keyword in schema:
                yield from self._chosen(keyword, schema, value, path, place)
        if "if" in schema:
            holds = self.fits(schema["if"], value, place)
            if holds is not None:
                branch = schema.get("then" if holds else "else")
                yield from self.faults(branch, value, path, place)
        if "not" in schema and self.fits(schema["not"], value, place):
            yield Fault(path, "not", scrubbed("not"), value, schema)

    def _chosen(
        self,
        keyword: str,
        schema: Mapping[str, Any],
        value: Any,
        path: Path,
        place: tuple[str, ...],
    ) -> Iterator[Fault]:
        shapes = schema[keyword]
        fitting = [self.fits(shape, value, place) for shape in shapes]
        if not any(each is not False for each in fitting):
            said = f"#: no subschema matched out of the total {len(shapes)} subschemas"
            by_each = tuple(tuple(self.faults(shape, value, path, place)) for shape in shapes)
            yield Fault(path, keyword, said, value, schema, (), by_each)
        elif keyword == "oneOf" and fitting.count(True) > 1:
            said = f"#: {fitting.count(True)} subschemas matched instead of one"
            yield Fault(path, keyword, said, value, schema)


def is_known(value: Any) -> bool:
    """Whether a value is there, rather than what a function or a service still has to give."""
    if isinstance(value, Unknown) or (isinstance(value, str) and "{{resolve:" in value):
        return False
    return function_name(value) is None


def may_be_absent(value: Any) -> bool:
    """Whether a condition may leave a member out, or an item."""
    if isinstance(value, Unknown):
        return value.may_be_absent
    return function_name(value) == "Fn::If"


def _count_faults(schema: Mapping[str, Any], value: list[Any], path: Path) -> Iterator[Fault]:
    certain = sum(not may_be_absent(item) for item in value)
    if len(value) < schema.get("minItems", 0):
        said = f"expected minimum item count: {schema['minItems']}, found: {len(value)}"
        yield Fault(path, "minItems", said, value, schema)
    if certain > schema.get("maxItems", certain):
        said = f"expected maximum item count: {schema['maxItems']}, found: {certain}"
        yield Fault(path, "maxItems", said, value, schema)
    keys = schema.get("uniqueKeys", ())
    keyed = [item for item in value if isinstance(item, dict) and all(key in item for key in keys)]
    told_apart = [[item[key] for key in keys] for item in keyed]
    for keyword, items in (("uniqueItems", value), ("uniqueKeys", told_apart)):
        if schema.get(keyword) and _repeated(items):
            yield Fault(path, keyword, "array items are not unique", value, schema)
    limit = schema.get("maxUniqueItems", certain)
    if certain > limit:
        different = [each for n, each in enumerate(value) if not _is_among(each, value[:n])]
        if len(different) > limit and all(map(is_known, value)):
            said = f"expected maximum item count: {limit}, found: {len(different)}"
            yield Fault(path, "maxUniqueItems", said, value, schema)


def _member_faults(schema: Mapping[str, Any], value: dict[str, Any], path: Path) -> Iterator[Fault]:
    given = [name for name, item in value.items() if not may_be_absent(item)]
    if len(value) < schema.get("minProperties", 0):
        said = f"minimum size: [{schema['minProperties']}], found: [{len(value)}]"
        yield Fault(path, "minProperties", said, value, schema)
    if len(given) > schema.get("maxProperties", len(given)):
        said = f"maximum size: [{schema['maxProperties']}], found: [{len(given)}]"
        yield Fault(path, "maxProperties", said, value, schema)
    for keyword in ("dependencies", "dependentRequired"):
        for name, needed in (schema.get(keyword) or {}).items():
            for each in needed if isinstance(needed, list) else ():
                if name in given and each not in value:
                    said = f"property [{each}] is required"
                    yield Fault(path, keyword, said, value, schema, (name, each))
    for name, excluded in (schema.get("dependentExcluded") or {}).items():
        for each in excluded:
            if name in given and each in given:
                said = scrubbed("dependentExcluded")
                yield Fault(path, "dependentExcluded", said, value, schema, (name, each))
    for keyword, most in (("requiredXor", 1), ("requiredOr", 99)):
        names = schema.get(keyword)
        if names is not None and not (
            any(name in value for name in names) and sum(name in given for name in names) <= most
        ):
            yield Fault(path, keyword, scrubbed(keyword), value, schema, tuple(names))


def _is_combined(schema: Mapping[str, Any]) -> bool:
    return any(keyword in schema for keyword in (*_CHOICES, "patternProperties"))


def _repeated(values: Sequence[Any]) -> bool:
    return any(
        _is_among(one, values[:n]) or any(_is_of_one_source(one, other) for other in values[:n])
        for n, one in enumerate(values)
    )


def _is_of_one_source(left: Any, right: Any) -> bool:
    """Whether two values are the same whatever a deploy makes of them."""
    if isinstance(left, Unknown) and isinstance(right, Unknown):
        return left.source != "" and left.source == right.source
    if isinstance(left, dict) and isinstance(right, dict):
        alike = left.keys() == right.keys()
        return alike and all(_is_of_one_source(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_is_of_one_source, left, right))
    return same(left, right)


def _is_among(value: Any, others: Iterable[Any]) -> bool:
    return any(same(value, other) for other in others)
