"""Turns what the types found wrong into problems that a person can act on."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, InvalidOperation
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, Tag, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from local_aws.suggest import nearest
from sagemaker_serving.errors import Problem, Where
from sagemaker_serving.spec.aws import written_members
from sagemaker_serving.spec.environment import Environment

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


def shape_problems(error: ValidationError, where: Where) -> list[Problem]:
    """One problem for each value whose shape is wrong, in the order found.

    A field that is missing because its name is misspelt is one problem, that of its name.
    """
    problems: dict[tuple[str | int, ...], Problem] = {}
    details = error.errors(include_url=False)
    unknown = (one["loc"] for one in details if one["type"] == "extra_forbidden")
    misspelt = {(*loc[:-1], _meant(str(loc[-1]), loc)[0]) for loc in unknown}
    for detail in details:
        place = _place(detail, where)
        misread = detail["type"] == "missing" and detail["loc"] in misspelt
        if place.path not in problems and not _follows(detail) and not misread:
            message = _message(detail, place)
            problems[place.path] = Problem(
                rule=_rule(detail), where=_owner(detail, place), message=message
            )
    return list(problems.values())


def _place(detail: ErrorDetails, where: Where) -> Where:
    """Where the value stands: the types' own path without the union members' names."""
    for key in _walk(detail["loc"])[0]:
        where = where / key
    return where


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


def _rule(detail: ErrorDetails) -> str:
    return {"extra_forbidden": "unknown-field", "missing": "missing-field"}.get(
        detail["type"], "wrong-type"
    )


def _message(detail: ErrorDetails, place: Where) -> str:
    name = place.path[-1] if place.path else "the file"
    value = detail["input"]
    if detail["type"] == "extra_forbidden":
        return _unknown_field(str(name), detail["loc"])
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
        return f"{name} is the {_named(value)} {value}; it must be text: put it in quotes"
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
    return f"; write {number:f}, without quotes" if number.is_finite() else ""


def _named(value: float | bool) -> str:
    return "truth value" if isinstance(value, bool) else "number"


def _unknown_field(name: str, loc: tuple[str | int, ...]) -> str:
    _, annotation, others = _walk(loc[:-1])
    if any(name in _fields(other) for other in others):
        return f"{name!r} belongs to another kind than the fields beside it; remove it, or them"
    close, parts = _meant(name, loc)
    if close is not None:
        return f"unknown field {name!r}; did you mean {close!r}"
    if parts:
        return f"unknown field {name!r}; here its parts are fields of their own: {', '.join(parts)}"
    fields = [field for member in _members(annotation).values() for field in _fields(member)]
    return f"unknown field {name!r}; the fields here are {', '.join(fields)}"


def _meant(name: str, loc: tuple[str | int, ...]) -> tuple[str | None, list[str]]:
    """The field that ``name`` is meant to be, if it is one, or the fields that it is made of."""
    _, annotation, others = _walk(loc[:-1])
    fields = [field for member in _members(annotation).values() for field in _fields(member)]
    called, parts = _by_aws_name(name, [annotation, *others])
    longer = [field for field in fields if field.startswith(f"{name}_")]
    if called or parts:
        return called, parts
    return longer[0] if len(longer) == 1 else nearest(name, fields), []


def _by_aws_name(name: str, kinds: list[Any]) -> tuple[str | None, list[str]]:
    """The field of AWS's member that is called so (``initial_variant_weight``), in AWS's case or
    ours, and the fields of AWS's structure that is (``serverless_config``, or its beginning)."""
    word, called, parts = name.replace("_", "").lower(), None, []
    models = [one for kind in kinds for one in _members(kind).values() if _fields(one)]
    for member, field in (pair for model in models for pair in written_members(model)):
        *above, last = member.lower().split(".")
        if "." not in field and last == word:
            called = called or field
        if "." not in field and any(one in (word, f"{word}config") for one in above):
            parts.append(field)
    return called, list(dict.fromkeys(parts))


def _walk(loc: tuple[str | int, ...]) -> tuple[list[str | int], Any, list[Any]]:
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
        return {_name(member): _plain(member) for member in given}
    return {_name(annotation): annotation}


def _name(member: Any) -> str:
    tags = [extra.tag for extra in get_args(member)[1:] if isinstance(extra, Tag)]
    return tags[0] if tags else str(getattr(member, "__name__", member))


def _plain(member: Any) -> Any:
    return get_args(member)[0] if get_origin(member) is Annotated else member


def _fields(annotation: Any) -> dict[str, FieldInfo]:
    is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return dict(annotation.model_fields) if is_model else {}
