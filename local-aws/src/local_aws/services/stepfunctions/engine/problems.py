"""How a definition's problems are told."""

from __future__ import annotations

from dataclasses import dataclass

SCHEMA = "SCHEMA_VALIDATION_FAILED"


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing that is wrong, and where: ``/States/Each/ItemProcessor``."""

    code: str
    message: str
    location: str

    def __str__(self) -> str:
        return f"{self.code}: {self.message} at {self.location}"


def schema_problem(message: str, location: str) -> Problem:
    """A field that is missing, unknown, or of a value that it cannot have."""
    return Problem(code=SCHEMA, message=message, location=location)
