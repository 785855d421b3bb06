"""Turns what the types found wrong into problems that a person can act on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sagemaker_serving.errors import Problem, Where
from sagemaker_serving.spec.environment import Environment
from sagemaker_serving.suggest import nearest

_KINDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "list_type": "a list",
    "model_type": "a mapping",
}


def shape_problems(error: ValidationError, where: Where) -> list[Problem]:
    """One problem for each value whose shape is wrong, in the order found."""
    problems: dict[tuple[str | int, ...], Problem] = {}
    for detail in error.errors(include_url=False):
        place = _place(detail, where)
        if place.path not in problems and not _other_member(detail):
            message = _message(detail, place)
            problems[place.path] = Problem(
                rule=_rule(detail), where=_owner(detail, place), message=message
            )
    return list(problems.values())


def _place(detail: ErrorDetails, where: Where) -> Where:
    """Where the value stands: the types' own path without the union members' names."""
    place = where
    for key in detail["loc"]:
        if key in ("str", "S3Artifact"):
            continue
        place = place / key
    return place


def _other_member(detail: ErrorDetails) -> bool:
    """Whether this is about the member of a union that the value was not meant to be."""
    member = detail["loc"][-1] if detail["loc"] else None
    return (member == "str" and isinstance(detail["input"], dict)) or member == "S3Artifact"


def _owner(detail: ErrorDetails, place: Where) -> Where:
    """An unknown field's line is its own; a missing one is told of its owner."""
    if detail["type"] == "missing":
        return Where(place.source, place.path[:-1], place.lines, place.labels)
    if detail["type"] == "extra_forbidden":
        line = {place.path[:-1]: place.line or 1}
        return Where(place.source, place.path[:-1], line, place.labels)
    return place


def _rule(detail: ErrorDetails) -> str:
    return {"extra_forbidden": "unknown-field", "missing": "missing-field"}.get(
        detail["type"], "wrong-type"
    )


def _message(detail: ErrorDetails, place: Where) -> str:
    name = place.path[-1] if place.path else "the file"
    value = detail["input"]
    if detail["type"] == "extra_forbidden":
        return _unknown_field(str(name), place)
    if detail["type"] == "missing":
        return f"{name!r} is missing; add it"
    if detail["type"] == "literal_error":
        allowed = detail.get("ctx", {}).get("expected", "").replace("'", "")
        close = nearest(str(value), allowed.replace(" or ", ", ").split(", "))
        hint = f"; did you mean {close}" if close is not None else ""
        return f"{name} is {value!r}; it must be {allowed}{hint}"
    kind = _KINDS.get(detail["type"])
    if kind is None:
        return f"{name} is {value!r}; {detail['msg'].lower()}"
    if kind == "text" and isinstance(value, int | float):
        return f"{name} is the {_named(value)} {value}; it must be text: put it in quotes"
    return f"{name} is {value!r}; it must be {kind}"


def _named(value: float | bool) -> str:
    return "truth value" if isinstance(value, bool) else "number"


def _unknown_field(name: str, place: Where) -> str:
    fields = list(_fields_at(place.path[:-1]))
    close = nearest(name, fields)
    if close is not None:
        return f"unknown field {name!r}; did you mean {close!r}"
    return f"unknown field {name!r}; the fields here are {', '.join(fields)}"


def _fields_at(path: tuple[str | int, ...]) -> Iterator[str]:
    """The fields of the type that stands at ``path``."""
    annotation: Any = Environment
    for key in path:
        annotation = _step(annotation, key)
    for model in _models(annotation):
        yield from model.model_fields


def _step(annotation: Any, key: str | int) -> Any:
    for model in _models(annotation):
        if key in model.model_fields:
            return model.model_fields[str(key)].annotation
    arguments = get_args(annotation)
    return arguments[-1] if arguments else None


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    candidates = (annotation, *get_args(annotation))
    for candidate in candidates:
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            yield candidate
