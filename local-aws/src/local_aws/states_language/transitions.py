"""Where the states of a scope lead: to states that are there, from the first to an end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.states_language.fields import TYPES
from local_aws.states_language.problem import Place, Problem, schema_problem
from local_aws.suggest import nearest
from local_aws.template import Unknown

_ENDING = ("Succeed", "Fail")
_TARGET = "MISSING_TRANSITION_TARGET"


def transition_problems(scope: Mapping[str, Any], place: Place) -> Iterator[Problem]:
    """The problems of StartAt, Next, End and Default in a scope whose States are an object."""
    states: Mapping[str, Any] = scope["States"]
    targets = [("StartAt", scope.get("StartAt"), (*place, "StartAt"))]
    open_ended = False
    for name, state in states.items():
        here = (*place, "States", name)
        if not isinstance(state, Mapping) or isinstance(state.get("Type"), Unknown):
            targets.append(("Next", Unknown(), here))
            continue
        targets += _targets(state, here)
        unfinished = list(_way_on(state, here)) if state.get("Type") in TYPES else []
        open_ended = open_ended or bool(unfinished) or state.get("Type") not in TYPES
        yield from unfinished
    meant: set[str | None] = set()
    for field, target, where in targets:
        if isinstance(target, str) and target not in states:
            open_ended = True
            near = nearest(target, states)
            meant.add(near)
            yield Problem(
                code=_TARGET,
                message=f"Missing '{field}' target: {target}",
                place=where,
                advice=f"did you mean {near}?" if near else f"there are {_listed(states)}",
            )
    reached = {target for _, target, _ in targets if isinstance(target, str)}
    if any(isinstance(target, Unknown) for _, target, _ in targets):
        return
    for name in states:
        if name not in reached | meant:
            yield Problem(
                code=_TARGET,
                message=f'State "{name}" is not reachable.',
                place=(*place, "States", name),
                advice="let Next, Default, Catch or StartAt name it, or remove it",
            )
    if not open_ended and not any(map(_ends, states.values())):
        yield Problem(
            code="MISSING_END_STATE",
            message="There is no terminal state",
            place=(*place, "States"),
            advice="give a state End: true, or add one of Type Succeed or Fail",
        )


def _way_on(state: Mapping[str, Any], place: Place) -> Iterator[Problem]:
    """The problem of a state that does not say what follows it, or says two things."""
    kind = state.get("Type")
    ends = state.get("End", False)
    if kind in ("Choice", *_ENDING) or isinstance(ends, Unknown):
        return
    if ("Next" in state) == (ends is not False):
        both = "Next" in state
        yield schema_problem(
            "A state has either 'Next' or 'End'",
            place,
            "it has both; remove one" if both else "add Next with a state's name, or End: true",
        )


def _ends(state: Any) -> bool:
    return isinstance(state, Unknown) or (
        isinstance(state, Mapping)
        and (state.get("End", False) is not False or state.get("Type") in _ENDING)
    )


def _targets(state: Mapping[str, Any], place: Place) -> list[tuple[str, Any, Place]]:
    found: list[tuple[str, Any, Place]] = [
        (field, state[field], (*place, field)) for field in ("Next", "Default") if field in state
    ]
    for field in ("Choices", "Catch"):
        rules = state.get(field, [])
        if isinstance(rules, Unknown):
            found.append(("Next", rules, (*place, field)))
        for index, rule in enumerate(rules if isinstance(rules, list) else []):
            if isinstance(rule, Mapping) and "Next" in rule:
                found.append(("Next", rule["Next"], (*place, field, index, "Next")))
            elif isinstance(rule, Unknown):
                found.append(("Next", rule, (*place, field, index)))
    return found


def _listed(states: Mapping[str, Any]) -> str:
    shown = [str(name) for name in states][:10]
    return ", ".join([*shown, "…"] if len(states) > len(shown) else shown)
