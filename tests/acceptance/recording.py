"""What an AWS answered to the scenario: step by step, as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(kw_only=True)
class Call:
    """One call, or the same one asked again and again until what it waits for has come.

    ``states`` are the distinct states that it went through, in order: the answer's own
    ``…Status`` or its error's code, "" for an answer that has neither. The rest is the last
    answer: ``status`` is HTTP's, ``code`` and ``reason`` are an error's, "" where there is none.
    """

    operation: str
    parameters: dict[str, Any]
    states: list[str]
    status: int
    code: str
    reason: str
    members: dict[str, Any]


@dataclass(kw_only=True)
class Step:
    """``events`` are the stacks' events, each resource's by ``<stack>.<logical id>``, as
    ``[status, reason]`` in order. Resources that do not wait for one another have no order."""

    name: str
    calls: list[Call] = field(default_factory=list)
    events: dict[str, list[list[str]]] = field(default_factory=dict)


@dataclass(kw_only=True)
class Recording:
    """``aws`` says whose answers these are."""

    aws: str
    steps: list[Step] = field(default_factory=list)

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{json.dumps(asdict(self), indent=1)}\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Recording:
        return cls.of(json.loads(path.read_text(encoding="utf-8")))

    @classmethod
    def of(cls, read: dict[str, Any]) -> Recording:
        return cls(
            aws=read["aws"],
            steps=[
                Step(
                    name=step["name"],
                    calls=[Call(**call) for call in step["calls"]],
                    events=step["events"],
                )
                for step in read["steps"]
            ],
        )
