"""A parameter's value: what Ref gives of it, and what its declaration refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.template.values import as_text

_SSM_VALUE = re.compile(r"AWS::SSM::Parameter::Value<(.+)>")
_LIST = re.compile(r"List<.+>|CommaDelimitedList")


def is_ssm_value(kind: str) -> bool:
    """Whether a parameter of this type is the name of an SSM parameter, and Ref gives what is
    there."""
    return _SSM_VALUE.fullmatch(kind) is not None


def is_list(kind: str) -> bool:
    """Whether Ref gives a list for a parameter of this type."""
    inner = _SSM_VALUE.fullmatch(kind)
    return _LIST.fullmatch(inner[1] if inner else kind) is not None


def referenced(kind: str, text: str) -> Any:
    """What ``Ref`` gives for a value of this type: text, or a list of texts for the list types."""
    if not is_list(kind):
        return text
    return [item.strip() for item in text.split(",")] if text else []


def refusals(name: str, declared: Mapping[str, Any], value: str) -> Iterator[str]:
    """What a value breaks of its declaration; ConstraintDescription replaces the wording."""
    own_words = declared.get("ConstraintDescription")
    for said in broken(declared, value):
        constrained = own_words and not said.endswith("a number.")
        text = f"{name} failed to satisfy constraint: {own_words}"
        given = f", not {value!r}" if "AllowedValues" in said else ""
        yield f"Parameter {text if constrained else f'{name!r} {said}{given}'}"


def broken(declared: Mapping[str, Any], value: str) -> Iterator[str]:
    """What a value must be by its parameter's declaration, and is not: "must be …".

    A pattern that Python cannot read is not judged: CloudFormation reads Java's, which have more.
    Raises `TemplateError`, ValueError or TypeError for a declaration that is none.
    """
    kind = declared.get("Type", "String")
    items = [each.strip() for each in value.split(",")] if _LIST.fullmatch(kind) else [value]
    if "Number" in kind and not all(_NUMBER.fullmatch(item.strip()) for item in items):
        yield "must be a number."
        return
    for item in items:
        yield from _constraints(declared, item)


def _constraints(declared: Mapping[str, Any], value: str) -> Iterator[str]:
    allowed = declared.get("AllowedValues")
    if allowed is not None and value not in [as_text(item) for item in allowed]:
        yield f"must be one of AllowedValues [{', '.join(as_text(item) for item in allowed)}]"
    pattern = declared.get("AllowedPattern")
    if pattern is not None and not _matches(pattern, value):
        yield f"must match pattern {pattern}"
    if len(value) < int(declared.get("MinLength", 0)):
        yield f"must contain at least {declared['MinLength']} characters"
    if len(value) > int(declared.get("MaxLength", len(value))):
        yield f"must contain at most {declared['MaxLength']} characters"
    if _NUMBER.fullmatch(value):
        if "MinValue" in declared and float(value) < float(declared["MinValue"]):
            yield f"must be a number not less than {declared['MinValue']}"
        if "MaxValue" in declared and float(value) > float(declared["MaxValue"]):
            yield f"must be a number not greater than {declared['MaxValue']}"


def _matches(pattern: str, value: str) -> bool:
    try:
        return re.fullmatch(pattern, value) is not None
    except re.error:
        return True


_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
