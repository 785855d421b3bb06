"""SageMaker's jobs inside Step Functions: the arguments of their tasks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.template import Unknown
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.template.marks import MARK, MARKED, text_with_marks

_TASK = re.compile(
    r"arn:[^:]*:states:::(aws-sdk:)?sagemaker:([a-zA-Z]+?)(\.sync(:2)?|\.waitForTaskToken)?"
)


def sagemaker_tasks(properties: Fact) -> Iterator[tuple[str, Fact]]:
    """The action (``CreateTransformJob``) and arguments of each SageMaker task of a machine.

    A definition in text is read around what is unknown of it. What is not JSON
    then, or comes from S3, is passed over.
    """
    for name in ("DefinitionString", "Definition"):
        definition = _definition(properties.get(name).value)
        if definition is not None:
            yield from _tasks(Fact(definition, properties.where / name))


def _definition(value: Any) -> Any:
    text = text_with_marks(value)
    if text is None:
        return value
    try:
        return _with_unknown(json.loads(text))
    except (ValueError, RecursionError):
        return None


def _with_unknown(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: inner if key == "Resource" and isinstance(inner, str) else _with_unknown(inner)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_with_unknown(inner) for inner in value]
    if isinstance(value, str) and MARK in value:
        whole = MARKED.fullmatch(value)
        return Unknown(whole[1] if whole is not None and whole[1] else None)
    return value


def _tasks(definition: Fact) -> Iterator[tuple[str, Fact]]:
    """Every task at any depth: Map and Parallel hold state machines of their own."""
    for _, state in definition.get("States").entries():
        found = _TASK.fullmatch(state.get("Resource").text or "")
        if found is not None:
            action = f"{found[2][:1].upper()}{found[2][1:]}"
            for place in ("Parameters", "Arguments"):
                if state.get(place).given:
                    yield action, _arguments(state.get(place))
        for inner in (state.get("Iterator"), state.get("ItemProcessor")):
            yield from _tasks(inner)
        for branch in state.get("Branches").items():
            yield from _tasks(branch)


def _arguments(fact: Fact) -> Fact:
    return Fact(_without_paths(fact.value), fact.where)


def _without_paths(value: Any) -> Any:
    """Arguments whose value is found only in the execution's data, as unknown."""
    if isinstance(value, Mapping):
        return {
            key.removesuffix(".$"): Unknown() if key.endswith(".$") else _without_paths(inner)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_without_paths(inner) for inner in value]
    if isinstance(value, str) and value.startswith("{%"):
        return Unknown()
    return value
