"""What benchmarks yield: figures to read, and ratios that a guard holds to their bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

Figure = tuple[str, str]
"""What was measured, and the value as a reader wants it."""


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """A figure that does not depend on the machine: a ratio, a count, a share.

    It unpacks as a `Figure` does. ``at_most`` and ``at_least`` are what is wanted of it.
    """

    name: str
    value: float
    at_most: float | None = None
    at_least: float | None = None
    unit: str = ""

    @property
    def holds(self) -> bool:
        """Whether it is what is wanted."""
        low = self.at_least is None or self.value >= self.at_least
        return low and (self.at_most is None or self.value <= self.at_most)

    def __str__(self) -> str:
        wanted = [
            f"at {word} {bound:g}"
            for word, bound in (("least", self.at_least), ("most", self.at_most))
            if bound is not None
        ]
        missed = "" if self.holds else "; missed"
        return f"{self.value:.4g}{self.unit} (wanted: {' and '.join(wanted)}{missed})"

    def __iter__(self) -> Iterator[str]:
        yield from (self.name, str(self))
