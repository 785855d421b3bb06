"""Where two AWSs answered otherwise."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Literal

from tests.acceptance.recording import Call, Recording, Step

DIFFERS_BY_NATURE = {
    "ArtifactDigest": "of an archive that holds the times of its files",
    "seconds": "how long a batch took",
    "summary": "a batch's report in words, with the seconds that it took",
}
"""Members whose values are not compared, and why; that they are there is."""

Kind = Literal["missing", "status", "code", "field", "order", "reason"]

_ROUNDING = 1e-4
"""Kinds of processors round a model's sums otherwise."""

_DRAWN = re.compile(r"<(id|etag|version) \d+>")
_ABSENT = object()


@dataclass(frozen=True, kw_only=True)
class Difference:
    """``where`` is the step, the call or resource, and what of it; then what each AWS said."""

    kind: Kind
    where: tuple[str, ...]
    one: str
    other: str

    def __str__(self) -> str:
        return f"{' / '.join(self.where)}: {self.kind}: {self.one} | {self.other}"


def compare(one: Recording, other: Recording) -> list[Difference]:
    """Every difference, in the order of the scenario.

    Numbers of ids that AWS drew may differ, as long as what is the same id in one recording is the
    same in the other.
    """
    return list(_Comparison().recordings(one, other))


class _Comparison:
    def __init__(self) -> None:
        self._there: dict[str, str] = {}
        self._back: dict[str, str] = {}

    def recordings(self, one: Recording, other: Recording) -> Iterator[Difference]:
        steps = [{step.name: step for step in recording.steps} for recording in (one, other)]
        for name in dict.fromkeys([*steps[0], *steps[1]]):
            if name in steps[0] and name in steps[1]:
                yield from self._steps(steps[0][name], steps[1][name])
            else:
                yield _missing((name,), *(name in each for each in steps))

    def _steps(self, one: Step, other: Step) -> Iterator[Difference]:
        for ours, theirs in zip_longest(one.calls, other.calls):
            if ours is None or theirs is None or ours.operation != theirs.operation:
                said = [
                    each.operation if each is not None else "nothing" for each in (ours, theirs)
                ]
                yield Difference(kind="missing", where=(one.name,), one=said[0], other=said[1])
                break  # one call more or less, and every later one stands beside another
            yield from self._calls((one.name, ours.operation), ours, theirs)
        for resource in dict.fromkeys([*one.events, *other.events]):
            where = (one.name, resource)
            if resource in one.events and resource in other.events:
                yield from self._histories(where, one.events[resource], other.events[resource])
            else:
                yield _missing(where, resource in one.events, resource in other.events)

    def _calls(self, where: tuple[str, ...], one: Call, other: Call) -> Iterator[Difference]:
        asked = [*self._values("field", (*where, "parameters"), one.parameters, other.parameters)]
        if asked:
            yield from asked  # another question, so that its answer says nothing
            return
        yield from self._values("status", where, one.status, other.status)
        yield from self._values("code", where, one.code, other.code)
        yield from self._values("reason", where, one.reason, other.reason)
        yield from self._values("order", where, one.states, other.states)
        yield from self._values("field", where, one.members, other.members)

    def _histories(
        self, where: tuple[str, ...], one: list[list[str]], other: list[list[str]]
    ) -> Iterator[Difference]:
        orders = [[status for status, _ in history] for history in (one, other)]
        if orders[0] != orders[1]:
            yield from self._values("order", where, *orders)
            return
        for (status, ours), (_, theirs) in zip(one, other, strict=True):
            yield from self._values("reason", (*where, status), ours, theirs)

    def _values(
        self, kind: Kind, where: tuple[str, ...], one: Any, other: Any
    ) -> Iterator[Difference]:
        """Differences of two values of any shape; those of an order are told as a whole."""
        if where[-1] in DIFFERS_BY_NATURE and _ABSENT not in (one, other):
            return
        if isinstance(one, dict) and isinstance(other, dict):
            for name in dict.fromkeys([*one, *other]):
                ours, theirs = one.get(name, _ABSENT), other.get(name, _ABSENT)
                yield from self._values(kind, (*where, name), ours, theirs)
        elif isinstance(one, list) and isinstance(other, list) and kind != "order":
            for index, (ours, theirs) in enumerate(zip_longest(one, other, fillvalue=_ABSENT)):
                yield from self._values(kind, (*where, str(index)), ours, theirs)
        elif not self._same(one, other):
            yield Difference(kind=kind, where=where, one=_shown(one), other=_shown(other))

    def _same(self, one: Any, other: Any) -> bool:
        if isinstance(one, float) and isinstance(other, float):
            return math.isclose(one, other, rel_tol=_ROUNDING, abs_tol=_ROUNDING)
        if not (isinstance(one, str) and isinstance(other, str)):
            return type(one) is type(other) and bool(one == other)
        if _DRAWN.sub(r"<\1>", one) != _DRAWN.sub(r"<\1>", other):
            return False
        return all(
            self._there.setdefault(ours[0], theirs[0]) == theirs[0]
            and self._back.setdefault(theirs[0], ours[0]) == ours[0]
            for ours, theirs in zip(_DRAWN.finditer(one), _DRAWN.finditer(other), strict=True)
        )


def _missing(where: tuple[str, ...], in_one: bool, in_other: bool) -> Difference:
    said = ["there" if there else "missing" for there in (in_one, in_other)]
    return Difference(kind="missing", where=where, one=said[0], other=said[1])


def _shown(value: Any) -> str:
    return "nothing" if value is _ABSENT else repr(value)
