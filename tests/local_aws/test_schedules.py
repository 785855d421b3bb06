"""Schedules: what the documented grammar takes, what it refuses, and when each comes to pass.

Right and wrong ones are those of AWS's own pages, and each field at its limits; the oracle beside
them is cfn-lint, which knows rates, the number of fields, and both days.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from local_aws.schedules import EVENTS, SCALING, Schedule, schedule_fault

RIGHT = [
    "cron(0 10 * * ? *)", "cron(15 12 * * ? *)", "cron(0 18 ? * MON-FRI *)", "cron(0 8 1 * ? *)",
    "cron(0/15 * * * ? *)", "cron(0/10 * ? * MON-FRI *)", "cron(0/5 8-17 ? * MON-FRI *)",
    "cron(30 6 ? * 2 *)", "cron(15 10 ? * 6L 2026-2030)", "cron(0 8 ? * 3#2 *)",
    "cron(0 8 ? * TUE#5 *)", "cron(0 8 3W * ? *)", "cron(0 8 L * ? *)", "cron(0 8 ? * L *)",
    "cron(0 9 ? JAN,FEB,MAR 2 *)", "cron(0 0 29 2 ? *)", "cron(0 0 31 2,3 ? *)",
    "cron(59 23 31 12 ? 2199)", "cron(0 0 1 1 ? 1970)", "cron(0 8  * * ? *)", "cron(*/5 * * * ? *)",
    "cron(0 20-4 * * ? *)", "cron(0 8 ? * FRI-MON *)", "cron(0 8 ? * mon-fri *)",
    "cron(0 0 1-15 * ? *)", "cron(0 0 1,15 * ? *)", "cron(5,35 14 * * ? *)", "cron(0 0 ? * * *)",
    "rate(1 minute)", "rate(5 minutes)", "rate(1 hour)", "rate(12 hours)", "rate(1 day)",
    "rate(7 days)",
]  # fmt: skip
WRONG = [
    ("cron(60 8 * * ? *)", "the minutes '60' is not 0 to 59"),
    ("cron(0 24 * * ? *)", "the hours '24' is not 0 to 23"),
    ("cron(0 8 0 * ? *)", "the day of month '0' is not 1 to 31, with , - * /, and ? L W"),
    ("cron(0 8 32 * ? *)", "the day of month '32'"),
    ("cron(0 8 * 0 ? *)", "the month '0' is not 1 to 12 or JAN to DEC"),
    ("cron(0 8 * 13 ? *)", "the month '13'"),
    ("cron(0 8 * JANUARY ? *)", "the month 'JANUARY'"),
    ("cron(0 8 ? * 0 *)", "the day of week '0' is not 1 to 7 or SUN to SAT"),
    ("cron(0 8 ? * 8 *)", "the day of week '8'"),
    ("cron(0 8 ? * FOO *)", "the day of week 'FOO'"),
    ("cron(0 8 ? * MON#6 *)", "write # and 1 to 5"),
    ("cron(0 8 ? * 3#1,6#3 *)", "has # in a list"),
    ("cron(0 8 * * ? 1969)", "the year '1969' is not 1970 to 2199"),
    ("cron(0 8 * * ? 2200)", "the year '2200'"),
    ("cron(0 8 * * ? 2030-2027)", "go backwards"),
    ("cron(0 8 * * * *)", "day of month and day of week are both given; write ? for exactly one"),
    ("cron(0 8 * * MON *)", "both given"),
    ("cron(0 8 ? * ? *)", "neither given"),
    ("cron(0 8 * * ?)", "has 5 fields; it needs six: minutes, hours"),
    ("cron(0 0 8 * * ? *)", "has 7 fields"),
    ("cron()", "has 0 fields"),
    ("cron(0 8 30 2 ? *)", "the day 30 never comes"),
    ("cron(0 8 31 4,6,9,11 ? *)", "the months '4,6,9,11' have at most 30 days"),
    ("cron(? 8 * * ? *)", "the minutes '?'"),
    ("cron(0 8 * ? * *)", "the month '?'"),
    ("cron(0 8 * * ? ?)", "the year '?'"),
    ("cron(0 L * * ? *)", "the hours 'L'"),
    ("cron(0 8 ? * 2W *)", "the day of week '2W'"),
    ("cron(0 8 2#1 * ? *)", "the day of month '2#1'"),
    ("cron(0/0 8 * * ? *)", "has a step that is not 1 to 59"),
    ("cron(0/60 8 * * ? *)", "has a step"),
    ("cron(-1 8 * * ? *)", "the minutes '-1'"),
    ("cron(0 8, * * ? *)", "the hours ''"),
    ("cron(0 \u0668 * * ? *)", "the hours '\u0668'"),
    ("cron(0 8 * * ? *", "it must be cron(<minutes> <hours>"),
    ("crontab(0 8 * * ? *)", "it must be cron("),
    ("0 8 * * ? *", "it must be cron("),
    (" cron(0 8 * * ? *)", "it must be cron("),
    ("rate(0 minutes)", "the number 1 or more"),
    ("rate(-1 days)", "is no rate"),
    ("rate(1.5 hours)", "is no rate"),
    ("rate(1 week)", "is no rate; write rate(<number> <minutes, hours or days>)"),
    ("rate(5minutes)", "is no rate"),
    ("rate(1_0 days)", "is no rate"),
    ("rate(\u0665 minutes)", "is no rate"),
    ("rate(9999999999 days)", "is no rate"),
    ("rate()", "is no rate"),
    ("", "it must be cron("),
]
WRONG_OF_EVENTS = [
    ("rate(1 days)", "write rate(1 day)"),
    ("rate(5 minute)", "write rate(5 minutes)"),
    ("at(2027-01-01T00:00:00)", "it must be cron("),
]
WRONG_OF_SCALING = [
    ("at(2027-02-30T00:00:00)", "there is no such time"),
    ("at(2027-13-01T00:00:00)", "there is no such time"),
    ("at(2027-01-01T24:01:00)", "there is no such time"),
    ("at(2027-01-01T00:60:00)", "there is no such time"),
    ("at(2027-01-01)", "is no time"),
    ("at(2027-01-01T00:00)", "is no time"),
    ("at(2027-01-01 00:00:00)", "is no time"),
    ("at(2027-01-01T00:00:00Z)", "without a zone"),
    ("at(\u0662\u0660\u0662\u0667-01-01T00:00:00)", "is no time"),
]


def test_the_documented_grammar_is_taken() -> None:
    assert [
        each for kind in (EVENTS, SCALING) for each in RIGHT if schedule_fault(each, kind)
    ] == []


def test_what_is_no_schedule_is_told() -> None:
    for kind, wrong in ((EVENTS, WRONG_OF_EVENTS), (SCALING, WRONG_OF_SCALING)):
        told = {each: schedule_fault(each, kind) or "" for each, _ in (*WRONG, *wrong)}
        assert [each for each, said in (*WRONG, *wrong) if said not in told[each]] == []


def test_application_auto_scaling_takes_a_time_and_either_unit() -> None:
    for expression in ("at(2027-01-01T00:00:00)", "at(2028-02-29T23:59:59)", "rate(1 days)"):
        assert schedule_fault(expression, SCALING) is None


@pytest.mark.parametrize(
    "expression", [*(each for each in RIGHT if "  " not in each), "rate(1 days)", "rate(0 days)"]
)
def test_cfn_lint_says_the_same_where_it_judges(expression: str) -> None:
    # Half a second, which no other test should wait for.
    from cfnlint.rules.resources.events.RuleScheduleExpression import RuleScheduleExpression

    theirs = list(RuleScheduleExpression().validate(_Strings(), None, expression, {}))
    assert bool(theirs) == (schedule_fault(expression, EVENTS) is not None), theirs


class _Strings:
    """What cfn-lint's rule asks of its validator."""

    def is_type(self, instance: object, kind: str) -> bool:
        return isinstance(instance, str) and kind == "string"


def due(expression: str, start: datetime, days: int, timezone: str = "UTC") -> Iterator[str]:
    """The minutes in which it comes to pass."""
    schedule = Schedule(expression, SCALING, ZoneInfo(timezone))
    for minute in range(days * 24 * 60):
        now = start + timedelta(minutes=minute)
        if schedule.is_due(now, start):
            yield f"{now:%m-%d %H:%M}"


@pytest.mark.parametrize(
    ("expression", "timezone", "days", "times"),
    [
        ("cron(0 8 L * ? *)", "UTC", 61, ["11-30 08:00", "12-31 08:00"]),
        ("cron(0 8 LW * ? *)", "UTC", 30, ["11-30 08:00"]),
        ("cron(0 8 L-2 * ? *)", "UTC", 30, ["11-28 08:00"]),
        ("cron(0 8 1W * ? *)", "UTC", 30, ["11-02 08:00"]),  # the first is a Sunday
        ("cron(0 8 14W * ? *)", "UTC", 30, ["11-13 08:00"]),  # a Saturday
        ("cron(0 8 ? * 6L *)", "UTC", 30, ["11-27 08:00"]),
        ("cron(0 8 ? * MON#2 *)", "UTC", 30, ["11-09 08:00"]),
        ("cron(0 8 ? * L *)", "UTC", 10, ["11-07 08:00"]),
        ("cron(0 8 ? * FRI-MON *)", "UTC", 5, ["11-01 08:00", "11-02 08:00"]),
        ("cron(30 23-1 1 * ? *)", "UTC", 2, ["11-01 00:30", "11-01 01:30", "11-01 23:30"]),
        ("cron(0 8 2 11 ? *)", "America/New_York", 5, ["11-02 13:00"]),
        ("at(2026-11-02T08:00:30)", "Europe/Berlin", 3, ["11-02 07:00"]),
        ("rate(12 hours)", "UTC", 1, ["11-01 12:00"]),
    ],
)
def test_each_comes_to_pass_when_it_says(
    expression: str, timezone: str, days: int, times: list[str]
) -> None:
    assert list(due(expression, datetime(2026, 11, 1, tzinfo=UTC), days, timezone)) == times
