"""What a template's conditions depend on: parameters, and other values that a deploy settles."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from local_aws.template import TemplateError, as_text, references

Subjects = dict[str, list[Any]]
"""What is compared, by name: a parameter's, or the expression as JSON; and with which values."""


def comparison(compared: list[Any]) -> tuple[str, Any]:
    """The subject of an ``Fn::Equals``, and the text that it is compared with.

    Of two subjects, whether they are the same is the subject, and True the value.
    """
    constants = [as_text(side) for side in compared if isinstance(side, str | int | float)]
    subjects = [side for side in compared if not isinstance(side, str | int | float)]
    if len(subjects) != 1:
        return _as_json(compared), True
    (subject,) = subjects
    if isinstance(subject, dict) and isinstance(subject.get("Ref"), str):
        return subject["Ref"], constants[0]
    return _as_json(subject), constants[0]


class Conditions:
    """The conditions of a template; ``varies`` is whether a parameter is not the same always."""

    def __init__(self, expressions: Mapping[str, Any], varies: Callable[[str], bool]) -> None:
        self._expressions = expressions
        self._varies = varies
        self._known: dict[str, Subjects] = {}

    def subjects(self, name: str) -> Subjects:
        """What the named condition depends on, in the order in which it stands there."""
        if name not in self._known:
            self._known[name] = self._subjects({"Condition": name}, ())
        return self._known[name]

    def facets(self, name: str, subject: str) -> list[Any]:
        """The largest parts of a condition that depend on nothing but ``subject``.

        Two values of it that all of these take for the same are the same for the condition.
        """
        return list(self._facets({"Condition": name}, subject, ()))

    def _subjects(self, expression: Any, within: tuple[str, ...]) -> Subjects:
        found: Subjects = {}
        if isinstance(expression, dict) and len(expression) == 1:
            ((function, argument),) = expression.items()
            if function == "Fn::Equals" and isinstance(argument, list) and len(argument) == 2:
                subject, value = comparison(argument)
                if self._varies(subject) or not subject.isalnum():
                    found[subject] = [value]
            elif function in ("Ref", "Fn::Sub"):
                found |= {name: [] for name in _named(expression) if self._varies(name)}
        for part, inside in self._parts(expression, within):
            for subject, values in self._subjects(part, inside).items():
                had = found.setdefault(subject, [])
                had += [value for value in values if value not in had]
        return found

    def _facets(self, expression: Any, subject: str, within: tuple[str, ...]) -> Iterator[Any]:
        found = self._subjects(expression, within)
        if set(found) == {subject}:
            yield expression
        elif subject in found:
            for part, inside in self._parts(expression, within):
                yield from self._facets(part, subject, inside)

    def _parts(
        self, expression: Any, within: tuple[str, ...]
    ) -> Iterator[tuple[Any, tuple[str, ...]]]:
        """The parts of an expression, and the conditions that each is within."""
        if isinstance(expression, list):
            yield from ((part, within) for part in expression)
        elif isinstance(expression, dict):
            name = expression.get("Condition") if len(expression) == 1 else None
            if not isinstance(name, str):
                yield from ((part, within) for part in expression.values())
            elif name in self._expressions and name not in within:
                yield self._expressions[name], (*within, name)


def _named(expression: Any) -> list[str]:
    try:
        return [reference.name for reference in references(expression)]
    except TemplateError:
        return []


def _as_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
