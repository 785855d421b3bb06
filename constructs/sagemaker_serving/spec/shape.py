"""Turns what the types found wrong into problems that a person can act on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, Tag, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from local_aws.suggest import nearest
from local_aws.template import Unknown
from sagemaker_serving.errors import Problem, Where
from sagemaker_serving.spec.aws import aws_fields
from sagemaker_serving.spec.environment import Environment

_Loc = tuple[str | int, ...]
"""A path with the names of the union members that it goes through, as pydantic has it."""

_KINDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a number with an end",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "list_type": "a list",
    "model_type": "a mapping",
}
_RULES = {"extra_forbidden": "unknown-field", "missing": "missing-field"}


def shape_problems(error: ValidationError, where: Where) -> list[Problem]:
    """One problem for each fault of shape, in the order found.

    What is missing because the field's name is misspelt, or because fields of another kind stand
    beside it, is one problem with these.
    """
    problems: dict[tuple[str | int, ...], Problem] = {}
    details = _details(error)
    unknown = [one["loc"] for one in details if one["type"] == "extra_forbidden"]
    misspelt = {(*loc[:-1], field) for loc in unknown for field in _meant(loc).fields}
    mixed = {loc[:-1] for loc in unknown if _meant(loc).of_another_kind}
    strangers: set[tuple[str | int, ...]] = set()
    for detail in details:
        loc, kind = detail["loc"], detail["type"]
        place = where.inside(_walk(loc)[0])  # without the names of union members
        if kind == "missing" and (loc in misspelt or loc[:-1] in mixed):
            continue
        if kind == "extra_forbidden" and _is_stranger(loc):
            if loc[:-1] in strangers:
                continue
            strangers.add(loc[:-1])
        if place.path not in problems:
            message = _message(detail, place, [one for one in unknown if one[:-1] == loc[:-1]])
            problems[place.path] = Problem(
                rule=_RULES.get(kind, "wrong-type"), where=_owner(detail, place), message=message
            )
    return list(problems.values())


def as_meant(data: Any, error: ValidationError) -> Any:
    """``data`` as the rules are to judge it, so that they tell no fault of shape again.

    What has a wrong type or is missing is unknown, and so is what an unknown field may have been
    meant to be. The unknown fields themselves are gone, and null is nothing.
    """
    for detail in _details(error):
        way, annotation, _ = _walk(detail["loc"])
        path = tuple(way)
        if detail["type"] == "extra_forbidden":
            meant = dict.fromkeys(_meant(detail["loc"]).fields, Unknown())
            data = _changed(data, path[:-1], partial(_renamed, path[-1], meant))
        elif detail["type"] == "missing" or detail["input"] is not None:
            structure = detail["type"] == "model_type" and _unknown(annotation)
            data = _changed(data, path, partial(_replaced, structure or Unknown()))
    return data


def _unknown(annotation: Any) -> dict[str, Any]:
    """A structure of which nothing is known but that it has all that it needs."""
    fields = [pair for member in _members(annotation).values() for pair in _fields(member).items()]
    return {
        name: Unknown()
        for name, field in fields
        if field.is_required() or field.default_factory_takes_validated_data
    }


def _replaced(value: Any, _: Any) -> Any:
    return value


def _renamed(name: str | int, meant: Mapping[str, Any], fields: Any) -> Any:
    if not isinstance(fields, Mapping):
        return fields
    return {**meant, **{key: value for key, value in fields.items() if key != name}}


def _details(error: ValidationError) -> list[ErrorDetails]:
    return [one for one in error.errors(include_url=False) if not _follows(one)]


def _changed(data: Any, path: _Loc, change: Callable[[Any], Any]) -> Any:
    """``data`` with what is at ``path`` changed; as it is where that leads nowhere."""
    if not path:
        return change(data)
    key, *deeper = path
    if isinstance(data, list) and isinstance(key, int) and key < len(data):
        return [*data[:key], _changed(data[key], tuple(deeper), change), *data[key + 1 :]]
    if isinstance(data, dict) and (key in data or not deeper):
        return {**data, key: _changed(data.get(key), tuple(deeper), change)}
    return data


def _follows(detail: ErrorDetails) -> bool:
    """Whether this is about the member of a union that the value was not meant to be, or about a
    default that another wrong value leaves open."""
    if detail["type"] == "default_factory_not_called":
        return True
    member = detail["loc"][-1] if detail["loc"] else None
    return (member == "str" and isinstance(detail["input"], dict)) or member == "S3Artifact"


def _owner(detail: ErrorDetails, place: Where) -> Where:
    """An unknown field's line is its own; a missing one is told of its owner."""
    if detail["type"] == "missing":
        return replace(place, path=place.path[:-1])
    if detail["type"] == "extra_forbidden":
        line = {place.path[:-1]: place.line or 1}
        return Where(place.file, place.path[:-1], line, place.labels)
    return place


def _message(detail: ErrorDetails, place: Where, beside: list[_Loc]) -> str:
    name = place.path[-1] if place.path else "the file"
    value = detail["input"]
    if detail["type"] == "extra_forbidden":
        return _unknown_field(detail["loc"], beside)
    if detail["type"] == "missing":
        return f"{name!r} is missing; add it"
    if detail["type"] == "literal_error":
        allowed = detail.get("ctx", {}).get("expected", "").replace("'", "")
        allowed = {"True": "true", "False": "false"}.get(allowed, allowed)
        close = nearest(str(value), allowed.replace(" or ", ", ").split(", "))
        hint = f"; did you mean {close}" if close is not None else ""
        return f"{name} is {value!r}; it must be {allowed}{hint}"
    kind = _KINDS.get(detail["type"])
    if kind is None:
        return f"{name} is {value!r}; {detail['msg'].lower()}"
    if kind == "text" and isinstance(value, int | float):
        called = "truth value" if isinstance(value, bool) else "number"
        return f"{name} is the {called} {value}; it must be text: put it in quotes"
    return f"{name} is {value!r}; it must be {kind}{_as_number(value, kind)}"


def _as_number(value: object, kind: str) -> str:
    """How to write a number that YAML reads as text: in quotes, or with an exponent and no point
    (``1e-4``; yaml.org/type/float.html)."""
    if "number" not in kind or not isinstance(value, str):
        return ""
    try:
        number = Decimal(value)
    except InvalidOperation:
        return ""
    if not number.is_finite() or number.adjusted() not in range(-20, 20):
        return ""
    return f"; write {number:f}, without quotes"


def _unknown_field(loc: _Loc, beside: list[_Loc]) -> str:
    """``beside`` are all unknown fields there, this one with them."""
    name, meant = str(loc[-1]), _meant(loc)
    if _is_stranger(loc):
        names = [repr(str(one[-1])) for one in beside if _is_stranger(one)]
        if len(names) == 1:
            rest = "belongs to another kind than the fields beside it; remove it, or them"
            return f"{names[0]} {rest}"
        rest = "belong to another kind than the fields beside them; remove these, or those"
        return f"{', '.join(names[:-1])} and {names[-1]} {rest}"
    if meant.is_guess:
        return f"unknown field {name!r}; did you mean {meant.fields[0]!r}"
    if meant.fields:
        parts = ", ".join(meant.fields)
        return f"unknown field {name!r}; here its parts are fields of their own: {parts}"
    return f"unknown field {name!r}; the fields here are {', '.join(_own_fields(loc))}"


def _own_fields(loc: _Loc) -> list[str]:
    """The fields that there are beside the one at ``loc``."""
    _, annotation, _ = _walk(loc[:-1])
    return [field for member in _members(annotation).values() for field in _fields(member)]


def _is_stranger(loc: _Loc) -> bool:
    """Whether the field is one of another kind than the fields beside it."""
    _, _, others = _walk(loc[:-1])
    return any(loc[-1] in _fields(other) for other in others)


@dataclass(frozen=True)
class _Meant:
    """The ``fields`` that an unknown one may be meant to be: the one that its name is a guess at,
    or those that it is made of."""

    fields: tuple[str, ...]
    is_guess: bool = False
    of_another_kind: bool = False


def _meant(loc: _Loc) -> _Meant:
    _, annotation, others = _walk(loc[:-1])
    name, own = str(loc[-1]), _own_fields(loc)
    if _is_stranger(loc):
        return _Meant((), of_another_kind=True)
    called, parts = _by_aws_name(name, [annotation, *others])
    every = [*own, *(field for other in others for field in _fields(other))]
    for fields in (own, every):
        longer = [field for field in fields if field.startswith(f"{name}_")]
        if called is None and not parts:
            called = longer[0] if len(longer) == 1 else _nearest(name, fields)
    found = (called,) if called is not None else tuple(parts)
    return _Meant(found, called is not None, bool(found) and not set(found) & set(own))


def _nearest(name: str, fields: list[str]) -> str | None:
    """The field that is called nearly so, or whose words after the first are: ``instance_cuont``
    is nearer to ``initial_instance_count`` than to ``instance_type``."""
    endings = {field.partition("_")[2]: field for field in fields if field.count("_") > 1}
    close = nearest(name, (*fields, *endings))
    return endings[close] if close in endings and close not in fields else close


def _by_aws_name(name: str, kinds: list[Any]) -> tuple[str | None, list[str]]:
    """The field of AWS's member that is called so (``initial_variant_weight``), in AWS's case or
    ours, and the fields of AWS's structure that is (``serverless_config``, or its beginning)."""
    word, called, parts = name.replace("_", "").lower(), None, []
    models = [one for kind in kinds for one in _members(kind).values() if _fields(one)]
    for field in (field for model in models for field in aws_fields(model)):
        for member in (*field.members, *(member for member, _ in field.also)):
            *above, last = member.replace("[]", "").lower().split(".")
            if last == word:
                called = called or field.name
            if any(one in (word, f"{word}config") for one in above):
                parts.append(field.name)
    return called, list(dict.fromkeys(parts))


def _walk(loc: _Loc) -> tuple[list[str | int], Any, list[Any]]:
    """The path that ``loc`` means, the type that stands there, and that type's alternatives."""
    path: list[str | int] = []
    annotation: Any = Environment
    others: list[Any] = []
    for key in loc:
        members = _members(annotation)
        if len(members) > 1 and key in members:
            annotation = members.pop(str(key))
            others = list(members.values())
        else:
            path.append(key)
            annotation = _step(annotation, key)
            others = []
    return path, annotation, others


def _step(annotation: Any, key: str | int) -> Any:
    """The type of what ``key`` leads to."""
    for member in _members(annotation).values():
        fields = _fields(member)
        if key in fields:
            return fields[str(key)].annotation
    (alone,) = _members(annotation).values() if len(_members(annotation)) == 1 else (None,)
    arguments = get_args(alone)
    return arguments[-1] if arguments else None


def _members(annotation: Any) -> dict[str, Any]:
    """The types that a value may be of, by the names that pydantic gives them; None is none."""
    if get_origin(annotation) is Annotated:
        return _members(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        given = [member for member in get_args(annotation) if member is not NoneType]
        if len(given) == 1:
            return _members(given[0])
        return {
            _name(one): get_args(one)[0] if get_origin(one) is Annotated else one for one in given
        }
    return {_name(annotation): annotation}


def _name(member: Any) -> str:
    tags = [extra.tag for extra in get_args(member)[1:] if isinstance(extra, Tag)]
    return tags[0] if tags else str(getattr(member, "__name__", member))


def _fields(annotation: Any) -> dict[str, FieldInfo]:
    is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return dict(annotation.model_fields) if is_model else {}
