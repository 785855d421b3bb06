"""How a definition's problems are told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SCHEMA = "SCHEMA_VALIDATION_FAILED"


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing that is wrong, and where: ``/States/Each/ItemProcessor``; of a text that is no
    definition at all, None."""

    code: str
    message: str
    location: str | None

    def __str__(self) -> str:
        place = "" if self.location is None else f" at {self.location}"
        return f"{self.code}: {self.message}{place}"


def schema_problem(message: str, location: str | None) -> Problem:
    """A field that is missing, unknown, or of a value that it cannot have."""
    return Problem(code=SCHEMA, message=message, location=location)


def missing_fields(
    given: Mapping[str, Any], fields: Sequence[str], place: str
) -> Iterator[Problem]:
    """The problem of an object that lacks some of these fields."""
    missing = [field for field in fields if field not in given]
    if missing:
        yield schema_problem(f"These fields are required: [{', '.join(missing)}]", place)
