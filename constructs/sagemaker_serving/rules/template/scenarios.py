"""In which ways a template may be deployed: what its parameters are, and which conditions hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, Literal

from local_aws.template import (
    PSEUDO_PARAMETERS,
    Evaluator,
    Names,
    TemplateError,
    Unknown,
    as_text,
    broken,
    is_list,
    is_ssm_value,
    referenced,
    references,
    region_names,
)
from sagemaker_serving.rules.template.reading import Template

OTHER: Final = Unknown("another value")
"""A value that none is which the template names."""

Asked = dict[tuple[str, str], Any]
"""What was asked of a scenario, ("condition" or "parameter", its name), with the answers."""


class Scenario:
    """One way to deploy a template: ``chosen`` are the values that are not as by default.

    A value is chosen for a parameter, or for what else a condition compares (`Conditions`).
    """

    def __init__(self, scenarios: Scenarios, chosen: Mapping[str, Any]) -> None:
        self.scenarios = scenarios
        self.chosen = chosen
        template = scenarios.template
        self._evaluator = Evaluator(
            _Chosen(self), mappings=template.mappings, conditions=template.conditions, tolerant=True
        )

    def text(self, name: str) -> Any:
        """A parameter's value as it is given, or `OTHER`."""
        if name in self.scenarios.known:
            return self.scenarios.known[name]
        if name in ("AWS::Partition", "AWS::URLSuffix"):
            region = self.text("AWS::Region")
            return OTHER if region is OTHER else region_names(region)[name]
        return self.chosen.get(name, self.scenarios.base(name))

    def value(self, name: str) -> Any:
        """What ``Ref`` gives for a name."""
        text = self.text(name)
        return (
            Unknown(name, source=name)
            if text is OTHER
            else referenced(self.scenarios.kind(name), text)
        )

    def condition(self, name: str) -> bool | Unknown:
        """Whether a condition holds; unknown where it is none."""
        try:
            return self._evaluator.condition(name)
        except TemplateError:
            return Unknown()

    def worked_out(self, expression: Any) -> Any:
        """The value of a condition's part."""
        if isinstance(expression, dict) and set(expression) == {"Condition"}:
            return self.condition(expression["Condition"])
        return self._evaluator.evaluate(expression)

    def agrees(self, asked: Asked) -> bool:
        """Whether all that was asked of another is answered alike."""
        return all(
            (self.condition(name) if what == "condition" else self.text(name)) == answer
            for (what, name), answer in asked.items()
        )

    @cached_property
    def is_possible(self) -> bool:
        """Whether no assertion of the template's section Rules refuses it."""
        for rule in self.scenarios.template.assertions.values():
            if not isinstance(rule, dict):
                continue
            if "RuleCondition" in rule and self._holds(rule["RuleCondition"]) is not True:
                continue
            asserted = rule.get("Assertions")
            for one in asserted if isinstance(asserted, list) else ():
                if isinstance(one, dict) and self._holds(one.get("Assert")) is False:
                    return False
        return True

    def _holds(self, expression: Any) -> bool | Unknown:
        try:
            return self._evaluator.holds(expression)
        except TemplateError:
            return Unknown()


class _Chosen(Names):
    def __init__(self, scenario: Scenario) -> None:
        super().__init__({})
        self._scenario = scenario

    def ref(self, name: str) -> Any:
        return self._scenario.value(name)

    def equal(self, compared: list[Any]) -> bool | Unknown:
        subject, value = comparison(compared)
        return bool(self._scenario.chosen.get(subject) == value)


class Scenarios:
    """Every way to deploy ``template``, to ``region`` where that is known."""

    def __init__(self, template: Template, region: str | None) -> None:
        self.template = template
        self.known = region_names(region)
        self.conditions = Conditions(template.conditions, self.varies)
        self._declared = {
            name: declared
            for name, declared in template.parameters.items()
            if isinstance(declared, dict)
        }
        self._made: dict[frozenset[tuple[str, Any]], Scenario] = {}
        self._alternatives: dict[tuple[Any, ...], list[Any]] = {}
        self._allowed: dict[str, list[str] | None] = {}
        self._base: dict[str, Any] = {}

    def where(self, chosen: Mapping[str, Any]) -> Scenario:
        """The scenario in which these values are chosen."""
        key = frozenset(chosen.items())
        if key not in self._made:
            self._made[key] = Scenario(self, chosen)
        return self._made[key]

    def varies(self, name: str) -> bool:
        """Whether a name is a parameter's whose value a deploy settles."""
        return name in self._declared or (
            name in PSEUDO_PARAMETERS and name not in (*self.known, "AWS::NoValue")
        )

    def kind(self, name: str) -> str:
        """The type of a parameter."""
        kind = self._declared.get(name, {}).get("Type")
        return kind if isinstance(kind, str) else "String"

    def default(self, name: str) -> Any:
        """A parameter's default; `OTHER` where it has none, or only its name in SSM."""
        default = self._declared.get(name, {}).get("Default")
        if not isinstance(default, str | int | float) or is_ssm_value(self.kind(name)):
            return OTHER
        return as_text(default)

    def base(self, name: str) -> Any:
        """The value that is looked at first: the default, or the first that is allowed."""
        if name not in self._base:
            default, allowed = self.default(name), self.allowed(name)
            self._base[name] = allowed[0] if default is OTHER and allowed else default
        return self._base[name]

    def allowed(self, name: str) -> list[str] | None:
        """The allowed values that the parameter takes, or None where they are not listed.

        One without a default that a mapping is looked up by takes the mapping's keys.
        """
        if name not in self._allowed:
            values = self._declared.get(name, {}).get("AllowedValues")
            kind = self.kind(name)
            if values is None and name in self._declared and self.default(name) is OTHER:
                values = self._keys.get(name)
            if not isinstance(values, list) or is_list(kind) or is_ssm_value(kind):
                values = []
            texts = [as_text(value) for value in values if isinstance(value, str | int | float)]
            taken = [text for text in dict.fromkeys(texts) if self._takes(name, text)]
            self._allowed[name] = taken or None
        return self._allowed[name]

    @cached_property
    def _keys(self) -> dict[str, list[str]]:
        """The keys that every mapping has which is looked up by a parameter, whatever holds."""
        found: dict[str, list[str]] = {}
        if not self.template.mappings:
            return found
        resources = self.template.resources.values()
        parts: list[Any] = [
            one.get("Properties")
            for one in resources
            if isinstance(one, dict) and "Condition" not in one
        ]
        while parts:
            part = parts.pop()
            if isinstance(part, list):
                parts += part
            elif isinstance(part, dict):
                parts += [inner for key, inner in part.items() if key != "Fn::If"]
                for name, keys in self._looked_up(part.get("Fn::FindInMap")):
                    found[name] = [key for key in found.get(name, keys) if key in keys]
        return found

    def _looked_up(self, looked_up: Any) -> Iterator[tuple[str, list[str]]]:
        """The parameter that is a mapping's first key, and the keys that the mapping has."""
        if isinstance(looked_up, list) and len(looked_up) == 3 and isinstance(looked_up[0], str):
            mapping, key = self.template.mappings.get(looked_up[0]), looked_up[1]
            if isinstance(mapping, dict) and isinstance(key, dict) and len(key) == 1:
                name = key.get("Ref")
                if isinstance(name, str):
                    yield name, [str(each) for each in mapping]

    def alternatives(self, subject: str, conditions: tuple[str, ...], *, direct: bool) -> list[Any]:
        """What may be chosen for ``subject`` in the place of what is looked at first.

        These are the allowed values of a parameter, else those that ``conditions`` compare it
        with, and another. Where no property has the value itself (``direct``), one of those for
        which the conditions come out alike stands for all.
        """
        key = (subject, conditions, direct)
        if key not in self._alternatives:
            values = list(self._values(subject, conditions))
            if self.varies(subject) and not direct:
                values = self._told_apart(subject, values, conditions)
            base = self.base(subject)
            self._alternatives[key] = [value for value in values if value != base]
        return self._alternatives[key]

    def _values(self, subject: str, conditions: tuple[str, ...]) -> list[Any]:
        allowed = self.allowed(subject)
        if allowed is not None:
            return allowed
        found = [self.conditions.subjects(name) for name in conditions]
        compared = [value for one in found for value in one.get(subject, ())]
        if not any(subject in one for one in found):
            return []
        return [OTHER, *(one for one in dict.fromkeys(compared) if self._takes(subject, one))]

    def _told_apart(
        self, subject: str, values: list[Any], conditions: tuple[str, ...]
    ) -> list[Any]:
        facets = [facet for name in conditions for facet in self.conditions.facets(name, subject)]
        by_outcome: dict[str, Any] = {}
        for value in (self.base(subject), *values):
            scenario = self.where({subject: value})
            by_outcome.setdefault(repr([scenario.worked_out(facet) for facet in facets]), value)
        return list(by_outcome.values())

    def _takes(self, name: str, value: str | Literal[True]) -> bool:
        """Whether the declaration of a parameter lets it have the value, as far as it is one."""
        try:
            return value is True or next(broken(self._declared.get(name, {}), value), None) is None
        except (TemplateError, ValueError, TypeError):
            return True


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
