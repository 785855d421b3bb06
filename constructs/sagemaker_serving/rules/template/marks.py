"""Texts of which a part is unknown."""

from __future__ import annotations

import re
from typing import Any

from local_aws.template import Unknown

MARK = "\N{SYMBOL FOR SUBSTITUTE}"
MARKED = re.compile(f"{MARK}([^{MARK}]*){MARK}")
"""What `text_with_marks` puts in the place of the unknown; the group is its name, or ""."""


SUBSTITUTION = re.compile(r"\$\{([^${}]+)\}")
"""A part of a text that another value takes the place of."""


def text_with_marks(value: Any) -> str | None:
    """A text, in which marks around a name stand for what is unknown; None when it is no text."""
    if isinstance(value, Unknown) and value.pieces:
        return "".join(
            piece if isinstance(piece, str) else f"{MARK}{piece.name or ''}{MARK}"
            for piece in value.pieces
        )
    return value if isinstance(value, str) else None


def open_mark(unknown: Unknown) -> str:
    """The mark of what may be anything, with what it comes from where that is known."""
    return f"{MARK}={unknown.source}{MARK}"


def same_text(value: Any) -> str | None:
    """What two values that are the same have in common: a text, with the source of each part that
    is unknown. None where a part has none, so that nobody can tell."""
    if isinstance(value, str):
        return value
    parts = (value.pieces or (value,)) if isinstance(value, Unknown) else ()
    if not parts or any(isinstance(part, Unknown) and not part.source for part in parts):
        return None
    return "".join(
        part if isinstance(part, str) else f"{MARK}{part.source}{MARK}" for part in parts
    )
