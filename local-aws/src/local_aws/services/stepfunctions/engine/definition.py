"""What is wrong with a definition, before a state machine is made of it.

Every problem comes at once, each with its place, as ``ValidateStateMachineDefinition``
words them: a code, a message, and a JSON pointer.
https://docs.aws.amazon.com/step-functions/latest/apireference/API_ValidateStateMachineDefinition.html
and https://states-language.net/spec.html, read 2026-11-21.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from local_aws.integration import Integrations
from local_aws.services.stepfunctions.engine.express import express_problems
from local_aws.services.stepfunctions.engine.field_types import type_problems
from local_aws.services.stepfunctions.engine.map_definition import map_problems
from local_aws.services.stepfunctions.engine.problems import (
    Problem,
    missing_fields,
    schema_problem,
)
from local_aws.services.stepfunctions.engine.task_resources import (
    Resource,
    UnknownResource,
    resource,
)

_TARGET = "MISSING_TRANSITION_TARGET"

_TYPES = ("Task", "Wait", "Pass", "Succeed", "Fail", "Choice", "Parallel", "Map")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)


def problems(
    definition: str,
    check_expression: Callable[[str], str | None],
    integrations: Integrations,
    kind: str = "STANDARD",
) -> list[Problem]:
    """Everything that is wrong with the definition of a machine of this type.

    ``check_expression`` says what is wrong with the text of a JSONata expression, or None;
    ``integrations`` are those that there are here; ``kind`` is STANDARD or EXPRESS.
    """
    try:
        document = json.loads(definition) if definition.strip() else None
    except ValueError as error:
        return [Problem(code="INVALID_JSON_DESCRIPTION", message=str(error), location="/")]
    if not isinstance(document, dict):
        return [schema_problem("Definition must be a valid JSON object", None)]
    mistyped = list(type_problems(document))
    if mistyped:
        return mistyped
    judge = _Judge(check_expression, integrations, document.get("QueryLanguage"))
    found = [*judge.scope(document, "", "JSONPath"), *express_problems(document, kind)]
    twice = [name for name, count in Counter(judge.names).items() if count > 1]
    found += [
        Problem(
            code="DUPLICATE_STATE_NAME",
            message=f"State names must be unique within the state machine: '{name}'",
            location="/",
        )
        for name in twice
    ]
    return found


def is_expression(text: str) -> bool:
    """Whether a text is one of JSONata's expressions."""
    return text.startswith("{%") and text.endswith("%}")


class _Judge:
    """``language`` is the whole machine's own; None where it has none."""

    def __init__(
        self,
        check_expression: Callable[[str], str | None],
        integrations: Integrations,
        language: str | None,
    ) -> None:
        self._check_expression = check_expression
        self._integrations = integrations
        self._language = language
        self.names: list[str] = []

    def scope(self, scope: Mapping[str, Any], place: str, language: str) -> Iterator[Problem]:
        """A machine, a branch of a Parallel state, or a Map state's processor."""
        language = scope.get("QueryLanguage", language)
        if language not in ("JSONPath", "JSONata"):
            yield schema_problem(
                f"QueryLanguage is '{language}'; it is JSONPath or JSONata",
                f"{place}/QueryLanguage",
            )
        missing = list(missing_fields(scope, ("States", "StartAt"), place or "/"))
        if missing:
            yield from missing
            return
        states = scope["States"]
        if not states:
            yield schema_problem("Value cannot be empty", f"{place}/States")
            return
        self.names += states
        targets = [("StartAt", scope["StartAt"], f"{place}/StartAt")]
        for name, state in states.items():
            here = f"{place}/States/{name}"
            yield from self.state(state, here, state.get("QueryLanguage", language))
            targets += _targets(state, here)
        for field, target, where in targets:
            if target not in states:
                yield Problem(
                    code=_TARGET, message=f"Missing '{field}' target: {target}", location=where
                )
        reached = {target for _, target, _ in targets}
        for name in states:
            if name not in reached:
                yield Problem(
                    code=_TARGET,
                    message=f'State "{name}" is not reachable.',
                    location=f"{place}/States/{name}",
                )

    def state(self, state: Mapping[str, Any], place: str, language: str) -> Iterator[Problem]:
        kind = state.get("Type")
        if kind not in _TYPES:
            yield schema_problem(
                f"The field 'Type' should have one of these values: [{', '.join(_TYPES)}]",
                f"{place}/Type",
            )
            return
        if (self._language, state.get("QueryLanguage")) == ("JSONata", "JSONPath"):
            yield schema_problem(
                "'QueryLanguage' can not be 'JSONPath' if set to 'JSONata' for whole state machine",
                place,
            )
        if kind not in ("Choice", "Succeed", "Fail") and ("Next" in state) == (
            state.get("End") is True
        ):
            yield schema_problem("A state has either 'Next' or 'End'", place)
        yield from self._expressions(state, place, language)
        match kind:
            case "Task":
                yield from _task(state, place, self._integrations)
            case "Wait" | "Choice":
                if language == "JSONPath":
                    yield from _timestamps(state, place)
            case "Parallel":
                yield from missing_fields(state, ("Branches",), place)
                if state.get("Branches") == []:
                    yield schema_problem("Value cannot be empty", f"{place}/Branches")
                for index, branch in enumerate(state.get("Branches", [])):
                    yield from self.scope(branch, f"{place}/Branches[{index}]", language)
            case "Map":
                field = "Iterator" if "Iterator" in state else "ItemProcessor"
                processor = state.get(field)
                if processor is None:
                    yield schema_problem(
                        "The field 'ItemProcessor' is required but was missing", place
                    )
                    return
                yield from map_problems(state, processor, place)
                yield from self.scope(processor, f"{place}/{field}", language)

    def _expressions(
        self, state: Mapping[str, Any], place: str, language: str
    ) -> Iterator[Problem]:
        if language != "JSONata":
            return
        own = {key: value for key, value in state.items() if key not in _SCOPES}
        for where, text in _texts(own, place):
            if is_expression(text):
                wrong = self._check_expression(text[2:-2])
                if wrong is not None:
                    yield schema_problem(
                        f"The JSONata expression '{text}' is not valid: {wrong}", where
                    )


_SCOPES = frozenset({"Branches", "Iterator", "ItemProcessor"})


def _texts(value: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _texts(member, f"{place}/{key}")
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _texts(member, f"{place}[{index}]")


def _targets(state: Mapping[str, Any], place: str) -> list[tuple[str, Any, str]]:
    found = [
        (field, state[field], f"{place}/{field}") for field in ("Next", "Default") if field in state
    ]
    for field in ("Choices", "Catch"):
        rules = state.get(field, [])
        for index, rule in enumerate(rules if isinstance(rules, list) else []):
            if isinstance(rule, dict) and "Next" in rule:
                found.append(("Next", rule["Next"], f"{place}/{field}[{index}]/Next"))
    return found


def _timestamps(value: Any, place: str) -> Iterator[Problem]:
    """Times that are written out: a Wait state's, and those that a Choice state compares with."""
    items: Iterable[tuple[Any, Any, str]] = ()
    if isinstance(value, dict):
        items = ((key, each, f"{place}/{key}") for key, each in value.items())
    elif isinstance(value, list):
        items = (("", each, f"{place}[{index}]") for index, each in enumerate(value))
    for key, each, where in items:
        if not key.startswith("Timestamp") or key.endswith("Path"):
            yield from _timestamps(each, where)
        elif not _is_timestamp(each):
            yield schema_problem("String does not match RFC3339 timestamp", where)


def _is_timestamp(value: Any) -> bool:
    if not isinstance(value, str) or _TIMESTAMP.fullmatch(value) is None:
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _task(state: Mapping[str, Any], place: str, integrations: Integrations) -> Iterator[Problem]:
    if "Credentials" in state and not state["Credentials"].keys() & {"RoleArn", "RoleArn.$"}:
        yield schema_problem(
            "The field 'RoleArn' is required but was missing", f"{place}/Credentials"
        )
    arn = state.get("Resource")
    if not isinstance(arn, str):
        yield schema_problem("The field 'Resource' is required but was missing", place)
        return
    try:
        called = resource(arn, integrations)
    except UnknownResource as error:
        yield schema_problem(str(error), f"{place}/Resource")
        return
    if called is not None:
        for field in ("Parameters", "Arguments"):
            yield from _parameters(called, state.get(field), f"{place}/{field}")


def _parameters(called: Resource, given: Any, place: str) -> Iterator[Problem]:
    """Only the API's own parameters are taken; Step Functions writes them with a capital."""
    shape = called.operation.input_shape
    if not isinstance(given, dict):
        return
    known = {} if shape is None else {name.casefold(): name for name in shape.members}
    for name in given:
        if name.removesuffix(".$").casefold() not in known:
            yield schema_problem(
                f'The field "{name.removesuffix(".$")}" is not supported by Step Functions',
                f"{place}/{name}",
            )
    names = {name.removesuffix(".$").casefold() for name in given}
    for needed in () if shape is None else shape.required_members:
        made_up = shape.members[needed].metadata.get("idempotencyToken")  # by the SDK
        if needed.casefold() not in names and not made_up:
            yield schema_problem(
                f"The field '{needed[:1].upper()}{needed[1:]}' is required but was missing", place
            )
