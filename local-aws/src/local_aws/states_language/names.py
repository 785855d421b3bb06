"""What machines, executions and the labels of Map states may be called."""

from __future__ import annotations

import re

_UNFIT = re.compile(r"[\s<>{}\[\]?*\"#%\\^|~`$&,;:/\x00-\x1f\x7f-\x9f]")
"""What no name has, nor a Map state's label, which becomes part of one."""


def unfit_character(name: str) -> str | None:
    """The first character that no name has."""
    found = _UNFIT.search(name)
    return None if found is None else found[0]
