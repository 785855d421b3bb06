"""What a definition probably does not mean, though a machine can be made of it.

The codes are AWS's, of ``ValidateStateMachineDefinition``'s warnings:
https://docs.aws.amazon.com/step-functions/latest/apireference/API_ValidateStateMachineDefinitionDiagnostic.html.
The words are ours, and so is RESERVED_ERROR_NAME: whether Step Functions refuses such a name is
unverified.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from local_aws.states_language.paths import looks_like_path
from local_aws.states_language.problem import Place, Problem
from local_aws.states_language.scopes import states_within
from local_aws.suggest import nearest

_TEMPLATES = ("Assign", "ItemSelector", "Parameters", "ResultSelector")
_EXPRESSED = ("Arguments", "Assign", "ItemSelector", "Output")
ERRORS = frozenset(
    f"States.{name}"
    for name in (
        *("ALL", "BranchFailed", "DataLimitExceeded", "ExceedToleratedFailureThreshold"),
        *("HeartbeatTimeout", "Http.Socket", "IntrinsicFailure", "ItemReaderFailed"),
        *("NoChoiceMatched", "ParameterPathFailure", "Permissions", "QueryEvaluationError"),
        *("ResultPathMatchFailure", "ResultWriterFailed", "Runtime", "TaskFailed", "Timeout"),
    )
)
"""Errors that Step Functions reports itself. No other begins with "States."
(https://states-language.net/spec.html#errors, and the Step Functions developer guide, "Handling
errors in Step Functions workflows")."""

_OWN_PATH = re.compile(r"(Filter|Path|Query|Expression)s?$", re.IGNORECASE)
"""Parameters of APIs whose values are paths of another kind, for the API to read."""


def warnings(document: Any) -> list[Problem]:
    """Each, in the order of the states."""
    found: list[Problem] = []
    for place, state, language in states_within(document):
        for name in ("Retry", "Catch"):
            found += _never_reported(state.get(name), (*place, name))
        if language == "JSONata":
            for name in _EXPRESSED:
                found += _in_jsonata(state.get(name), (*place, name))
            continue
        for name in _TEMPLATES:
            found += _without_dollar(state.get(name), (*place, name))
        for name in ("Cause", "Error"):
            found += _named_no_path(name, state.get(name), place)
        if state.get("Type") == "Pass":
            found += _static(state.get("Result"), (*place, "Result"))
    return found


def _never_reported(entries: Any, place: Place) -> Iterator[Problem]:
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        named = entry.get("ErrorEquals") if isinstance(entry, dict) else None
        for error in named if isinstance(named, list) else ():
            if isinstance(error, str) and error.startswith("States.") and error not in ERRORS:
                meant = nearest(error, ERRORS)
                yield Problem(
                    code="RESERVED_ERROR_NAME",
                    message=f"No error is called '{error}', and so none is caught by it",
                    place=(*place, index, "ErrorEquals"),
                    advice=f"write {meant or 'States.ALL'}",
                )


def _without_dollar(template: Any, place: Place) -> Iterator[Problem]:
    for name, value, at in _members(template, place):
        looks = isinstance(value, str) and looks_like_path(value)
        if looks and not name.endswith(".$") and not _OWN_PATH.search(name):
            yield Problem(
                code="NO_DOLLAR",
                message=f"The value of '{name}' looks like a path, and is sent as it is written",
                place=at,
                advice=f"write '{name}.$': {_read(value)} for what it leads to",
            )


def _named_no_path(name: str, value: Any, place: Place) -> Iterator[Problem]:
    if isinstance(value, str) and looks_like_path(value):
        yield Problem(
            code="NO_PATH",
            message=f"The value of '{name}' looks like a path, and is taken as it is written",
            place=(*place, name),
            advice=f"write {name}Path: {_read(value)} for what it leads to",
        )


def _read(value: str) -> str:
    """What reads a path, also one with a text behind it: "$.cause . See the logs"."""
    path, space, text = value.partition(" ")
    is_mixed = space and path.startswith("$")
    return repr(f"States.Format('{{}} {text}', {path})" if is_mixed else value)


def _static(result: Any, place: Place) -> Iterator[Problem]:
    for name, value, at in _members(result, place):
        if name.endswith(".$") or (isinstance(value, str) and looks_like_path(value)):
            yield Problem(
                code="PASS_RESULT_IS_STATIC",
                message=f"'{name}' stands in a Result, which is put out as it is written",
                place=at,
                advice="write Parameters in the place of Result",
            )


def _in_jsonata(template: Any, place: Place) -> Iterator[Problem]:
    for name, value, at in _members(template, place):
        looks = isinstance(value, str) and looks_like_path(value) and not _OWN_PATH.search(name)
        if name.endswith(".$") or looks:
            yield Problem(
                code="NO_DOLLAR",
                message=f"'{name}' is written as in JSONPath, and the state is of JSONata",
                place=at,
                advice="write {% $states.input… %} for what it leads to",
            )


def _members(value: Any, place: Place) -> Iterator[tuple[str, Any, Place]]:
    """Every member of an object at any depth."""
    if isinstance(value, list):
        for index, each in enumerate(value):
            yield from _members(each, (*place, index))
    elif isinstance(value, dict):
        for name, each in value.items():
            yield str(name), each, (*place, str(name))
            yield from _members(each, (*place, str(name)))
