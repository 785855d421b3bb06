"""What nginx's JavaScript understands by white space and by lines."""

from __future__ import annotations

import re

SPACE = "\t\n\x0b\x0c\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""White space (``\\s``), for a character class."""

SPACES = SPACE.replace("\u2000-\u200a", "".join(map(chr, range(0x2000, 0x200B))))
"""The same, one after the other, for `str.strip`."""


def lines(text: str) -> list[str]:
    """The lines of ``text``, trimmed, without blank ones."""
    stripped = (line.strip(SPACES) for line in re.split(r"\r?\n", text.strip(SPACES)))
    return [line for line in stripped if line]
