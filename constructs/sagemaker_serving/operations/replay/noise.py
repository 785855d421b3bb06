"""What a model answers differently to one request asked twice, to be taken off."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sagemaker_serving.answers.differences import Difference

MARGIN = 2.0
"""A difference is noise up to so many times the largest that was measured: of a few requests, the
largest is not the largest of all."""

_INDEX = re.compile(r"\[\d+\]")


@dataclass
class Noise:
    """Where a model's answers differ among themselves, and by how much.

    Places are paths without their first index, which is the example's: what differs in one
    example may differ in any. Numbers that differ share the largest distance among their like (the
    path without any index). What is no number, such as an identifier, is passed over at its place.
    """

    requests: int = 0
    unsteady: set[str] = field(default_factory=set)
    largest: dict[str, float] = field(default_factory=dict)
    ignored: set[str] = field(default_factory=set)

    def add(self, found: Iterable[Difference], tolerance: float) -> None:
        """Take in the differences of two answers to one request."""
        self.requests += 1
        for one in found:
            if one.distance <= tolerance:
                continue
            place, kind = _place(one.path), _kind(one.path)
            if math.isinf(one.distance):
                self.ignored.add(place)
            else:
                self.unsteady.add(place)
                self.largest[kind] = max(one.distance, self.largest.get(kind, 0.0))

    def explains(self, one: Difference) -> bool:
        """Whether the model differs from itself as much, at this place."""
        place = _place(one.path)
        if any(f"{place}.".startswith((f"{each}.", f"{each}[")) for each in self.ignored):
            return True
        return place in self.unsteady and one.distance <= MARGIN * self.largest[_kind(one.path)]

    def sizes(self) -> dict[str, float]:
        """The places where numbers differed, and the largest distance there."""
        return {place: self.largest[_kind(place)] for place in sorted(self.unsteady)}

    def as_dict(self) -> Mapping[str, object]:
        """For programs: how many requests were asked twice, and the places that differed."""
        return {
            "requests": self.requests,
            "largest": self.sizes(),
            "passed_over": sorted(self.ignored),
        }


def _place(path: str) -> str:
    return _INDEX.sub("[]", path, count=1)


def _kind(path: str) -> str:
    return _INDEX.sub("[]", path)
