"""Patterns of policies: ``*`` and ``?``, the parts of an ARN, policy variables.

Source: IAM user guide, "IAM JSON policy elements: Resource" and "IAM policy
elements: Variables and tags".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

Context = Mapping[str, tuple[str, ...]]
"""What is known of a call, by condition key in lower case; a key may have several values."""

_ARN_PARTS = 6


class UnknownVariable(Exception):
    """A policy variable has no value in this call, so its statement cannot match."""


def matches(pattern: str, text: str) -> bool:
    """Whether ``text`` is what ``pattern`` says; ``*`` and ``?`` match, nothing else is special."""
    return _compiled(pattern).fullmatch(text) is not None


def matches_action(pattern: str, action: str) -> bool:
    """As `matches`; the names of actions are alike in any case."""
    return matches(pattern.lower(), action.lower())


def matches_arn(pattern: str, arn: str, context: Context) -> bool:
    """Whether an ARN is one of those that ``pattern`` names.

    Each of its six parts is compared by itself, so that no ``*`` reaches over
    a colon before the last part; ``*`` alone is every resource. A pattern of
    fewer parts is compared as a whole. Raises `UnknownVariable`.
    """
    if pattern == "*":
        return True
    wanted, given = _parts(pattern), _parts(arn)
    if len(wanted) < _ARN_PARTS or len(given) < _ARN_PARTS:
        return matches_value(pattern, arn, context)
    return all(matches_value(a, b, context) for a, b in zip(wanted, given, strict=True))


def matches_value(pattern: str, text: str, context: Context) -> bool:
    """As `matches`, with variables; raises `UnknownVariable`."""
    if "${" not in pattern:
        return matches(pattern, text)
    return re.fullmatch(_with_variables(pattern, context), text, re.DOTALL) is not None


def filled_in(text: str, context: Context) -> str:
    """``text`` with its variables replaced and nothing taken for a wildcard.

    Raises `UnknownVariable`.
    """
    return _VARIABLE.sub(lambda found: _value_of(found, context), text)


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(_as_expression(pattern), re.DOTALL)


def _as_expression(pattern: str) -> str:
    meaning = {"*": ".*", "?": "."}
    return "".join(meaning.get(character) or re.escape(character) for character in pattern)


_VARIABLE = re.compile(r"\$\{(?P<name>[^},]+)(?:\s*,\s*'(?P<default>[^']*)')?\s*\}")


def _with_variables(pattern: str, context: Context) -> str:
    """The expression of a pattern; what a variable stands for is taken as it is."""
    expression, end = "", 0
    for found in _VARIABLE.finditer(pattern):
        expression += _as_expression(pattern[end : found.start()])
        expression += re.escape(_value_of(found, context))
        end = found.end()
    return expression + _as_expression(pattern[end:])


def _value_of(found: re.Match[str], context: Context) -> str:
    name = found["name"].strip()
    if name in ("*", "?", "$"):
        return name
    values = context.get(name.lower(), ())
    if len(values) == 1:
        return values[0]
    if found["default"] is not None and not values:
        return found["default"]
    raise UnknownVariable(name)


def _parts(arn: str) -> list[str]:
    """The parts of an ARN; colons within a variable separate nothing."""
    guarded = _VARIABLE.sub(lambda found: found[0].replace(":", "\0"), arn)
    return [part.replace("\0", ":") for part in guarded.split(":", _ARN_PARTS - 1)]
