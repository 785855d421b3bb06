"""Judges each resource of a template in every scenario that makes something else of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from itertools import count
from typing import Any

from sagemaker_serving.errors import Problem, Severity, Where
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.template.facts import resource_facts
from sagemaker_serving.rules.template.mentions import whole_template
from sagemaker_serving.rules.template.occurrences import Finding, Outcome, occurrences
from sagemaker_serving.rules.template.reading import Template
from sagemaker_serving.rules.template.resources import Resources
from sagemaker_serving.rules.template.scenarios import OTHER, Scenario

Judge = Callable[[Iterable[object]], list[Problem]]

COMBINATIONS = 64
"""In how many ways a resource is judged, at most, beside each choice alone; where more than 100
resources depend on choices in fewer, down to 8."""


def judge_template(
    template: Template, region: str | None, judge: Judge
) -> tuple[list[Problem], list[Problem]]:
    """Every problem of a template, and notes on what was not judged.

    ``region`` is where it is deployed. Each resource is judged with the defaults of parameters,
    with each value that may be chosen in their place, and with combinations of these, as far as
    they make a difference to it and conditions can reach them. A problem says in which it occurs,
    unless it does in all.
    """
    whole = whole_template(template, region)
    problems = judge([whole]) if whole is not None else []
    resources = Resources(template, region)
    explored = [_Explored(logical_id, resources, judge) for logical_id in resources]
    choosing = sum(each.depends_on_choices for each in explored)
    most = max(8, COMBINATIONS * 100 // max(100, choosing))
    weakest: dict[tuple[str, Where, str], Finding] = {}
    for each in explored:
        for finding in each.findings(most):
            key = (finding.problem.rule, finding.problem.where, finding.problem.message)
            if key not in weakest or len(finding.when) < len(weakest[key].when):
                weakest[key] = finding
    problems += [finding.told() for finding in weakest.values()]
    return problems, list(_notes(template, region, explored))


def _notes(
    template: Template, region: str | None, explored: Iterable[_Explored]
) -> Iterator[Problem]:
    for each in explored:
        if each.is_partial:
            yield Problem(
                rule="combinations-unjudged",
                where=template.where / each.logical_id,
                message="not every combination of the parameters and conditions that it depends on "
                "was judged; each choice was, with the others as by default",
                severity=Severity.NOTE,
            )
    if region is None and any(each.is_regional for each in explored):
        yield Problem(
            rule="region-unknown",
            where=template.where,
            message="no region is given, so the rules on what a region offers did not run; "
            "give --region, or set AWS_REGION",
            severity=Severity.NOTE,
        )


class _Explored:
    """One resource, judged as by default; ``is_partial`` is whether combinations were left out.

    ``is_regional`` is whether a region makes a difference to its rules.
    """

    def __init__(self, logical_id: str, resources: Resources, judge: Judge) -> None:
        self.logical_id = logical_id
        self.is_partial = False
        self.is_regional = False
        self._resources = resources
        self._scenarios = resources.scenarios
        self._judge = judge
        self._outcomes: list[Outcome] = []
        self._judged(self._scenarios.where({}))

    @property
    def depends_on_choices(self) -> bool:
        """Whether a deploy can make something else of it."""
        return bool(self._outcomes[0].asked)

    def findings(self, most: int) -> Iterator[Finding]:
        """What is wrong, and when; ``most`` is how many outcomes are looked for."""
        if not self.depends_on_choices:
            return iter([Finding(problem) for problem in self._outcomes[0].problems])
        return occurrences(self.logical_id, dict(self._tried(most)), self._around, self._scenarios)

    def _judged(self, scenario: Scenario) -> Outcome:
        resources = self._resources.under(scenario)
        facts = list(resource_facts(self.logical_id, resources))
        self.is_regional |= any(isinstance(getattr(fact, "region", None), Fact) for fact in facts)
        outcome = Outcome(
            scenario=scenario,
            asked=resources.asked,
            is_made=not resources.asked or resources.find(self.logical_id) is not None,
            problems=tuple(self._judge(facts)),
        )
        self._outcomes.append(outcome)
        return outcome

    def _known(self, scenario: Scenario) -> Outcome | None:
        """The outcome of a scenario that answers alike."""
        return next((each for each in self._outcomes if scenario.agrees(each.asked)), None)

    def _tried(self, most: int) -> Iterator[tuple[Scenario, Outcome]]:
        """Scenarios with their outcomes, by the number of choices: those that only conditions see
        come before those of values."""
        serial = count()
        queue: list[tuple[int, int, int, Mapping[str, Any]]] = [(0, 0, next(serial), {})]
        seen: set[frozenset[tuple[str, Any]]] = set()
        while queue:
            values, choices, _, chosen = heappop(queue)
            scenario = self._scenarios.where(chosen)
            outcome = self._known(scenario)
            if outcome is None and choices > 1 and len(self._outcomes) >= most:
                self.is_partial = True
                continue
            outcome = outcome or self._judged(scenario)
            if scenario.is_possible or not chosen:
                yield scenario, outcome
            for subject, is_value, value in self._choices(outcome):
                further = {**chosen, subject: value}
                key = frozenset(further.items())
                if key in seen:
                    continue
                if len(further) > 1 and len(seen) >= 16 * most:
                    self.is_partial = True
                    break
                seen.add(key)
                more = is_value and subject not in chosen
                heappush(queue, (values + more, len(further), next(serial), further))

    def _choices(self, outcome: Outcome) -> Iterator[tuple[str, bool, Any]]:
        """What could be chosen that may lead elsewhere: of what, whether a property has the value
        itself, and which."""
        conditions = tuple(name for what, name in outcome.asked if what == "condition")
        for subject in self._subjects(outcome):
            is_value = ("parameter", subject) in outcome.asked
            for value in self._scenarios.alternatives(subject, conditions, direct=is_value):
                yield subject, is_value, value

    def _subjects(self, outcome: Outcome) -> dict[str, None]:
        """What an outcome depends on."""
        found: dict[str, None] = {}
        for what, name in outcome.asked:
            of = self._scenarios.conditions.subjects(name) if what == "condition" else (name,)
            found |= dict.fromkeys(of)
        return found

    def _around(self, scenario: Scenario, outcome: Outcome) -> Iterator[tuple[Scenario, Outcome]]:
        """The scenarios that differ in one choice, so that it is known which of them matter; and
        those of other outcomes, as near to this as they may be.

        Of a default that could be any other value, one is that it is not known.
        """
        free = [
            (name, False, OTHER)
            for what, name in outcome.asked
            if what == "parameter" and self._scenarios.allowed(name) is None
        ]
        usual = [(subject, False, self._scenarios.base(subject)) for subject in scenario.chosen]
        for subject, _, value in [*self._choices(outcome), *free, *usual]:
            chosen = {**scenario.chosen, subject: value}
            if value == self._scenarios.base(subject):
                del chosen[subject]
            other = self._scenarios.where(chosen)
            if other is not scenario and other.is_possible:
                yield other, self._known(other) or self._judged(other)
        for known in list(self._outcomes):
            needed = self._subjects(known)
            free_there = {key: it for key, it in scenario.chosen.items() if key not in needed}
            nearest = self._scenarios.where({**free_there, **known.scenario.chosen})
            if nearest.is_possible:
                yield nearest, known
