"""The tasks of state machines: what they call, and with which arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.states_language import is_expression, states_within
from local_aws.template import NO_VALUE, Unknown
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.state_machines import StateMachineFacts, TaskFacts
from sagemaker_serving.rules.template.marks import text_with_marks

_SAGEMAKER = re.compile(
    r"arn:[^:]*:states:[^:]*:[^:]*:(?:(?:aws-sdk:)?sagemaker|aws-sdk:sagemakerruntime):"
    r"([a-zA-Z0-9]+)(?:\.[a-zA-Z:0-9]+)?"
)


def tasks(machine: StateMachineFacts) -> Iterator[TaskFacts]:
    """Every Task state at any depth of a machine's definition."""
    definition = machine.definition
    found = [
        (place, state, resource)
        for place, state, _ in states_within(definition.value)
        if state.get("Type") == "Task"
        and (resource := text_with_marks(state.get("Resource"))) is not None
    ]
    actions = frozenset(action for *_, text in found if (action := _action(text)) is not None)
    for place, state, resource in found:
        where = definition.where.inside(place)
        name = "Arguments" if "Arguments" in state else "Parameters"
        yield TaskFacts(
            resource=Fact(state["Resource"], where / "Resource"),
            text=resource,
            arguments=Fact(_without_paths(state.get(name)), where / name),
            written=Fact(state.get(name), where / name),
            credentials=Fact(state.get("Credentials"), where / "Credentials"),
            caught=bool(state.get("Catch")),
            beside=actions,
        )


def sagemaker_action(task: TaskFacts) -> str | None:
    """The action (``CreateTransformJob``) of a task of SageMaker's, by whichever integration."""
    return _action(task.text)


def _action(resource: str) -> str | None:
    found = _SAGEMAKER.fullmatch(resource)
    return None if found is None else f"{found[1][:1].upper()}{found[1][1:]}"


def _without_paths(value: Any) -> Any:
    """Arguments whose value is found only in the execution's data, as unknown; null there is as
    good as nothing."""
    if isinstance(value, Mapping):
        return {
            key.removesuffix(".$"): _OF_DATA if key.endswith(".$") else _without_paths(inner)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_without_paths(inner) for inner in value]
    return _OF_DATA if isinstance(value, str) and is_expression(value) else value


_OF_DATA = Unknown(branches=(NO_VALUE, Unknown()))
