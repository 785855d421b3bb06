"""Values of a template once evaluated: their text, their sameness, and the unknown ones."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


class TemplateError(Exception):
    """What CloudFormation says of a template's value that cannot be worked out."""


@dataclass(frozen=True)
class Unknown:
    """A value that only the deployment will know.

    ``name`` is that of the resource or parameter which it is of, if it is of one.
    ``pieces`` is what is known of a text: texts, and other unknown values between them.
    ``branches`` are the values between which a condition decides, where that is what is open.
    ``source`` tells what gives it, so that two of one source are the same, "" where that is open.
    """

    name: str | None = None
    pieces: tuple[str | Unknown, ...] = field(default=(), compare=False)
    branches: tuple[Any, ...] = field(default=(), compare=False)
    source: str = field(default="", compare=False)

    @property
    def may_be_absent(self) -> bool:
        """Whether a condition may leave it out."""
        return any(
            each is NO_VALUE or (isinstance(each, Unknown) and each.may_be_absent)
            for each in self.branches
        )

    def __str__(self) -> str:
        return "{{changeSet:KNOWN_AFTER_APPLY}}"


class _NoValue:
    def __repr__(self) -> str:
        return "AWS::NoValue"


NO_VALUE = _NoValue()
"""What ``{"Ref": "AWS::NoValue"}`` gives: the property is as if it were not written."""


def as_text(value: Any) -> str:
    """A scalar as CloudFormation writes it into text: true, 1, 1.5.

    Raises `TemplateError` for what is no scalar.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, dict | list):
        raise TemplateError(
            f"Template error: a string is expected where {json.dumps(value, default=str)} is"
        )
    return str(value)


def joined(values: Iterable[Any]) -> str | Unknown:
    """Scalars as one text, unknown where one of them is."""
    pieces: list[str | Unknown] = []
    for value in values:
        if isinstance(value, Unknown):
            pieces += value.pieces or (value,)
        else:
            pieces.append(as_text(value))
    known = "".join(piece for piece in pieces if isinstance(piece, str))
    unknown = [piece for piece in pieces if isinstance(piece, Unknown)]
    if not unknown:
        return known
    return unknown[0] if not known and len(unknown) == 1 else Unknown(pieces=tuple(pieces))


def same(left: Any, right: Any) -> bool:
    """Equality as CloudFormation has it: scalars by their text, so that "1" is 1.

    What is not known is the same as nothing.
    """
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if any(isinstance(value, dict | list | Unknown) for value in (left, right)):
        return False
    return as_text(left) == as_text(right)


def has_unknown(value: Any) -> bool:
    """Whether any part of ``value`` is not known yet."""
    if isinstance(value, dict):
        return any(map(has_unknown, value.values()))
    if isinstance(value, list):
        return any(map(has_unknown, value))
    return isinstance(value, Unknown)
