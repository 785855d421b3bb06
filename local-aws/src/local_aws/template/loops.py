"""Loops of a template, which the transform AWS::LanguageExtensions carries out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from local_aws.template.evaluator import Evaluator
from local_aws.template.values import TemplateError, as_text, has_unknown

FOR_EACH = "Fn::ForEach::"
"""What a loop's key begins with."""


def repeated(value: Any, evaluator: Evaluator) -> Any:
    """``value`` with the entries that each Fn::ForEach in it makes.

    Raises `TemplateError` for a loop that is none, and for a list that is not known.
    """
    if isinstance(value, list):
        return [repeated(item, evaluator) for item in value]
    if not isinstance(value, dict):
        return value
    made: dict[str, Any] = {}
    for key, item in value.items():
        loop = str(key).startswith(FOR_EACH)
        entries = _entries(key, item, evaluator) if loop else [(key, repeated(item, evaluator))]
        for name, each in entries:
            if name in made:
                raise TemplateError(f"Template error: {key} makes {name} a second time")
            made[name] = each
    return made


def _entries(key: str, argument: Any, evaluator: Evaluator) -> Iterator[tuple[str, Any]]:
    match argument:
        case [str() as identifier, written, dict() as body]:
            collection = evaluator.evaluate(written)
        case _:
            collection = None
    if not isinstance(collection, list) or has_unknown(collection):
        raise TemplateError(
            f"Template error: every {key} object requires an identifier, a list that is known "
            "before the deployment, and a map"
        )
    for item in collection:
        yield from repeated(_bound(body, identifier, as_text(item)), evaluator).items()


def _bound(value: Any, identifier: str, item: str) -> Any:
    """``value`` with a loop's identifier replaced: by ``&{…}`` without what no name may have."""
    if isinstance(value, str):
        bare = "".join(filter(str.isalnum, item))
        return value.replace(f"${{{identifier}}}", item).replace(f"&{{{identifier}}}", bare)
    if isinstance(value, list):
        return [_bound(each, identifier, item) for each in value]
    if not isinstance(value, dict):
        return value
    if value == {"Ref": identifier}:
        return item
    return {
        _bound(key, identifier, item): _bound(each, identifier, item) for key, each in value.items()
    }
