"""What the steps raise on purpose; the class's name is the error's name in Step Functions."""

from __future__ import annotations

from collections.abc import Iterable


class NotAllowed(Exception):
    """The function's role misses a permission."""


class Refused(Exception):
    """The execution cannot begin: every reason at once."""

    def __init__(self, problems: Iterable[str]) -> None:
        super().__init__("; ".join(problems))
