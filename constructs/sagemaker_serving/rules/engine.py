"""Collects the rules and applies each to the facts it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, get_type_hints

from sagemaker_serving.errors import Problem, Severity, Where

Finding = tuple[Where, str]
"""A rule's answer: the place, and a sentence with the value, what is allowed, what to do."""

_Judge = TypeVar("_Judge", bound=Callable[[Any], Iterator[Finding]])


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule: its id, what it demands (its docstring), its source, and the facts it judges."""

    id: str
    source: str
    severity: Severity
    about: type
    judge: Callable[[Any], Iterator[Finding]]


def rule(
    rule_id: str, *, source: str, severity: Severity = Severity.ERROR
) -> Callable[[_Judge], _Judge]:
    """Registers a function as the rule ``rule_id`` on the facts its first parameter names."""

    def register(judge: _Judge) -> _Judge:
        hints = get_type_hints(judge)
        hints.pop("return")
        (about,) = hints.values()
        _RULES.append(Rule(id=rule_id, source=source, severity=severity, about=about, judge=judge))
        return judge

    return register


def judge(facts: Iterable[object]) -> list[Problem]:
    """Every problem that any rule finds in ``facts``."""
    return [
        Problem(rule=rule.id, where=where, message=message, severity=rule.severity)
        for fact in facts
        for rule in _RULES
        if isinstance(fact, rule.about)
        for where, message in rule.judge(fact)
    ]


def all_rules() -> tuple[Rule, ...]:
    """Every rule there is, in the order of their files."""
    return tuple(_RULES)


_RULES: list[Rule] = []
