"""Why things are in quarantine, those that are alike counted together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MOST = 500
"""Reasons that are told apart; what comes after so many counts as `OTHER`."""

OTHER = "other reasons"

_NUMBER = re.compile(r"\d[\d,.]*")
_QUOTED = re.compile(r"'[^'\"]*'")
_COMPARED_LETTERS = 200


class Reasons:
    """Errors by what they have in common: all but numbers, and what Python shows in quotes."""

    def __init__(self) -> None:
        self._alike: dict[str, dict[str, Any]] = {}

    def add(self, line: Mapping[str, Any]) -> None:
        """Count a line of the list."""
        key = alike(str(line["error"]))
        if key not in self._alike and len(self._alike) >= MOST:
            key = OTHER
        found = self._alike.get(key)
        if found is None:
            first = {name: line[name] for name in ("object", "record") if name in line}
            error = OTHER if key == OTHER else line["error"]
            found = self._alike[key] = {"error": error, "lines": 0, "first": first}
        found["lines"] += 1

    def by_number(self) -> list[dict[str, Any]]:
        """Each reason with its first line's words and place, the most frequent one first."""
        return sorted(self._alike.values(), key=lambda reason: -int(reason["lines"]))


def alike(error: str) -> str:
    """What errors of one reason have in common."""
    return _NUMBER.sub("#", _QUOTED.sub("'…'", error[: 2 * _COMPARED_LETTERS]))[:_COMPARED_LETTERS]
