"""How a definition's problems are told."""

from __future__ import annotations

from dataclasses import dataclass

SCHEMA = "SCHEMA_VALIDATION_FAILED"

Place = tuple[str | int, ...]
"""Keys and indexes from the top of a definition: ``("States", "Each", "Retry", 0)``."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing that is wrong, as ``ValidateStateMachineDefinition`` words it, and where.

    ``place`` is None for a text that is no definition at all. ``advice`` says what is allowed
    and what to do, which AWS leaves out.
    https://docs.aws.amazon.com/step-functions/latest/apireference/API_ValidateStateMachineDefinitionDiagnostic.html.
    """

    code: str
    message: str
    place: Place | None
    advice: str = ""

    @property
    def location(self) -> str | None:
        """``/States/Each/Retry[0]``, and ``/`` for the whole."""
        if self.place is None:
            return None
        return "".join(f"[{key}]" if isinstance(key, int) else f"/{key}" for key in self.place) or (
            "/"
        )

    def __str__(self) -> str:
        place = "" if self.location is None else f" at {self.location}"
        return f"{self.code}: {self.message}{place}"


def schema_problem(message: str, place: Place | None, advice: str = "") -> Problem:
    """A field that is missing, unknown, or of a value that it cannot have."""
    return Problem(code=SCHEMA, message=message, place=place, advice=advice)
