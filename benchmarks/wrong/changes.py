"""What is changed in a right document, so that it is wrong, or right in another way."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

Place = tuple[str | int, ...]
Change = dict[Place, Any]
Document = dict[str, Any]
Pair = tuple[Document, Document]
"""A wrong document, and the nearest right one."""

Family = Callable[[random.Random], Pair]

GONE = object()
"""Stands for a value that is taken away."""


def changed(document: Document, change: Change) -> Document:
    """The document with each place set to its value, or taken away."""
    document = copy.deepcopy(document)
    for place, value in change.items():
        at: Any = document
        for key in place[:-1]:
            at = at.setdefault(key, {}) if isinstance(at, dict) else at[key]
        if value is GONE:
            del at[place[-1]]
        else:
            at[place[-1]] = value
    return document
