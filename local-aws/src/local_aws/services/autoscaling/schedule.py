"""Scheduled actions: when ``at``, ``rate`` and ``cron`` come to pass, in a time zone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

_UNITS = {"minute": 1, "hour": 60, "day": 24 * 60}
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_FIELDS = (
    ("minutes", 0, 59, ()),
    ("hours", 0, 23, ()),
    ("day of month", 1, 31, ()),
    ("month", 1, 12, _MONTHS),
    ("day of week", 1, 7, _DAYS),
    ("year", 1970, 2199, ()),
)
"""Application Auto Scaling's cron has six fields, Sunday being 1 (user guide, "Scheduled scaling",
read 2026-11-21)."""


class Schedule:
    """A schedule's expression, asked minute by minute.

    Raises ValueError for what is none; ``L``, ``W`` and ``#`` of cron are not
    followed.
    """

    def __init__(self, expression: str, timezone: str = "UTC") -> None:
        found = re.fullmatch(r"(at|rate|cron)\((.+)\)", expression.strip())
        if found is None:
            raise ValueError(f"'{expression}' is none of at(…), rate(…) and cron(…)")
        self._kind, self._text = found.groups()
        self._zone = ZoneInfo(timezone)
        self._at = self._minutes = None
        self._cron: list[set[int]] = []
        if self._kind == "at":
            self._at = datetime.fromisoformat(self._text).replace(second=0, tzinfo=self._zone)
        elif self._kind == "rate":
            number, unit = self._text.split()
            self._minutes = int(number) * _UNITS[unit.removesuffix("s")]
        else:
            self._cron = _cron(self._text)

    def is_due(self, minute: datetime, since: datetime) -> bool:
        """Whether it comes to pass in this minute; a rate counts from ``since``."""
        if self._at is not None:
            return minute.astimezone(UTC) == self._at.astimezone(UTC)
        if self._minutes is not None:
            passed = int((minute - since) / timedelta(minutes=1))
            return passed > 0 and passed % self._minutes == 0
        local = minute.astimezone(self._zone)
        now = (
            local.minute,
            local.hour,
            local.day,
            local.month,
            local.isoweekday() % 7 + 1,
            local.year,
        )
        return all(value in field for value, field in zip(now, self._cron, strict=True))


@dataclass(frozen=True, kw_only=True)
class ScheduledAction:
    """New bounds at a time; None leaves one as it is."""

    name: str
    schedule: Schedule
    minimum: int | None
    maximum: int | None

    @classmethod
    def of(cls, action: Mapping[str, Any]) -> ScheduledAction:
        """Read an action of DescribeScheduledActions."""
        bounds = action["ScalableTargetAction"]
        return cls(
            name=action["ScheduledActionName"],
            schedule=Schedule(action["Schedule"], action.get("Timezone", "UTC")),
            minimum=bounds.get("MinCapacity"),
            maximum=bounds.get("MaxCapacity"),
        )


def _cron(text: str) -> list[set[int]]:
    parts = text.split()
    if len(parts) != len(_FIELDS):
        raise ValueError(f"cron({text}) has {len(parts)} fields; it needs six")
    return [_values(part.upper(), *field) for part, field in zip(parts, _FIELDS, strict=True)]


def _values(part: str, name: str, least: int, most: int, words: tuple[str, ...]) -> set[int]:
    found: set[int] = set()
    for piece in part.split(","):
        span, _, step = piece.partition("/")
        if span in ("*", "?"):
            first, last = least, most
        else:
            begin, dash, end = span.partition("-")
            first = _number(begin, name, words)
            last = _number(end, name, words) if dash else (most if step else first)
        found |= set(range(first, last + 1, int(step) if step else 1))
    if not found or not found <= set(range(least, most + 1)):
        raise ValueError(f"'{part}' is no {name} of a cron expression: {least} to {most}")
    return found


def _number(text: str, name: str, words: tuple[str, ...]) -> int:
    if text in words:
        return words.index(text) + 1
    if not text.isdecimal():
        raise ValueError(f"'{text}' is no {name} of a cron expression that is followed here")
    return int(text)
