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
    """What a value breaks of its declaration; ConstraintDescription replaces the wording.

    Raises `TemplateError`, ValueError, TypeError or `re.error` for a declaration that is none.
    """
    kind = declared.get("Type", "String")
    items = value.split(",") if _LIST.fullmatch(kind) else [value]
    own_words = declared.get("ConstraintDescription")
    if "Number" in kind and not all(_is_number(item) for item in items):
        yield f"Parameter '{name}' must be a number."
        return
    for said in (text for item in items for text in _constraints(name, declared, item.strip())):
        yield f"Parameter {name} failed to satisfy constraint: {own_words}" if own_words else said


def _constraints(name: str, declared: Mapping[str, Any], value: str) -> Iterator[str]:
    allowed = declared.get("AllowedValues")
    if allowed is not None and value not in [as_text(item) for item in allowed]:
        yield (
            f"Parameter '{name}' must be one of AllowedValues "
            f"[{', '.join(as_text(item) for item in allowed)}], not {value!r}"
        )
    pattern = declared.get("AllowedPattern")
    if pattern is not None and not re.fullmatch(pattern, value):
        yield f"Parameter '{name}' must match pattern {pattern}"
    if len(value) < int(declared.get("MinLength", 0)):
        yield f"Parameter '{name}' must contain at least {declared['MinLength']} characters"
    if len(value) > int(declared.get("MaxLength", len(value))):
        yield f"Parameter '{name}' must contain at most {declared['MaxLength']} characters"
    if _is_number(value):
        if "MinValue" in declared and float(value) < float(declared["MinValue"]):
            yield f"Parameter '{name}' must be a number not less than {declared['MinValue']}"
        if "MaxValue" in declared and float(value) > float(declared["MaxValue"]):
            yield f"Parameter '{name}' must be a number not greater than {declared['MaxValue']}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
