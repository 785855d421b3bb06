"""What is wrong with the rules of a Choice state.

https://states-language.net/spec.html#choice-state and AWS's own language service for editors
(aws/amazon-states-language-service).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.states_language.fields import is_text, is_timestamp
from local_aws.states_language.paths import is_expression, is_path
from local_aws.states_language.problem import Place, Problem, schema_problem
from local_aws.suggest import nearest
from local_aws.template import Unknown

_ORDERS = ("Equals", "LessThan", "GreaterThan", "LessThanEquals", "GreaterThanEquals")
_COMPARED = (
    *(f"{kind}{order}" for kind in ("String", "Numeric", "Timestamp") for order in _ORDERS),
    "BooleanEquals",
)
_TESTS = ("IsNull", "IsPresent", "IsNumeric", "IsString", "IsBoolean", "IsTimestamp")
_JOINING = ("And", "Or", "Not")
COMPARISONS = (*_COMPARED, *(f"{name}Path" for name in _COMPARED), "StringMatches", *_TESTS)
_RULE = ("Comment", "Next", "Assign", "Output")


def choice_problems(state: Mapping[str, Any], place: Place, language: str) -> Iterator[Problem]:
    """The problems of a Choice state's rules; not of where they lead."""
    choices = state.get("Choices")
    if not isinstance(choices, list):
        if choices is None:
            yield schema_problem(
                "The field 'Choices' is required but was missing", place, "add rules to it"
            )
        return
    if not choices:
        yield schema_problem("Value cannot be empty", (*place, "Choices"), "add a rule")
    for index, rule in enumerate(choices):
        at = (*place, "Choices", index)
        if isinstance(rule, Unknown):
            continue
        if not isinstance(rule, dict):
            yield schema_problem("The value must be an object", at, "write {…}")
            continue
        if "Next" not in rule:
            yield schema_problem(
                "The field 'Next' is required but was missing", at, "name the state to go to"
            )
        if language == "JSONata":
            yield from _condition(rule, at)
        else:
            yield from _rule(rule, at, top=True)


def _condition(rule: Mapping[str, Any], place: Place) -> Iterator[Problem]:
    """A rule of JSONata."""
    if "Condition" not in rule:
        yield schema_problem(
            "The field 'Condition' is required but was missing",
            place,
            "write Condition: {% … %}, which JSONata has in the place of Variable",
        )
    elif not isinstance(rule["Condition"], bool | Unknown) and not (
        isinstance(rule["Condition"], str) and is_expression(rule["Condition"])
    ):
        yield schema_problem(
            "The value must be a JSONata expression", (*place, "Condition"), "write {% … %}"
        )
    yield from _unknown(rule, (*_RULE, "Condition"), place)


def _rule(rule: Mapping[str, Any], place: Place, *, top: bool) -> Iterator[Problem]:
    """A rule of JSONPath, or one within And, Or and Not."""
    if not top and "Next" in rule:
        yield schema_problem(
            "The field 'Next' is not supported", (*place, "Next"), "the outermost rule has it"
        )
    known = (*_RULE, "Variable", *COMPARISONS, *_JOINING)
    unknown = list(_unknown(rule, known, place))
    yield from unknown
    operators = [name for name in rule if name in COMPARISONS or name in _JOINING]
    if len(operators) > 1 or (not operators and not unknown):
        said = f"; it has {', '.join(operators)}" if operators else ""
        yield schema_problem(
            "A Choice Rule must have exactly one operator",
            place,
            f"write one of StringEquals, NumericEquals, IsPresent, And and others{said}",
        )
    for name in operators:
        yield from _operator(rule, name, place)


def _operator(rule: Mapping[str, Any], name: str, place: Place) -> Iterator[Problem]:
    value, at = rule[name], (*place, name)
    if name in _JOINING:
        nested = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for index, each in nested:
            inner = at if index is None else (*at, index)
            if isinstance(each, dict):
                yield from _rule(each, inner, top=False)
            elif not isinstance(each, Unknown):
                yield schema_problem("The value must be an object", inner, "write {…}")
        return
    variable = rule.get("Variable")
    if variable is None:
        yield schema_problem(
            "The field 'Variable' is required but was missing", place, "name what is compared"
        )
    elif not isinstance(variable, Unknown) and not (
        isinstance(variable, str) and variable.startswith("$")
    ):
        yield schema_problem(
            "The value for the field 'Variable' must be a valid JSONPath",
            (*place, "Variable"),
            f"it is {variable!r}; begin it with $",
        )
    wrong = _compared(name, value)
    if wrong is not None:
        yield schema_problem(wrong[0], at, wrong[1])


def _compared(name: str, value: Any) -> tuple[str, str] | None:
    if isinstance(value, Unknown) and not value.pieces:
        return None
    if name.endswith("Path"):
        if isinstance(value, Unknown) or (isinstance(value, str) and is_path(value)):
            return None
        return f"The value for the field '{name}' must be a valid JSONPath", "begin it with $"
    if name.startswith("Timestamp"):
        fits = isinstance(value, Unknown) or is_timestamp(value)
        return (
            None
            if fits
            else (
                "String does not match RFC3339 timestamp",
                f"write it as 2026-03-14T01:59:00Z, or use {name}Path",
            )
        )
    if name.startswith("Numeric"):
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        return None if fits else ("The value must be a number", "write it without quotes")
    if name.startswith(("Boolean", "Is")):
        fits = isinstance(value, bool)
        return None if fits else ("The value must be true or false", "write it without quotes")
    return None if is_text(value) else ("The value must be a string", "write it in quotes")


def _unknown(rule: Mapping[str, Any], known: tuple[str, ...], place: Place) -> Iterator[Problem]:
    for name in rule:
        if name not in known:
            near = nearest(name, known)
            yield schema_problem(
                f"The field '{name}' is not supported",
                (*place, name),
                f"did you mean {near}?" if near else "remove it",
            )
