"""What a rule is, and how rules judge the facts that they are about."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from types import UnionType

from sagemaker_serving.errors import Problem, Severity, Where
from sagemaker_serving.rules.facts.shapes import ShapeFacts

Finding = tuple[Where, str]
"""A rule's answer: the place, and a sentence with the value, what is allowed, what to do."""

Judge = Callable[..., Iterator[Finding]]
"""A function that judges one fact; one on the calendar takes ``today``, a date, beside it."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule: its id, its source, the facts it judges, and an example that breaks it.

    What it demands is the first paragraph of its function's docstring; why, the others.
    ``dated`` is whether it judges by the day too. ``shapes`` are members and shapes of AWS's API
    (``ProductionVariant.VolumeSizeInGB``); what does not fit one is told by this rule.
    ``refused`` is whether SageMaker, and so the local AWS, refuses the call that makes it.
    ``silent`` says why it is never told at a door: "environment files", "constructs" or "plans".
    ``aliases`` are ids that it had, by which it may be acknowledged still.
    """

    id: str
    source: str
    severity: Severity
    about: type | UnionType
    judge: Judge
    example: str = ""
    dated: bool = False
    shapes: tuple[str, ...] = ()
    refused: bool = False
    silent: Mapping[str, str] = field(default_factory=dict, hash=False)
    aliases: tuple[str, ...] = ()

    @property
    def what(self) -> str:
        """What the rule demands, in one sentence."""
        return inspect.cleandoc(self.judge.__doc__ or "").partition("\n\n")[0].replace("\n", " ")

    @property
    def why(self) -> str:
        """What happens without it; "" where that goes without saying."""
        return inspect.cleandoc(self.judge.__doc__ or "").partition("\n\n")[2].replace("\n", " ")


def rule(
    rule_id: str | None = None,
    *,
    source: str,
    severity: Severity = Severity.ERROR,
    example: str = "",
    shapes: tuple[str, ...] = (),
    refused: bool = False,
    silent: Mapping[str, str] | None = None,
    aliases: tuple[str, ...] = (),
) -> Callable[[Judge], Rule]:
    """Makes a function a rule on the facts its parameter's type names.

    Its id is ``rule_id``, or else the function's name with hyphens. ``source`` says where the fact
    is written and when that was read; ``example`` is a line or two that break the rule, for
    docs/rules.md. The others are as `Rule` has them.
    """

    def made(judge: Judge) -> Rule:
        hints = inspect.get_annotations(judge, eval_str=True)
        hints.pop("return")
        dated = hints.pop("today", None) is not None
        (about,) = hints.values()
        return Rule(
            id=rule_id or judge.__name__.replace("_", "-"),
            source=source,
            severity=severity,
            about=about,
            judge=judge,
            example=example,
            dated=dated,
            shapes=shapes,
            refused=refused,
            silent=silent or {},
            aliases=aliases,
        )

    return made


warning = partial(rule, severity=Severity.WARNING)
"""A rule whose findings stop no deploy, and may be mistakes."""
note = partial(rule, severity=Severity.NOTE)
"""A rule whose findings are good to know."""


def judge(
    facts: Iterable[object], rules: Sequence[Rule], today: date | None = None
) -> list[Problem]:
    """Every problem that any of ``rules`` finds in ``facts``; ``today`` is this day by default."""
    return judged_by(rules, today)(facts)


def judged_by(
    rules: Sequence[Rule], today: date | None = None
) -> Callable[[Iterable[object]], list[Problem]]:
    """What `judge` does, for facts that come part by part."""
    day = date.today() if today is None else today
    about: dict[type, list[Rule]] = {}
    by_shape = {place: rule for rule in rules for place in rule.shapes}

    def misfits(facts: ShapeFacts) -> Iterator[Problem]:
        for fault in facts.faults:
            rule = next((by_shape[each] for each in fault.places if each in by_shape), None)
            if rule is not None:
                yield Problem(
                    rule=rule.id, where=fault.where, message=fault.message, severity=rule.severity
                )

    def found(facts: Iterable[object]) -> list[Problem]:
        problems: list[Problem] = []
        for fact in facts:
            if isinstance(fact, ShapeFacts):
                problems += misfits(fact)
            kind = type(fact)
            if kind not in about:
                about[kind] = [rule for rule in rules if issubclass(kind, rule.about)]
            problems += [
                Problem(rule=rule.id, where=where, message=message, severity=rule.severity)
                for rule in about[kind]
                for where, message in (rule.judge(fact, day) if rule.dated else rule.judge(fact))
            ]
        return problems

    return found
