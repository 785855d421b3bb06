"""Schedules as EventBridge and Application Auto Scaling write them: ``cron``, ``rate`` and ``at``.

Both follow one grammar of cron: Application Auto Scaling's guide refers to EventBridge's. Sources:
docs.aws.amazon.com/eventbridge/latest/userguide/eb-cron-expressions.html and
eb-rate-expressions.html; docs.aws.amazon.com/autoscaling/application/userguide/
scheduled-scaling-using-cron-expressions.html; botocore application-autoscaling,
PutScheduledAction.Schedule. What they leave open is taken: lower case, ``LW``,
``L-3`` and ranges over midnight, all of which Quartz has.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo


class Schedule:
    """A schedule's expression, asked minute by minute in a time zone.

    ``kinds`` are those that the service takes. EventBridge, which takes no ``at``, wants the unit
    of a rate of one in the singular, and of any other in the plural; Application Auto Scaling does
    not say.

    Raises ValueError, which says what is wrong and what is allowed.
    """

    def __init__(self, expression: str, kinds: tuple[str, ...], zone: tzinfo = UTC) -> None:
        found = re.fullmatch(r"([a-z]+)\((.*)\)", expression)
        if found is None or found[1] not in kinds:
            raise ValueError(f"it must be {' or '.join(_FORMS[kind] for kind in kinds)}")
        self._zone = zone
        self._at = _at(found[2]) if found[1] == "at" else None
        self._minutes = _rate(found[2], agrees="at" not in kinds) if found[1] == "rate" else None
        self._cron = _Cron(found[2]) if found[1] == "cron" else None

    def is_due(self, minute: datetime, since: datetime) -> bool:
        """Whether it comes to pass in this minute; a rate counts from ``since``."""
        if self._at is not None:
            at = self._at.replace(second=0, tzinfo=self._zone)
            return minute.astimezone(UTC) == at.astimezone(UTC)
        if self._minutes is not None:
            passed = int((minute - since) / timedelta(minutes=1))
            return passed > 0 and passed % self._minutes == 0
        assert self._cron is not None
        return self._cron.matches(minute.astimezone(self._zone))


EVENTS = ("cron", "rate")
"""What a rule of EventBridge takes."""

SCALING = ("cron", "rate", "at")
"""What Application Auto Scaling takes, and EventBridge Scheduler."""


def schedule_fault(expression: str, kinds: tuple[str, ...]) -> str | None:
    """What is wrong with an expression, and what is allowed; None when it is right."""
    try:
        Schedule(expression, kinds)
    except ValueError as error:
        return str(error)
    return None


_FORMS = {
    "cron": "cron(<minutes> <hours> <day of month> <month> <day of week> <year>)",
    "rate": "rate(<number> <minutes, hours or days>)",
    "at": "at(<yyyy>-<mm>-<dd>T<hh>:<mm>:<ss>)",
}
_UNITS = {"minute": 1, "hour": 60, "day": 24 * 60}
_MOST = 2**31 - 1


def _at(text: str) -> datetime:
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}", text) is None:
        raise ValueError(f"'{text}' is no time; write {_FORMS['at']}, without a zone")
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"there is no such time: {error}") from None


def _rate(text: str, *, agrees: bool) -> int:
    found = re.fullmatch(r"([0-9]{1,10}) (minute|hour|day)(s?)", text)
    if found is None or not 1 <= int(found[1]) <= _MOST:
        raise ValueError(f"'{text}' is no rate; write {_FORMS['rate']}, the number 1 or more")
    if agrees and (found[1] == "1") == bool(found[3]):
        unit = found[2] if found[1] == "1" else f"{found[2]}s"
        raise ValueError(f"the unit of {found[1]} is '{unit}'; write rate({found[1]} {unit})")
    return int(found[1]) * _UNITS[found[2]]


@dataclass(frozen=True)
class _Field:
    """One field of cron; ``marks`` are the letters that it has a meaning for."""

    name: str
    least: int
    most: int
    words: tuple[str, ...] = ()
    marks: str = ""

    @property
    def allowed(self) -> str:
        """What it may be, as a message says it."""
        words = f" or {self.words[0]} to {self.words[-1]}" if self.words else ""
        marks = f", and {' '.join(self.marks)}" if self.marks else ""
        return f"{self.least} to {self.most}{words}, with , - * /{marks}"


_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_MINUTES, _HOURS, _DAY, _MONTH, _WEEKDAY, _YEAR = _FIELDS = (
    _Field("minutes", 0, 59),
    _Field("hours", 0, 23),
    _Field("day of month", 1, 31, marks="?LW"),
    _Field("month", 1, 12, _MONTHS),
    _Field("day of week", 1, 7, _DAYS, marks="?L#"),
    _Field("year", 1970, 2199),
)
_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_Test = Callable[[date], bool]


class _Cron:
    """Six fields; raises ValueError for what is none, or never comes to pass."""

    def __init__(self, text: str) -> None:
        parts = text.upper().split()
        if len(parts) != len(_FIELDS):
            names = ", ".join(field.name for field in _FIELDS)
            raise ValueError(f"cron({text}) has {len(parts)} fields; it needs six: {names}")
        minutes, hours, day, month, weekday, year = parts
        self._minutes = _values(minutes, _MINUTES)
        self._hours = _values(hours, _HOURS)
        self._months = _values(month, _MONTH)
        self._years = _values(year, _YEAR)
        self._day = None if day == "?" else [_day(each) for each in day.split(",")]
        self._weekday = None if weekday == "?" else [_weekday(each) for each in weekday.split(",")]
        if (self._day is None) == (self._weekday is None):
            both = "neither" if self._day is None else "both"
            raise ValueError(
                f"day of month and day of week are {both} given; write ? for exactly one of them"
            )
        if weekday.count("#") and "," in weekday:
            raise ValueError(f"the day of week '{weekday}' has # in a list; write it alone")
        days = {int(number) for number in re.findall(r"(?<![-/0-9])[0-9]+", day)}
        longest = max(_LONGEST[month - 1] for month in self._months)
        if days and re.fullmatch(r"[0-9,W]+", day) and min(days) > longest:
            raise ValueError(
                f"the day {min(days)} never comes: the months '{month}' have at most {longest} days"
            )

    def matches(self, local: datetime) -> bool:
        """Whether it comes to pass in this minute."""
        today = local.date()
        tests = self._day if self._day is not None else self._weekday
        assert tests is not None
        return (
            local.minute in self._minutes
            and local.hour in self._hours
            and local.month in self._months
            and local.year in self._years
            and any(test(today) for test in tests)
        )


def _values(text: str, field: _Field) -> set[int]:
    return {value for piece in text.split(",") for value in _span(piece, field)}


def _span(piece: str, field: _Field) -> Iterator[int]:
    """The values of a number, a range, ``*``, or one of these with a step."""
    span, slash, step = piece.partition("/")
    every = _step(step, piece, field) if slash else 1
    if span in ("*", ""):
        if not span and not slash:
            raise _refused(piece, field)
        first, last = field.least, field.most
    else:
        begin, dash, end = span.partition("-")
        first = _number(begin, piece, field)
        last = _number(end, piece, field) if dash else (field.most if slash else first)
    if last < first:
        if field is _YEAR:
            raise ValueError(f"the years '{piece}' go backwards; write the earlier one first")
        last += field.most - field.least + 1
    for value in range(first, last + 1, every):
        yield value if value <= field.most else value - (field.most - field.least + 1)


def _number(text: str, piece: str, field: _Field) -> int:
    if text in field.words:
        return field.words.index(text) + 1
    if re.fullmatch(r"[0-9]{1,4}", text) is None or not field.least <= int(text) <= field.most:
        raise _refused(piece, field)
    return int(text)


def _step(text: str, piece: str, field: _Field) -> int:
    most = field.most - field.least if field is _YEAR else field.most
    if re.fullmatch(r"[0-9]{1,4}", text) is None or not 1 <= int(text) <= most:
        raise ValueError(f"the {field.name} '{piece}' has a step that is not 1 to {most}")
    return int(text)


def _refused(piece: str, field: _Field) -> ValueError:
    return ValueError(f"the {field.name} '{piece}' is not {field.allowed}")


def _day(piece: str) -> _Test:
    found = re.fullmatch(r"(?:L(?:-([0-9]{1,2}))?|([0-9]{1,2}))(W?)", piece)
    if found is None or not ("L" in piece or "W" in piece):
        values = _values(piece, _DAY)
        return lambda today: today.day in values
    number = int(found[1] or 0) if "L" in piece else _number(found[2], piece, _DAY)
    if number > _DAY.most - 1 and "L" in piece:
        raise _refused(piece, _DAY)

    def is_it(today: date) -> bool:
        last = calendar.monthrange(today.year, today.month)[1]
        day = last - number if "L" in piece else number
        if not 1 <= day <= last:
            return False
        return today.day == (_nearest_weekday(today.replace(day=day), last) if found[3] else day)

    return is_it


def _nearest_weekday(wanted: date, last: int) -> int:
    if wanted.weekday() == 5:  # Saturday
        return wanted.day - 1 if wanted.day > 1 else wanted.day + 2
    if wanted.weekday() == 6:
        return wanted.day + 1 if wanted.day < last else wanted.day - 2
    return wanted.day


def _weekday(piece: str) -> _Test:
    found = re.fullmatch(r"([A-Z]{3}|[0-9]+)(?:(L)|#(.*))", piece)
    if found is None:
        values = {_DAYS.index("SAT") + 1} if piece == "L" else _values(piece, _WEEKDAY)
        return lambda today: _of_week(today) in values
    wanted = _number(found[1], piece, _WEEKDAY)
    if found[2]:
        return lambda today: (
            _of_week(today) == wanted and (today + timedelta(days=7)).month != today.month
        )
    if re.fullmatch(r"[1-5]", found[3]) is None:
        raise ValueError(f"the day of week '{piece}' is not the first to fifth: write # and 1 to 5")
    which = int(found[3])
    return lambda today: _of_week(today) == wanted and (today.day - 1) // 7 + 1 == which


def _of_week(today: date) -> int:
    """1 is Sunday."""
    return today.isoweekday() % 7 + 1
