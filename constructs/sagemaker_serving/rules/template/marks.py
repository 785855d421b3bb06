"""Texts of which a part is unknown."""

from __future__ import annotations

import re
from typing import Any

from local_aws.template import Unknown

MARK = "\N{SYMBOL FOR SUBSTITUTE}"
MARKED = re.compile(f"{MARK}([^{MARK}]*){MARK}")
"""What `text_with_marks` puts in the place of the unknown; the group is its name, or ""."""


def text_with_marks(value: Any) -> str | None:
    """A text, in which marks around a name stand for what is unknown; None when it is no text."""
    if isinstance(value, Unknown) and value.pieces:
        return "".join(
            piece if isinstance(piece, str) else f"{MARK}{piece.name or ''}{MARK}"
            for piece in value.pieces
        )
    return value if isinstance(value, str) else None
