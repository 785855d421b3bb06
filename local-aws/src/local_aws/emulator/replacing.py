"""How a change stands in the place of one of the emulator's methods or functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

Original = Callable[..., Any]
"""The emulator's own."""


def replaces(owner: Any, name: str) -> Callable[[Callable[..., Any]], None]:
    """Put a function, which is given the emulator's own first, into its place.

    A second time the new one takes the place of the old one, and is given the emulator's own again.
    """
    current = getattr(owner, name)
    original = getattr(current, "__wrapped__", current)
    is_static = isinstance(inspect.getattr_static(owner, name), staticmethod)

    def replace(function: Callable[..., Any]) -> None:
        @wraps(original)
        def method(*arguments: Any, **named: Any) -> Any:
            return function(original, *arguments, **named)

        setattr(owner, name, staticmethod(method) if is_static else method)

    return replace
