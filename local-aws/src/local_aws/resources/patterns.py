"""Texts made to a pattern: ids and names of the form that a schema says."""

from __future__ import annotations

import re
import secrets
import string
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from local_aws.schemas import fits_text

_READABLE = string.ascii_lowercase + string.digits
_PRINTABLE = [chr(code) for code in range(32, 127)]
_ENOUGH = 8
_REPEATS = (_ENOUGH, 0, 1, 4, 2, 16, 32)
"""How often more than it must something repeats, one attempt after another: ids are random enough
at first, and limits are met later."""

_PARSER: Any = getattr(re, "_parser")  # noqa: B009, the standard library's own reading of patterns
_CLASSES = {"L": "a-z", "Ll": "a-z", "Lu": "A-Z", "N": "0-9", "Nd": "0-9", "Print": "a-z"}
"""Unicode's classes, which that cannot read, by some that are in them."""

_CLASS = re.compile(r"\\.|\[(?:\\.|[^\]\\])+\]", re.S)


def text_like(schema: Mapping[str, Any], *first: str) -> str | None:
    """A random text of a schema's pattern and length, or one of ``first`` that is.

    None where none was found.
    """
    limits = {key: schema[key] for key in ("pattern", "minLength", "maxLength") if key in schema}
    for text in (*first, *_made(limits)):
        if fits_text(limits, text):
            return text
    return None


def _made(limits: Mapping[str, Any]) -> Iterator[str]:
    least = int(limits.get("minLength", 0))
    yield "".join(secrets.choice(_READABLE) for _ in range(max(least, 10)))
    yield "".join(secrets.choice(_READABLE) for _ in range(least))
    pattern = re.sub(
        r"\\[pP]\{\^?(\w+)\}", lambda name: _CLASSES.get(name[1], ""), limits.get("pattern", "")
    )
    try:
        parsed = _PARSER.parse(_CLASS.sub(_plain, pattern.replace("(?s)", "")))
    except re.error:
        return
    for _ in range(3):
        for repeats in (*_REPEATS, least, max(least - 1, 0)):
            yield _text(parsed, repeats, {})


def _plain(found: re.Match[str]) -> str:
    """A class in which no character may be read as an operation on sets, of which Python warns."""
    if not found[0].startswith("["):  # an escape that is in no class
        return found[0]
    return "[" + re.sub(r"\\.|([|&~[])", _escaped, found[0][1:])


def _escaped(found: re.Match[str]) -> str:
    return found[0] if found[1] is None else f"\\{found[1]}"


def _text(parsed: Any, repeats: int, groups: dict[int, str]) -> str:
    return "".join(_piece(str(kind), value, repeats, groups) for kind, value in parsed)


def _piece(kind: str, value: Any, repeats: int, groups: dict[int, str]) -> str:
    match kind:
        case "LITERAL":
            return chr(value)
        case "ANY" | "NOT_LITERAL":
            return secrets.choice(_READABLE)
        case "IN":
            usual = _usual(tuple(value))
            return secrets.choice(usual) if usual else ""
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, what = value
            more = repeats if int(least) < _ENOUGH else 0
            times = min(int(least) + more, int(most))
            return "".join(_text(what, 0, groups) for _ in range(times))
        case "SUBPATTERN":
            groups[value[0]] = _text(value[3], repeats, groups)
            return groups[value[0]]
        case "ATOMIC_GROUP":
            return _text(value, repeats, groups)
        case "BRANCH":
            return _text(secrets.choice(value[1]), repeats, groups)
        case "GROUPREF":
            return groups.get(value, "")
        case _:  # what only looks at the text around it
            return ""


@lru_cache
def _usual(items: tuple[tuple[Any, Any], ...]) -> Sequence[str]:
    """Characters of a class, those that are easily read where it has any."""
    negated = bool(items) and str(items[0][0]) == "NEGATE"
    found = {
        char
        for char in _PRINTABLE
        if any(_is_in(str(kind), value, char) for kind, value in items) != negated
    }
    rest = [
        chr(value[0] if str(kind) == "RANGE" else value)
        for kind, value in items
        if str(kind) in ("LITERAL", "RANGE")
    ]
    return [char for char in _READABLE if char in found] or sorted(found) or rest


def _is_in(kind: str, value: Any, char: str) -> bool:
    match kind:
        case "LITERAL":
            return bool(ord(char) == value)
        case "RANGE":
            return bool(value[0] <= ord(char) <= value[1])
        case "CATEGORY":
            name = str(value).removeprefix("CATEGORY_")
            holds = {
                "DIGIT": char.isdigit(),
                "WORD": char.isalnum() or char == "_",
                "SPACE": char.isspace(),
            }[name.removeprefix("NOT_")]
            return holds != name.startswith("NOT_")
        case _:
            return False
