"""Rules on scheduled scaling: when, what it is called, and which bounds it sets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from local_aws.schedules import SCALING, schedule_fault
from local_aws.suggest import did_you_mean
from sagemaker_serving.catalog.snapshot import snapshot
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.engine.numbers import at_least, not_below
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.kinds import EventScheduleFacts, ScheduleFacts, SchedulesFacts

_API = "botocore application-autoscaling PutScheduledAction"
_GRAMMAR = (
    "Application Auto Scaling user guide, scheduled scaling; EventBridge user guide, cron "
    "expressions"
)


@rule(refused=True, source=_GRAMMAR, example='schedule: "0 8 * * *"')
def scaling_schedule(schedules: SchedulesFacts) -> Iterator[Finding]:
    """A schedule is ``cron(…)`` of six fields, ``rate(…)`` or ``at(…)``, and sets a bound.

    Each field is in its range, and the day is one of the month or one of the week. Crontab's five
    fields are refused: the sixth is the year.
    """
    for each in schedules.each:
        text = each.schedule.text
        fault = None if text is None else schedule_fault(text, SCALING)
        if fault is not None:
            yield each.schedule.says(f"is {text!r}; {fault}")
        if not each.minimum.given and not each.maximum.given:
            least, most = each.minimum.name, each.maximum.name
            yield each.finding(f"neither {least} nor {most} is given; give one of them")


@rule(source=_GRAMMAR, example="ScheduleExpression: cron(0 8 * * *)")
def event_schedule(facts: EventScheduleFacts) -> Iterator[Finding]:
    """A schedule of EventBridge's is one of its expressions, in a time zone that there is.

    A rule takes ``cron(…)`` of six fields and ``rate(…)``, a schedule of EventBridge Scheduler
    ``at(…)``, too. PutRule and CreateSchedule refuse others.
    """
    text = facts.schedule.text
    fault = None if text is None else schedule_fault(text, facts.kinds)
    if fault is not None:
        yield facts.schedule.says(f"is {text!r}; {fault}")
    yield from _zone(facts.zone)


@rule(refused=True, source=_GRAMMAR, example="timezone: Europe/Berlyn")
def scaling_schedule_zone(schedules: SchedulesFacts) -> Iterator[Finding]:
    """A schedule's time zone is one of the IANA database's.

    PutScheduledAction refuses any other. An abbreviation or an offset is none.
    """
    for each in schedules.each:
        yield from _zone(each.zone)


def _zone(zone: Fact) -> Iterator[Finding]:
    if zone.text is not None and zone.text not in _time_zones():
        hint = did_you_mean(zone.text, _time_zones()) or "use one such as Europe/Berlin"
        yield zone.says(f"is {zone.text!r}; there is no such time zone; {hint}")


@rule(
    source=_API,
    example="schedules: [{name: morning/8 …}]",
    shapes=("application-autoscaling.ScheduledActionName",),
)
def scaling_schedule_name(schedules: SchedulesFacts) -> Iterator[Finding]:
    """A schedule's name is its own on what it scales.

    Application Auto Scaling finds a scheduled action by it, so a second one would replace the
    first.
    """
    seen: set[str] = set()
    for name in (each.name for each in schedules.each):
        if name.text is None:
            continue
        if name.text in seen:
            yield name.finding(f"a schedule named {name.text!r} stands above; rename one of them")
        seen.add(name.text)


@rule(source=_API, example="schedules: [{min: 9 …}]   # beside max: 4")
def scaling_schedule_bounds(schedules: SchedulesFacts) -> Iterator[Finding]:
    """A schedule's bounds are 0 or more, in their order, and fit those that they leave as they are.

    A lone ``min`` is at most the highest ``max`` that the target ever has, a lone ``max`` at least
    its lowest ``min``. A real-time variant keeps one instance.
    """
    for each in schedules.each:
        least = 1 if schedules.keeps_one else 0
        yield from at_least(each.minimum, least)
        yield from at_least(each.maximum, least)
        yield from not_below(each.maximum, each.minimum)
        if each.maximum.value is None:
            yield from _above(each, schedules)
        if each.minimum.value is None:
            yield from _below(each, schedules)


def _above(each: ScheduleFacts, schedules: SchedulesFacts) -> Iterator[Finding]:
    highest = _numbers(schedules.maximum, *(other.maximum for other in schedules.each))
    number = each.minimum.number
    if highest is not None and number is not None and number > max(highest):
        yield each.minimum.says(
            f"is {each.minimum.value}, and {schedules.maximum.name} is never over {max(highest)}; "
            f"give the schedule a {each.maximum.name}, too"
        )


def _below(each: ScheduleFacts, schedules: SchedulesFacts) -> Iterator[Finding]:
    lowest = _numbers(schedules.minimum, *(other.minimum for other in schedules.each))
    number = each.maximum.number
    if lowest is not None and number is not None and number < min(lowest):
        yield each.maximum.says(
            f"is {each.maximum.value}, and {schedules.minimum.name} is never below {min(lowest)}; "
            f"give the schedule a {each.minimum.name}, too"
        )


def _numbers(*bounds: Fact) -> list[float] | None:
    """All that are given; None where one of them is not known, or the target's own is not."""
    given = [bound.number for bound in bounds if bound.given]
    known = [number for number in given if number is not None]
    return known if bounds[0].given and len(known) == len(given) else None


@cache
def _time_zones() -> frozenset[str]:
    """Every zone's name, such as ``Europe/Berlin`` or ``UTC``, and every other name that it has.

    Whether AWS takes the others too is unverified: it says "canonical names". Source:
    ``data/time_zones.json``.
    """
    areas: dict[str, list[str]] = snapshot("time_zones")["areas"]
    return frozenset(
        f"{area}/{name}" if area else name for area, names in areas.items() for name in names
    )
