"""What EXPRESS workflows cannot have: they wait for no job and no token, and start no Map Run.

https://docs.aws.amazon.com/step-functions/latest/dg/choosing-workflow-type.html.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.states_language.problem import Place, Problem, schema_problem
from local_aws.states_language.scopes import inner_scopes

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
