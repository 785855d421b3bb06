"""Values of a template once evaluated: their text, their sameness, and the unknown ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from local_aws.template.refusals import validation_error


class _Marker:
    """A value that stands for itself and prints its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def __deepcopy__(self, memo: Any) -> _Marker:
        return self


UNKNOWN = _Marker("{{changeSet:KNOWN_AFTER_APPLY}}")
"""A value that only the deployment will know."""

NO_VALUE = _Marker("AWS::NoValue")
"""What ``{"Ref": "AWS::NoValue"}`` gives: the property is as if it were not written."""


def as_text(value: Any) -> str:
    """A scalar as CloudFormation writes it into text: true, 1, 1.5."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, dict | list):
        raise validation_error(
            f"Template error: a string is expected where {json.dumps(value, default=repr)} is"
        )
    return str(value)


def same(left: Any, right: Any) -> bool:
    """Equality as CloudFormation has it: scalars by their text, so that "1" is 1."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict | list) or isinstance(right, dict | list):
        return False
    return UNKNOWN not in (left, right) and as_text(left) == as_text(right)


def has_unknown(value: Any) -> bool:
    """Whether any part of ``value`` is not known yet."""
    return any(item is UNKNOWN for item in leaves(value))


def leaves(value: Any) -> Iterator[Any]:
    """Every scalar of a nested value."""
    if isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)
    else:
        yield value
