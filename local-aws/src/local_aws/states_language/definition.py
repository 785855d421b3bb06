"""What is wrong with a definition, before a state machine is made of it.

Every problem comes at once, each with its place, as ``ValidateStateMachineDefinition``
words them: a code, a message, and a JSON pointer.
https://docs.aws.amazon.com/step-functions/latest/apireference/API_ValidateStateMachineDefinition.html
and https://states-language.net/spec.html.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from local_aws.states_language.choices import choice_problems
from local_aws.states_language.fields import (
    CATCHER_FIELDS,
    MACHINE_FIELDS,
    OTHER_LANGUAGE,
    RETRIER_FIELDS,
    SCOPE_FIELDS,
    STATE_FIELDS,
    TYPES,
    field_problems,
)
from local_aws.states_language.maps import map_problems
from local_aws.states_language.paths import is_expression, template_problems
from local_aws.states_language.problem import Place, Problem, schema_problem
from local_aws.states_language.scopes import inner_scopes, language_of, processor_field
from local_aws.states_language.transitions import transition_problems
from local_aws.template import Unknown

LONGEST_NAME = 80
"""https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html."""


@dataclass(frozen=True, kw_only=True)
class Checks:
    """What the language leaves to others.

    ``expression`` says what is wrong with the text of a JSONata expression, or None; ``state`` what
    is wrong with a state beyond the language: its place and its own fields.
    """

    expression: Callable[[str], str | None] = lambda text: None
    state: Callable[[Mapping[str, Any], Place], Iterator[Problem]] = lambda state, place: iter(())


def problems(
    document: Any, kind: str | None = "STANDARD", checks: Checks = Checks()
) -> list[Problem]:
    """Everything that is wrong with a definition, which was read from its text.

    ``kind`` is STANDARD or EXPRESS, None where that is not known.
    """
    if not isinstance(document, dict):
        return [schema_problem("Definition must be a valid JSON object", None, "write {…}")]
    judge = _Judge(Checks() if checks is None else checks, document.get("QueryLanguage"))
    found = list(_first(judge.scope(document, (), "JSONPath", MACHINE_FIELDS)))
    if kind is not None:
        found += express_problems(document, kind)
    twice = [name for name, count in Counter(judge.names).items() if count > 1]
    found += [
        Problem(
            code="DUPLICATE_STATE_NAME",
            message=f"State names must be unique within the state machine: '{name}'",
            place=(),
            advice="rename one",
        )
        for name in twice
    ]
    return found


def _first(found: Iterable[Problem]) -> Iterator[Problem]:
    """Of fields that are of another query language the first: one word is wrong, elsewhere."""
    told = set()
    for problem in found:
        if problem.advice not in OTHER_LANGUAGE.values() or problem.advice not in told:
            told.add(problem.advice)
            yield problem


class _Judge:
    """``language`` is the whole machine's own; None where it has none."""

    def __init__(self, checks: Checks, language: Any) -> None:
        self._checks = checks
        self._language = language
        self.names: list[str] = []

    def scope(
        self, scope: Any, place: Place, language: str, known: tuple[str, ...] = SCOPE_FIELDS
    ) -> Iterator[Problem]:
        """A machine, a branch of a Parallel state, or a Map state's processor."""
        if isinstance(scope, Unknown):
            return
        if not isinstance(scope, dict):
            yield schema_problem("The value must be an object", place, "write {…}")
            return
        language = language_of(scope, language)
        yield from field_problems(scope, known, place, language)
        yield from _missing(scope, ("States", "StartAt"), place)
        states = scope.get("States")
        if not isinstance(states, dict):
            return
        if not states:
            yield schema_problem("Value cannot be empty", (*place, "States"), "add a state")
            return
        self.names += states
        for name, state in states.items():
            at = (*place, "States", name)
            if len(name) > LONGEST_NAME:
                yield Problem(
                    code="INVALID_STATE_NAME",
                    message=f"A state's name has at most {LONGEST_NAME} characters",
                    place=at,
                    advice=f"this has {len(name)}; shorten it",
                )
            if isinstance(state, dict):
                yield from self.state(state, at, language_of(state, language))
            elif not isinstance(state, Unknown):
                yield schema_problem("The value must be an object", at, "write {…}")
        yield from transition_problems(scope, place)

    def state(self, state: Mapping[str, Any], place: Place, language: str) -> Iterator[Problem]:
        kind = state.get("Type")
        if isinstance(kind, Unknown):
            return
        if kind not in TYPES:
            yield schema_problem(
                f"The field 'Type' should have one of these values: [{', '.join(TYPES)}]",
                (*place, "Type"),
                "it is missing" if kind is None else f"it is {kind!r}",
            )
            return
        yield from field_problems(state, STATE_FIELDS[kind], place, language)
        if (self._language, state.get("QueryLanguage")) == ("JSONata", "JSONPath"):
            yield schema_problem(
                "'QueryLanguage' can not be 'JSONPath' if set to 'JSONata' for whole state machine",
                place,
                "remove it there, and write it for each state",
            )
        yield from self._texts(state, place, language)
        yield from _errors(state, place, language)
        yield from _OF_KIND.get(kind, _nothing)(state, place, language)
        yield from self._checks.state(state, place)
        if kind == "Map":
            processor = state.get(processor_field(state))
            if isinstance(processor, Mapping):
                yield from map_problems(state, processor, place, language)
        if kind in ("Map", "Parallel"):
            for inner, scope in inner_scopes(state):
                fields = SCOPE_FIELDS if kind == "Parallel" else (*SCOPE_FIELDS, "ProcessorConfig")
                yield from self.scope(scope, (*place, *inner), language, fields)

    def _texts(self, state: Mapping[str, Any], place: Place, language: str) -> Iterator[Problem]:
        """The problems of a state's templates and expressions."""
        own = {key: value for key, value in state.items() if key not in _SCOPES}
        if language == "JSONPath":
            for name in _TEMPLATES & own.keys():
                yield from template_problems(own[name], (*place, name))
            return
        for where, text in _texts_in(own, place):
            if text.strip().startswith("{%") != text.strip().endswith("%}"):
                yield schema_problem(
                    f"The JSONata expression '{text}' is not valid: "
                    "it begins with {% and ends with %}",
                    where,
                    "write both",
                )
            elif is_expression(text):
                wrong = self._checks.expression(text[2:-2])
                if wrong is not None:
                    yield schema_problem(
                        f"The JSONata expression '{text}' is not valid: {wrong}", where
                    )


_SCOPES = frozenset({"Branches", "Comment", "Iterator", "ItemProcessor"})
_TEMPLATES = frozenset(
    {"Assign", "Credentials", "ItemSelector", "Parameters", "ResultSelector"},
)


def _texts_in(value: Any, place: Place) -> Iterator[tuple[Place, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _texts_in(member, (*place, key))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _texts_in(member, (*place, index))


def _missing(given: Mapping[str, Any], fields: tuple[str, ...], place: Place) -> Iterator[Problem]:
    missing = [field for field in fields if field not in given]
    if missing:
        yield schema_problem(
            f"These fields are required: [{', '.join(missing)}]", place, "add what is missing"
        )


def _errors(state: Mapping[str, Any], place: Place, language: str) -> Iterator[Problem]:
    """The problems of what a state tries again and catches."""
    for name, known in (("Retry", RETRIER_FIELDS), ("Catch", CATCHER_FIELDS)):
        given = state.get(name)
        entries = given if isinstance(given, list) else []
        for index, each in enumerate(entries):
            at = (*place, name, index)
            if isinstance(each, dict):
                yield from field_problems(each, known, at, language)
                needed = ("ErrorEquals",) if name == "Retry" else ("ErrorEquals", "Next")
                yield from _missing(each, needed, at)
                last = index == len(entries) - 1
                yield from _named(each.get("ErrorEquals"), (*at, "ErrorEquals"), last)
            elif not isinstance(each, Unknown):
                yield schema_problem("The value must be an object", at, "write {…}")


def _named(errors: Any, place: Place, last: bool) -> Iterator[Problem]:
    if not isinstance(errors, list):
        return
    if not errors:
        yield schema_problem("Value cannot be empty", place, "name errors, or States.ALL")
    for index, error in enumerate(errors):
        if not isinstance(error, str | Unknown):
            yield schema_problem("The value must be a string", (*place, index), "write its name")
    if "States.ALL" in errors and len(errors) > 1:
        yield schema_problem(
            "States.ALL must appear alone", place, "it is every error; remove the others"
        )
    elif "States.ALL" in errors and not last:
        yield schema_problem(
            "States.ALL must appear last", place, "it is every error; move the entry to the end"
        )


def _task(state: Mapping[str, Any], place: Place, language: str) -> Iterator[Problem]:
    credentials = state.get("Credentials")
    if isinstance(credentials, dict) and not credentials.keys() & {"RoleArn", "RoleArn.$"}:
        yield schema_problem(
            "The field 'RoleArn' is required but was missing", (*place, "Credentials"), "add it"
        )
    if "Resource" not in state:
        yield schema_problem(
            "The field 'Resource' is required but was missing",
            place,
            "name what the task does: arn:aws:states:::sagemaker:createTransformJob.sync",
        )


def _wait(state: Mapping[str, Any], place: Place, language: str) -> Iterator[Problem]:
    if not state.keys() & {"Seconds", "SecondsPath", "Timestamp", "TimestampPath"}:
        yield schema_problem(
            "One of these fields is required: [Seconds, SecondsPath, Timestamp, TimestampPath]",
            place,
            "say how long",
        )


def _parallel(state: Mapping[str, Any], place: Place, language: str) -> Iterator[Problem]:
    yield from _missing(state, ("Branches",), place)
    if state.get("Branches") == []:
        yield schema_problem("Value cannot be empty", (*place, "Branches"), "add a branch")


def _map(state: Mapping[str, Any], place: Place, language: str) -> Iterator[Problem]:
    if processor_field(state) not in state:
        yield schema_problem(
            "The field 'ItemProcessor' is required but was missing", place, "add it"
        )


def _nothing(state: Mapping[str, Any], place: Place, language: str) -> Iterator[Problem]:
    return iter(())


_OF_KIND: Mapping[str, Callable[[Mapping[str, Any], Place, str], Iterator[Problem]]] = {
    "Choice": choice_problems,
    "Map": _map,
    "Parallel": _parallel,
    "Task": _task,
    "Wait": _wait,
}


# What EXPRESS workflows cannot have: they wait for no job and no token, and start no Map Run.
#
# https://docs.aws.amazon.com/step-functions/latest/dg/choosing-workflow-type.html.

_WAITING = ("sync", "sync:2", "waitForTaskToken")


def express_problems(scope: Any, kind: str, place: Place = ()) -> Iterator[Problem]:
    """The problems of a machine's, branch's or processor's states; ``kind`` is its type.

    The children of a Distributed Map have a type of their own, in a machine of either.
    """
    states = scope.get("States") if isinstance(scope, Mapping) else None
    for name, state in states.items() if isinstance(states, Mapping) else ():
        if isinstance(state, Mapping):
            yield from _of_state(state, kind, (*place, "States", name))


def _of_state(state: Mapping[str, Any], kind: str, place: Place) -> Iterator[Problem]:
    pattern = str(state.get("Resource", "")).rpartition(".")[2]
    if kind == "EXPRESS" and state.get("Type") == "Task" and pattern in _WAITING:
        yield schema_problem(
            f"Express state machine does not support '.{pattern}' service integration",
            (*place, "Resource"),
            f"leave .{pattern} out, or make the machine STANDARD",
        )
    for inner, scope in inner_scopes(state):
        own = kind
        if inner[0] != "Branches" and isinstance(scope, Mapping):
            config = scope.get("ProcessorConfig")
            config = config if isinstance(config, Mapping) else {}
            distributed = config.get("Mode") == "DISTRIBUTED"
            if distributed and kind == "EXPRESS":
                yield schema_problem(
                    "Express state machine does not support Distributed Map states",
                    place,
                    "set Mode: INLINE, or make the machine STANDARD",
                )
            if distributed:
                own = str(config.get("ExecutionType", "STANDARD"))
        yield from express_problems(scope, own, (*place, *inner))
