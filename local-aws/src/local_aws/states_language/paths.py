"""Paths, intrinsic functions and expressions: what a value is that the execution's data gives.

https://docs.aws.amazon.com/step-functions/latest/dg/intrinsic-functions.html and
https://states-language.net/spec.html#payload-template. The words of AWS are
recorded by LocalStack's suite, 2024.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from local_aws.states_language.problem import Place, Problem, schema_problem
from local_aws.suggest import nearest
from local_aws.template import Unknown

INTRINSICS = (
    *("Array", "ArrayContains", "ArrayGetItem", "ArrayLength", "ArrayPartition", "ArrayRange"),
    *("ArrayUnique", "Base64Decode", "Base64Encode", "Format", "Hash", "JsonMerge"),
    *("JsonToString", "MathAdd", "MathRandom", "StringSplit", "StringToJson", "UUID"),
)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_CALL = re.compile(r"States\.([A-Za-z0-9]+)\(.*\)", re.DOTALL)


def is_expression(text: str) -> bool:
    """Whether a text is one of JSONata's expressions."""
    return text.startswith("{%") and text.endswith("%}")


def is_path(text: str) -> bool:
    """Whether a text is a path, or a call of an intrinsic function."""
    called = _CALL.fullmatch(text.strip())
    if called is not None:
        return called[1] in INTRINSICS
    bare = _QUOTED.sub("", text)
    return text.startswith("$") and bare.count("[") == bare.count("]")


def looks_like_path(text: str) -> bool:
    """Whether a text can hardly be anything but a path, or a call of an intrinsic function."""
    return re.match(r"\$\$?[.\[]", text) is not None or _CALL.fullmatch(text.strip()) is not None


def template_problems(template: Any, place: Place) -> Iterator[Problem]:
    """The problems of a payload template of JSONPath: fields with ``.$`` that are no paths."""
    if isinstance(template, list):
        for index, each in enumerate(template):
            yield from template_problems(each, (*place, index))
    if not isinstance(template, dict):
        return
    for name, value in template.items():
        at = (*place, name)
        if not name.endswith(".$"):
            yield from template_problems(value, at)
        elif not isinstance(value, Unknown) and not (isinstance(value, str) and is_path(value)):
            yield schema_problem(
                f"The value for the field '{name}' must be a valid JSONPath or a valid intrinsic "
                "function call",
                place,
                _instead(name, value),
            )
        if name.endswith(".$") and name.removesuffix(".$") in template:
            yield schema_problem(
                f"Only one of these fields is allowed: [{name.removesuffix('.$')}, {name}]",
                place,
                "remove one",
            )


def _instead(name: str, value: Any) -> str:
    called = _CALL.fullmatch(value.strip()) if isinstance(value, str) else None
    if called is not None:
        near = nearest(called[1], INTRINSICS)
        return f"there is no States.{called[1]}; " + (
            f"did you mean States.{near}?" if near else f"there are {', '.join(INTRINSICS)}"
        )
    return (
        f"it is {repr(value)[:60]}; begin it with $, or write {name.removesuffix('.$')} without .$"
    )
