"""What EXPRESS workflows cannot have: they wait for no job and no token, and start no Map Run.

https://docs.aws.amazon.com/step-functions/latest/dg/choosing-workflow-type.html,
read 2026-11-21.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from local_aws.services.stepfunctions.engine.problems import Problem, schema_problem

_WAITING = ("sync", "sync:2", "waitForTaskToken")


def express_problems(scope: Any, kind: str, place: str = "") -> Iterator[Problem]:
    """The problems of a machine's, branch's or processor's states; ``kind`` is its type.

    The children of a Distributed Map have a type of their own, in a machine of either.
    """
    states = scope.get("States") if isinstance(scope, dict) else None
    for name, state in states.items() if isinstance(states, dict) else ():
        if isinstance(state, dict):
            yield from _of_state(state, kind, f"{place}/States/{name}")


def _of_state(state: dict[str, Any], kind: str, place: str) -> Iterator[Problem]:
    pattern = str(state.get("Resource", "")).rpartition(".")[2]
    if kind == "EXPRESS" and state.get("Type") == "Task" and pattern in _WAITING:
        yield schema_problem(
            f"Express state machine does not support '.{pattern}' service integration",
            f"{place}/Resource",
        )
    for index, branch in enumerate(state.get("Branches") or ()):
        yield from express_problems(branch, kind, f"{place}/Branches[{index}]")
    field = "Iterator" if "Iterator" in state else "ItemProcessor"
    processor = state.get(field)
    if not isinstance(processor, dict):
        return
    config = processor.get("ProcessorConfig") or {}
    distributed = config.get("Mode") == "DISTRIBUTED"
    if distributed and kind == "EXPRESS":
        yield schema_problem("Express state machine does not support Distributed Map states", place)
    own = config.get("ExecutionType", "STANDARD") if distributed else kind
    yield from express_problems(processor, own, f"{place}/{field}")
