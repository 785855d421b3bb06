"""What is wrong with a definition here: by the language, and by what the local AWS can do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from local_aws import states_language
from local_aws.integration import Integrations
from local_aws.services.stepfunctions.engine.task_resources import (
    Resource,
    UnknownResource,
    resource,
)
from local_aws.states_language import Checks, Problem, schema_problem
from local_aws.states_language.problem import Place


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
        return [Problem(code="INVALID_JSON_DESCRIPTION", message=str(error), place=())]

    def beyond(state: Mapping[str, Any], place: Place) -> Iterator[Problem]:
        if state["Type"] == "Task":
            yield from _task(state, place, integrations)
        if state["Type"] == "Map":
            yield from _reader(state, place)

    checks = Checks(expression=check_expression, state=beyond)
    return states_language.problems(document, kind, checks)


def _task(state: Mapping[str, Any], place: Place, integrations: Integrations) -> Iterator[Problem]:
    arn = state.get("Resource")
    if not isinstance(arn, str):
        return
    try:
        called = resource(arn, integrations)
    except UnknownResource as error:
        yield schema_problem(str(error), (*place, "Resource"))
        return
    if called is not None:
        for field in ("Parameters", "Arguments"):
            yield from _parameters(called, state.get(field), (*place, field))


def _parameters(called: Resource, given: Any, place: Place) -> Iterator[Problem]:
    """Only the API's own parameters are taken; Step Functions writes them with a capital."""
    shape = called.operation.input_shape
    if not isinstance(given, dict):
        return
    known = {} if shape is None else {name.casefold(): name for name in shape.members}
    for name in given:
        if name.removesuffix(".$").casefold() not in known:
            yield schema_problem(
                f'The field "{name.removesuffix(".$")}" is not supported by Step Functions',
                (*place, name),
            )
    names = {name.removesuffix(".$").casefold() for name in given}
    for needed in () if shape is None else shape.required_members:
        made_up = shape.members[needed].metadata.get("idempotencyToken")  # by the SDK
        if needed.casefold() not in names and not made_up:
            yield schema_problem(
                f"The field '{needed[:1].upper()}{needed[1:]}' is required but was missing", place
            )


_READ = {
    "InputType": ("CSV", "JSON", "JSONL", "MANIFEST"),
    "ManifestType": ("S3_INVENTORY",),
    "Transformation": ("NONE",),
}
"""What the local AWS reads of that which AWS does."""


def _reader(state: Mapping[str, Any], place: Place) -> Iterator[Problem]:
    reader = state.get("ItemReader")
    config = reader.get("ReaderConfig") if isinstance(reader, dict) else None
    for name, read in _READ.items():
        if isinstance(config, dict) and name in config and config[name] not in read:
            yield schema_problem(
                f"{name} is {config[name]!r}; the local AWS reads {', '.join(read)}",
                (*place, "ItemReader", "ReaderConfig", name),
            )
