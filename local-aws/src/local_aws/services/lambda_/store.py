"""What Lambda remembers, region by region: plain values that JSON can carry.

What is made or changed is in place a moment later, as on AWS: until then a version is Pending, or
its last update InProgress, and the code and settings from before it go on running.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from local_aws.arn import arn_in

LATEST = "$LATEST"

Configuration = dict[str, Any]
"""One version of a function as GetFunctionConfiguration answers it."""


@dataclass
class Function:
    """One function with all its versions.

    ``versions`` has ``$LATEST`` and the published ones by number; ``policies`` the statements
    of the resource policy by qualifier ("" for the function itself); ``invoke_configs`` what
    is set for asynchronous events, ``urls`` the function URLs, by
    qualifier. ``policy_revisions`` is the RevisionId of each policy. ``settling``
    has the versions that are not in place yet: ``at`` is when they are, in seconds since the epoch,
    ``before`` what runs until then; None runs nothing.
    ``published_from`` is what $LATEST was when the newest version was made of it.
    """

    name: str
    region: str
    account: str
    versions: dict[str, Configuration] = field(default_factory=dict)
    published: int = 0
    aliases: dict[str, dict[str, Any]] = field(default_factory=dict)
    policies: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    policy_revisions: dict[str, str] = field(default_factory=dict)
    settling: dict[str, dict[str, Any]] = field(default_factory=dict)
    published_from: Configuration | None = None
    tags: dict[str, str] = field(default_factory=dict)
    reserved_concurrency: int | None = None
    invoke_configs: dict[str, dict[str, Any]] = field(default_factory=dict)
    urls: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def arn(self) -> str:
        """The ARN without a qualifier."""
        return arn_of(self.account, self.region, self.name)

    def revise(self, version: str = LATEST) -> None:
        """Make another revision of a version."""
        self.versions[version]["RevisionId"] = str(uuid4())

    def make(self, version: str, configuration: Configuration, *, in_place_at: float) -> None:
        """Have a new version, which is Pending until it is in place."""
        self.versions[version] = {**without_state(configuration), **_PENDING}
        self.settling[version] = {"at": in_place_at, "before": None}

    def change(self, configuration: Configuration, *, in_place_at: float) -> None:
        """Have another $LATEST, whose update is InProgress until it is in place."""
        before = self.versions[LATEST]
        self.versions[LATEST] = {**without_state(configuration), **_IN_PROGRESS}
        self.settling[LATEST] = {"at": in_place_at, "before": before}

    def settle(self, now: float) -> None:
        """Let what is in place by now be Active, and another revision."""
        for version, change in list(self.settling.items()):
            if change["at"] <= now:
                self.settling.pop(version, None)
                configuration = self.versions.get(version)
                if configuration is not None:
                    self.versions[version] = {**without_state(configuration), **IN_PLACE}
                    self.revise(version)

    def running(self, version: str) -> Configuration | None:
        """What an event of this version runs now; None while there is none, or it is Pending."""
        change = self.settling.get(version)
        running: Configuration | None = (
            self.versions.get(version) if change is None else change["before"]
        )
        return running


class Store:
    """Every function of an account. Hold ``lock`` while changing what belongs together."""

    def __init__(self, account: str) -> None:
        self.account = account
        self.lock = threading.RLock()
        self.layers: dict[str, list[dict[str, Any]]] = {}
        """By the layer's ARN, each ``version`` as it is answered; numbers are not used again, so
        one that is ``deleted`` stays."""
        self.sources: dict[str, dict[str, Any]] = {}
        """Event source mappings by their UUID: each ``mapping`` as it is answered, its ``tags``."""
        self._functions: dict[tuple[str, str], Function] = {}

    def find(self, region: str, name: str) -> Function | None:
        """The function of that name in the region, as it is by now."""
        function = self._functions.get((region, name))
        if function is not None and function.settling:
            with self.lock:
                function.settle(time.time())
        return function

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
            for function in functions:
                function.settle(time.time())
        return iter(
            sorted(
                (each for each in functions if region in (None, each.region)),
                key=lambda each: (each.region, each.name),
            )
        )

    def export_state(self) -> dict[str, Any]:
        """Everything, as JSON has it."""
        return {
            "functions": [asdict(function) for function in self.all()],
            "layers": self.layers,
            "sources": self.sources,
        }

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Become what `export_state` gave."""
        with self.lock:
            self._functions.clear()
            self.layers = state["layers"]
            self.sources = state["sources"]
            for saved in state["functions"]:
                self.add(Function(**{"account": self.account, **saved}))


def without_state(configuration: Configuration) -> Configuration:
    """A version's configuration without what says how far it is."""
    return {
        name: value
        for name, value in configuration.items()
        if not name.startswith(("State", "LastUpdateStatus"))
    }


def what_runs(configuration: Configuration) -> Configuration:
    """The code and settings of a version: what two revisions of it may have in common."""
    own = ("FunctionArn", "LastModified", "RevisionId", "Version")
    return {k: v for k, v in without_state(configuration).items() if k not in own}


_WHY = "The function is being created."
_PENDING = {"State": "Pending", "StateReason": _WHY, "StateReasonCode": "Creating"}
_IN_PROGRESS = {
    "State": "Active",
    "LastUpdateStatus": "InProgress",
    "LastUpdateStatusReason": _WHY,
    "LastUpdateStatusReasonCode": "Creating",
}
IN_PLACE = {"State": "Active", "LastUpdateStatus": "Successful"}
"""What AWS answers of a version in each state (recorded by LocalStack's suite, November 2025)."""


def arn_of(account: str, region: str, name: str) -> str:
    """A function's ARN."""
    return arn_in(region, "lambda", account, f"function:{name}")


def now_text() -> str:
    """The time as Lambda's LastModified has it: ``2026-11-21T12:00:00.000+0000``."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "+0000")
