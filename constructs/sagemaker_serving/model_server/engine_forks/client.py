"""Asking the engine_forks, from the handler worker."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sagemaker_serving.model_server.multi_model import Outcome


@dataclass(frozen=True, kw_only=True)
class Ports:
    """An engine's ports."""

    rest: int
    """The one of the port range, which the container's answers tell."""

    grpc: int
    """The other one."""

    served: int
    """Where the engine answers REST: the same, unless that was taken on this machine."""

    served_grpc: int
    """Where it answers gRPC."""


@dataclass(frozen=True, kw_only=True)
class LoadedEngine(Ports):
    """One engine of a loaded model."""

    pid: int
    alive: bool


class EngineForksClient:
    """One connection for each question, to the unix socket ``path``.

    What is asked waits ``wait`` seconds for a load of that model that is under way, and raises
    `TimeoutError` then; `ConnectionError` where the machine lets it down, as by a full disk.
    """

    def __init__(self, path: Path, wait: float) -> None:
        self._path = path
        self._wait = wait

    def loaded(self, name: str | None = None) -> dict[str, list[LoadedEngine]]:
        """The engines of every model, in the order of loading; waits for ``name``, or for all."""
        models: dict[str, list[dict[str, Any]]] = self._ask(do="loaded", name=name)
        return {
            name: [LoadedEngine(**facts) for facts in engines] for name, engines in models.items()
        }

    def load(self, name: str, base_path: Path) -> Outcome:
        """Load a model; when it returns, the model answers or never will."""
        return Outcome(self._ask(do="load", name=name, base_path=str(base_path)))

    def unload(self, name: str) -> bool:
        """Unload a model; whether it was loaded."""
        return bool(self._ask(do="unload", name=name))

    def _ask(self, **request: str | None) -> Any:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self._path))
            connection.sendall(json.dumps(request | {"wait": self._wait}).encode() + b"\n")
            with connection.makefile("rb") as replies:
                line = replies.readline()
        if not line:
            raise ConnectionError("the engines' process gave no answer; the line above says why")
        reply = json.loads(line)
        if reply == {"late": True}:
            raise TimeoutError(f"a load took more than {self._wait:g} seconds")
        return reply
