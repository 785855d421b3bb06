"""The scopes of a definition: the machine, the branches of Parallel states, what Map states run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.states_language.problem import Place

Named = tuple[str | int, Any]


def inner_scopes(state: Mapping[str, Any]) -> Iterator[tuple[Place, Any]]:
    """Where a state has scopes of its own, and what stands there, whatever it is."""
    branches = state.get("Branches")
    for index, branch in enumerate(branches if isinstance(branches, list) else ()):
        yield ("Branches", index), branch
    processor = processor_field(state)
    if processor in state:
        yield (processor,), state[processor]


def processor_field(state: Mapping[str, Any]) -> str:
    """What a Map state calls the scope that it runs."""
    return "Iterator" if "Iterator" in state else "ItemProcessor"


def states_within(
    scope: Any, place: Place = (), language: str = "JSONPath"
) -> Iterator[tuple[Place, Mapping[str, Any], str]]:
    """Every state at any depth, with its place and its query language."""
    states = scope.get("States") if isinstance(scope, Mapping) else None
    if not isinstance(states, Mapping):
        return
    language = language_of(scope, language)
    for name, state in states.items():
        if isinstance(state, Mapping):
            here, own = (*place, "States", name), language_of(state, language)
            yield here, state, own
            for inner, each in inner_scopes(state):
                yield from states_within(each, (*here, *inner), own)


def language_of(given: Mapping[str, Any], above: str) -> str:
    """The query language of a scope or state within one of ``above``."""
    own = given.get("QueryLanguage")
    return own if own in ("JSONPath", "JSONata") else above
