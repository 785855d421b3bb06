"""Intrinsic functions: worked out where the template alone tells, tokens where it does not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sagemaker_serving.catalog import domain_suffix
from sagemaker_serving.rules.facts import Token

_NOTHING = object()
"""What ``AWS::NoValue`` stands for: the property is left out."""

_SUBSTITUTE = re.compile(r"\$\{([^!}][^}]*)\}")


def resolve(value: Any, region: str | None) -> Any:
    """``value`` as plain data, with a `Token` for all that only a deploy knows.

    Joins and substitutions of known texts become texts; the region's own names
    are known when ``region`` is.
    """
    found = _resolve(value, region)
    return None if found is _NOTHING else found


def text_with_marks(value: Any, region: str | None) -> str | None:
    """A text in which ``\\N{SYMBOL FOR SUBSTITUTE}id\\N{SYMBOL FOR SUBSTITUTE}`` stands for tokens.

    None when ``value`` is no text, nor a join or substitution of texts.
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, dict) or len(value) != 1:
        return None
    ((name, argument),) = value.items()
    if name == "Fn::Join" and isinstance(argument, list) and len(argument) == 2:
        separator, parts = argument
        if isinstance(separator, str) and isinstance(parts, list):
            return separator.join(_marked(part, region) for part in parts)
    if name == "Fn::Sub":
        text, names = _sub_arguments(argument)
        if text is not None:
            return _SUBSTITUTE.sub(
                lambda found: _marked(names.get(found[1], {"Ref": found[1]}), region), text
            )
    return None


MARK = "\N{SYMBOL FOR SUBSTITUTE}"
MARKED = re.compile(f"{MARK}([^{MARK}]*){MARK}")
"""What `text_with_marks` puts in the place of a token; the group is its logical id, or ""."""


def _resolve(value: Any, region: str | None) -> Any:
    if isinstance(value, dict):
        if any(key == "Ref" or str(key).startswith("Fn::") for key in value):
            return _function(value, region)
        entries = ((str(key), _resolve(inner, region)) for key, inner in value.items())
        return {key: inner for key, inner in entries if inner is not _NOTHING}
    if isinstance(value, list):
        return [inner for inner in (_resolve(i, region) for i in value) if inner is not _NOTHING]
    return value


def _function(value: Mapping[Any, Any], region: str | None) -> Any:
    if len(value) != 1:
        return Token()
    ((name, argument),) = value.items()
    if name == "Ref" and isinstance(argument, str):
        return _reference(argument, region)
    if name == "Fn::GetAtt":
        target = argument[0] if isinstance(argument, list) and argument else argument
        return Token(target.split(".")[0] if isinstance(target, str) else None)
    text = text_with_marks(dict(value), region)
    return text if text is not None and MARK not in text else Token()


def _reference(name: str, region: str | None) -> Any:
    if name == "AWS::NoValue":
        return _NOTHING
    if name.startswith("AWS::"):
        known = _pseudo(region).get(name)
        return known if known is not None else Token()
    return Token(name)


def _pseudo(region: str | None) -> dict[str, str]:
    if region is None:
        return {}
    partitions = {"cn-": "aws-cn", "us-gov-": "aws-us-gov"}
    partition = next((p for start, p in partitions.items() if region.startswith(start)), "aws")
    return {
        "AWS::Region": region,
        "AWS::URLSuffix": domain_suffix(region),
        "AWS::Partition": partition,
    }


def _marked(part: Any, region: str | None) -> str:
    found = _resolve(part, region)
    if isinstance(found, str | int | float) and not isinstance(found, bool):
        return str(found)
    inner = text_with_marks(part, region) if isinstance(part, dict) else None
    if inner is not None:
        return inner
    target = found.target if isinstance(found, Token) else None
    return f"{MARK}{target if target is not None else ''}{MARK}"


def _sub_arguments(argument: Any) -> tuple[str | None, Mapping[str, Any]]:
    if isinstance(argument, str):
        names = {name: _sub_name(name) for name in _SUBSTITUTE.findall(argument)}
        return argument, names
    if isinstance(argument, list) and len(argument) == 2 and isinstance(argument[1], dict):
        text, given = argument
        if isinstance(text, str):
            names = {name: _sub_name(name) for name in _SUBSTITUTE.findall(text)}
            return text, {**names, **{str(key): value for key, value in given.items()}}
    return None, {}


def _sub_name(name: str) -> dict[str, Any]:
    return {"Fn::GetAtt": name.split(".", 1)} if "." in name else {"Ref": name}
