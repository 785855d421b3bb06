"""The variables that a definition's states refer to, as DescribeStateMachine tells them.

https://docs.aws.amazon.com/step-functions/latest/apireference/API_DescribeStateMachine.html
(``variableReferences``). That a template's text counts under a name with ``.$``
only, and the order of names, are from what LocalStack's suite recorded of AWS in 2024.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from local_aws.states_language import is_expression

_NESTED = frozenset({"Branches", "Iterator", "ItemProcessor"})
_TEMPLATES = frozenset(
    {"Assign", "BatchInput", "ItemSelector", "Parameters", "Result", "ResultSelector"}
)
_PATH = re.compile(r"\w*Path|Variable")
_TEXT_OR_VARIABLE = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\$(?P<name>[^\W\d]\w*)""")


@lru_cache(maxsize=128)
def variable_references(definition: str) -> Mapping[str, list[str]]:
    """The variables, by the name of the state, of a definition that was found to be good.

    A variable is what an Assign of the definition gives a value to, so that neither
    ``$states`` and functions of JSONata nor what an expression binds itself are taken for one.
    """
    document = json.loads(definition)
    states = list(_states(document, document.get("QueryLanguage", "JSONPath")))
    assigned = {
        name.removesuffix(".$")
        for _, state, _ in states
        for given in [state, *state.get("Choices", []), *state.get("Catch", [])]
        for name in given.get("Assign", {})
    }
    found = {
        name: sorted({each for text in _texts(state, language) for each in _names(text)} & assigned)
        for name, state, language in states
    }
    return {name: variables for name, variables in found.items() if variables}


def _states(scope: Mapping[str, Any], language: str) -> Iterator[tuple[str, Any, str]]:
    """Every state, at whatever depth, with its name and its query language."""
    for name, state in scope.get("States", {}).items():
        own = state.get("QueryLanguage", language)
        yield name, {key: value for key, value in state.items() if key not in _NESTED}, own
        nested = [state.get("Iterator", {}), state.get("ItemProcessor", {})]
        for each in [*nested, *state.get("Branches", [])]:
            yield from _states(each, own)


def _texts(value: Any, language: str, key: str = "", *, in_template: bool = False) -> Iterator[str]:
    """The texts in which a variable would be looked up."""
    if isinstance(value, Mapping):
        for name, member in value.items():
            inside = in_template or name in _TEMPLATES
            yield from _texts(member, language, name, in_template=inside)
    elif isinstance(value, list):
        for member in value:
            yield from _texts(member, language, in_template=in_template)
    elif isinstance(value, str):
        looked_up = key.endswith(".$") or (not in_template and _PATH.fullmatch(key) is not None)
        if is_expression(value) if language == "JSONata" else looked_up:
            yield value


def _names(text: str) -> Iterator[str]:
    return (found["name"] for found in _TEXT_OR_VARIABLE.finditer(text) if found["name"])
