"""From a definition's text to what the emulator's interpreter evaluates.

The interpreter's grammar knows little of a Distributed Map: no ItemBatcher, no
EXPRESS children, no JSONL. So the grammar sees a plain Map in its place, and
the state as it was written goes to `DistributedMap`, which evaluates the
templates in it with the interpreter's own components.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser

_GRAMMAR = AmazonStateLanguageParser.parse
_KEPT = (
    *("Type", "Comment", "QueryLanguage", "InputPath", "OutputPath", "ResultPath"),
    *("ResultSelector", "Retry", "Catch", "Next", "End", "Assign", "Output"),
)
_STAND_IN = {"StartAt": "Child", "States": {"Child": {"Type": "Succeed"}}}


@lru_cache(maxsize=128)
def program(definition: str) -> Any:
    """The interpreter's program of a definition, made once.

    It keeps no state of its own, so executions at the same time share it.
    Raises the interpreter's own errors when the grammar refuses the text.
    """
    return parse(definition)[0]


def parse(definition: str) -> tuple[Any, Any]:
    """The program and its syntax tree, as the emulator's own parser returns them."""
    document = json.loads(definition)
    found: dict[str, DistributedState] = {}
    simplified = _without_distributed_maps(document, document.get("QueryLanguage"), found)
    text = json.dumps(simplified, ensure_ascii=False) if found else definition
    outer = getattr(_being_parsed, "states", None)
    _being_parsed.states = found
    try:
        parsed: tuple[Any, Any] = _GRAMMAR(text)
        return parsed
    finally:
        _being_parsed.states = outer


def distributed_state(name: str) -> DistributedState | None:
    """The Distributed Map of this name in the definition that this thread parses now."""
    states: dict[str, DistributedState] = getattr(_being_parsed, "states", None) or {}
    return states.get(name)


def is_template() -> bool:
    """Whether what this thread parses now is a Distributed Map's template, not a definition."""
    return getattr(_being_parsed, "template", False)


_being_parsed = threading.local()


class DistributedState:
    """A Distributed Map as it is written, with its templates ready for evaluation."""

    def __init__(self, state: Mapping[str, Any], language: str) -> None:
        self.state = state
        self.jsonata = language == "JSONata"
        processor = state.get("ItemProcessor") or state["Iterator"]
        self.config: Mapping[str, Any] = processor["ProcessorConfig"]
        child = {key: value for key, value in processor.items() if key != "ProcessorConfig"}
        if self.jsonata:
            child.setdefault("QueryLanguage", "JSONata")
        self.child_definition = json.dumps(child, ensure_ascii=False)
        program(self.child_definition)  # what is wrong with it is found with the rest

    def parameters_of(self, owner: Mapping[str, Any]) -> Any:
        """The arguments of a reader or writer, by either language's name for them."""
        return owner.get("Arguments" if self.jsonata else "Parameters", {})

    def evaluate(self, template: Any, frame: Any) -> Any:
        """A template's value in a frame of the interpreter.

        Raises the interpreter's FailureEventException when a path finds nothing or an expression
        fails.
        """
        component = _component(json.dumps(template, ensure_ascii=False), self.jsonata)
        if self.jsonata:
            given = frame.states.get_input()
            component.eval(frame)
            value = frame.states.get_input()
            frame.states.reset(input_value=given)
            return value
        frame.stack.append(frame.states.get_input())
        component.eval(frame)
        return frame.stack.pop()

    def field(self, owner: Mapping[str, Any], name: str, frame: Any) -> Any:
        """A field given as it is, by path (``<name>Path``) or by expression; None when absent."""
        if f"{name}Path" in owner:
            return self.evaluate({"Value.$": owner[f"{name}Path"]}, frame)["Value"]
        value = owner.get(name)
        if self.jsonata and isinstance(value, str):
            return self.evaluate(value, frame)
        return value


@lru_cache(maxsize=512)
def _component(template: str, jsonata: bool) -> Any:
    """A component of the interpreter that evaluates the template: a Pass state has it."""
    field = "Output" if jsonata else "Parameters"
    language = "JSONata" if jsonata else "JSONPath"
    text = (
        f'{{"QueryLanguage": "{language}", "StartAt": "Value", "States": {{"Value": '
        f'{{"Type": "Pass", "{field}": {template}, "End": true}}}}}}'
    )
    _being_parsed.template = True
    try:
        state = _GRAMMAR(text)[0].states.states["Value"]
    finally:
        _being_parsed.template = False
    return state.output if jsonata else state.parameters


def _without_distributed_maps(
    scope: Any, language: str | None, found: dict[str, DistributedState]
) -> Any:
    if not isinstance(scope, dict) or not isinstance(scope.get("States"), dict):
        return scope
    language = scope.get("QueryLanguage", language)
    states = {
        name: _simplified(name, state, language, found) for name, state in scope["States"].items()
    }
    return {**scope, "States": states}


def _simplified(
    name: str, state: Any, language: str | None, found: dict[str, DistributedState]
) -> Any:
    if not isinstance(state, dict):
        return state
    language = state.get("QueryLanguage", language)
    if state.get("Type") == "Parallel" and isinstance(state.get("Branches"), list):
        branches = [_without_distributed_maps(each, language, found) for each in state["Branches"]]
        return {**state, "Branches": branches}
    if state.get("Type") != "Map":
        return state
    field = "Iterator" if "Iterator" in state else "ItemProcessor"
    processor = state.get(field)
    if not isinstance(processor, dict):
        return state
    if (processor.get("ProcessorConfig") or {}).get("Mode") != "DISTRIBUTED":
        return {**state, field: _without_distributed_maps(processor, language, found)}
    found[name] = DistributedState(state, language or "JSONPath")
    return {**{key: state[key] for key in _KEPT if key in state}, "ItemProcessor": _STAND_IN}
