"""What nginx's JavaScript understands by white space and by lines."""

from __future__ import annotations

import re

SPACE = "\t\n\x0b\x0c\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""White space (``\\s``), for a character class."""

SPACES = "".join(chr(code) for code in range(0x10000) if re.match(f"[{SPACE}]", chr(code)))
"""The same, one after the other, for `str.strip`."""


def lines(text: str) -> list[str]:
    """The lines of ``text``, trimmed, without blank ones."""
    stripped = (line.strip(SPACES) for line in re.split(r"\r?\n", text.strip(SPACES)))
    return [line for line in stripped if line]
