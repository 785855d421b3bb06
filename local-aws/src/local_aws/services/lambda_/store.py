"""What Lambda remembers, region by region: plain values that JSON can carry."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from local_aws.arn import arn_in
from local_aws.context import ACCOUNT_ID

LATEST = "$LATEST"

Configuration = dict[str, Any]
"""One version of a function as GetFunctionConfiguration answers it."""


@dataclass
class Function:
    """One function with all its versions.

    ``versions`` has ``$LATEST`` and the published ones by number; ``policies`` the statements
    of the resource policy by qualifier ("" for the function itself); ``invoke_configs`` what
    is set for asynchronous events, by qualifier.
    """

    name: str
    region: str
    versions: dict[str, Configuration] = field(default_factory=dict)
    published: int = 0
    aliases: dict[str, dict[str, Any]] = field(default_factory=dict)
    policies: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    reserved_concurrency: int | None = None
    invoke_configs: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def arn(self) -> str:
        """The ARN without a qualifier."""
        return arn_of(self.region, self.name)


class Store:
    """Every function of every region. Hold ``lock`` while changing what belongs together."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._functions: dict[tuple[str, str], Function] = {}

    def find(self, region: str, name: str) -> Function | None:
        """The function of that name in the region."""
        return self._functions.get((region, name))

    def add(self, function: Function) -> None:
        """Remember a function."""
        self._functions[function.region, function.name] = function

    def remove(self, function: Function) -> None:
        """Forget a function."""
        self._functions.pop((function.region, function.name), None)

    def all(self, region: str | None = None) -> Iterator[Function]:
        """The functions of a region, or of all, by name."""
        with self.lock:
            functions = list(self._functions.values())
        return iter(
            sorted(
                (each for each in functions if region in (None, each.region)),
                key=lambda each: (each.region, each.name),
            )
        )

    def export_state(self) -> dict[str, Any]:
        """Everything, as JSON has it."""
        return {"functions": [asdict(function) for function in self.all()]}

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Become what `export_state` gave."""
        with self.lock:
            self._functions.clear()
            for saved in state["functions"]:
                self.add(Function(**saved))


def arn_of(region: str, name: str) -> str:
    """A function's ARN."""
    return arn_in(region, "lambda", ACCOUNT_ID, f"function:{name}")


def now_text() -> str:
    """The time as Lambda's LastModified has it: ``2026-11-21T12:00:00.000+0000``."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "+0000")
