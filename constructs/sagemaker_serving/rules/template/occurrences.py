"""In which of the scenarios that were tried a problem occurs, in as few words as are true."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sagemaker_serving.errors import Problem, Severity
from sagemaker_serving.rules.template.scenarios import OTHER, Asked, Scenario, Scenarios


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What is wrong with a resource where all that was ``asked`` is answered so.

    ``scenario`` is the first of those; ``is_made`` is whether the resource's own condition holds.
    """

    scenario: Scenario
    asked: Asked
    is_made: bool
    problems: tuple[Problem, ...]


Tried = dict[Scenario, Outcome]
Around = Callable[[Scenario, Outcome], Iterable[tuple[Scenario, Outcome]]]
"""Scenarios that differ from one in a single choice, with their outcomes."""


@dataclass(frozen=True)
class Finding:
    """A problem and when it occurs: always, where ``when`` is empty.

    ``defaults`` are the parameters whose default is what is wrong; ``by_default`` is whether the
    rest of ``when`` is so by default, too. ``also`` are the other values of a parameter with which
    it occurs, ``none_of`` the parameter of which no value is right.
    """

    problem: Problem
    when: Asked = field(default_factory=dict)
    defaults: tuple[str, ...] = ()
    by_default: bool = False
    also: tuple[str, ...] = ()
    none_of: str | None = None

    @property
    def is_unsettled(self) -> bool:
        """Whether what is wrong is an empty default beside what is not so by default.

        It waits for a value: whoever chooses the one gives the other, too. Published templates are
        written so (widdix/aws-cf-templates, static-website).
        """
        given = [self.when.get(("parameter", name)) for name in self.defaults]
        return bool(given) and not self.by_default and all(value == "" for value in given)

    def told(self) -> Problem:
        """The problem, with the words that say when it occurs.

        What only a value does that somebody may choose is a warning: whoever deploys can choose
        another. So is what the schemas say of a default alone, or of several choices at once:
        templates have defaults in whose place each deploy gives a value, and choices that nobody
        makes together.
        """
        chosen = {key: answer for key, answer in self.when.items() if key[1] not in self.defaults}
        parts = [_said(what, name, answer) for (what, name), answer in chosen.items()]
        when = [f"when {' and '.join(parts)}"] if parts else []
        if self.defaults:
            when.append(f"by default of {' and '.join(self.defaults)}")
        elif parts and self.by_default:
            when.append("as by default")
        message = ", ".join([*when, self.problem.message])
        if self.also:
            message += f"; so it is with {', '.join(self.also)}"
        if self.none_of is not None:
            message += f"; no value that parameter {self.none_of} allows is right"
        severity = self.problem.severity
        by_schema = self.problem.rule.startswith("schema-")
        elsewhere = any(what == "parameter" for what, _ in chosen) or (
            by_schema and (bool(self.defaults) or len(chosen) > 1)
        )
        if severity is Severity.ERROR and elsewhere:
            severity = Severity.WARNING
        return replace(self.problem, message=message, severity=severity)


def occurrences(
    logical_id: str, tried: Tried, around: Around, scenarios: Scenarios
) -> Iterator[Finding]:
    """Each problem that judging a resource found once, with the least that must be so for it.

    That the resource is made goes without saying, unless the problem is another's.
    """
    told: set[Problem] = set()
    for scenario, outcome in list(tried.items()):
        for problem in outcome.problems if outcome.is_made else ():
            if problem not in told:
                tried.update(around(scenario, outcome))
                is_own = problem.where.path[:1] == (logical_id,)
                relevant = [one for one in tried.items() if one[1].is_made or not is_own]
                finding, others = _finding(problem, outcome, relevant, scenarios)
                told |= {problem, *others}
                if not finding.is_unsettled:
                    yield finding


def _finding(
    problem: Problem,
    outcome: Outcome,
    tried: Sequence[tuple[Scenario, Outcome]],
    scenarios: Scenarios,
) -> tuple[Finding, set[Problem]]:
    """The finding, and what it tells of other values of the same parameter."""
    needed = dict(outcome.asked)
    for key in _dispensable(problem, outcome.asked):
        fewer = {other: answer for other, answer in needed.items() if other != key}
        if all(problem in other.problems for scenario, other in tried if scenario.agrees(fewer)):
            needed = fewer
    defaults = tuple(
        name
        for (what, name), answer in needed.items()
        if what == "parameter" and answer == scenarios.default(name)
    )
    usual = _is_default(needed, scenarios)
    listed = [key for key in needed if key[0] == "parameter" and scenarios.allowed(key[1])]
    if len(listed) != 1:
        return Finding(problem, needed, defaults, usual), set()
    (key,) = listed
    allowed = scenarios.allowed(key[1]) or []
    alike: dict[str, set[Problem]] = {}
    for value in allowed:
        with_it = [each for scenario, each in tried if scenario.agrees({**needed, key: value})]
        beside = [(one for one in each.problems if one.rule == problem.rule) for each in with_it]
        found = [{one for one in each if one.where == problem.where} for each in beside]
        if found and all(found):
            alike[value] = set().union(*found)
    others = set().union(*alike.values())
    if len(alike) == len(allowed):
        rest = {other: answer for other, answer in needed.items() if other != key}
        names = tuple(name for name in defaults if name != key[1])
        return Finding(problem, rest, names, _is_default(rest, scenarios), none_of=key[1]), others
    also = tuple(value for value in alike if value != needed[key])
    return Finding(problem, needed, defaults, usual, also), others


def _is_default(when: Asked, scenarios: Scenarios) -> bool:
    """Whether all of it is so where nobody gives a parameter, and nobody has to."""
    conditions = [name for what, name in when if what == "condition"]
    subjects = [subject for name in conditions for subject in scenarios.conditions.subjects(name)]
    has_defaults = all(scenarios.default(subject) is not OTHER for subject in subjects)
    return has_defaults and scenarios.where({}).agrees(when)


def _dispensable(problem: Problem, asked: Asked) -> list[tuple[str, str]]:
    """What was asked, the least telling first: values that the message does not show, then
    conditions, the last of them first."""
    last_first = list(asked)[::-1]
    return sorted(
        last_first, key=lambda key: key[0] != "parameter" or str(asked[key]) in problem.message
    )


def _said(what: str, name: str, answer: Any) -> str:
    if what == "condition":
        return f"condition {name} is {str(answer).lower()}"
    shown = "another value" if answer is OTHER else answer if answer != "" else "empty"
    return f"parameter {name} is {shown}"
