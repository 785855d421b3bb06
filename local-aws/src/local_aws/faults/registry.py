"""The faults that are set now, and which of them strikes next."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from local_aws.errors import NotFound
from local_aws.faults.fault import Fault, Kind
from local_aws.suggest import nearest


class Faults:
    """Every part of the local AWS asks `strike` where a fault could happen.

    Without faults that costs nothing. Each fault counts its matches by itself,
    in the order in which they come; the first one that strikes is the one.
    """

    def __init__(self) -> None:
        self._set: dict[str, _Set] = {}
        self._lock = threading.Lock()

    def __bool__(self) -> bool:
        return bool(self._set)

    def put(self, fault: Fault) -> None:
        """Set a fault; one of the same id is replaced, and counts from the beginning."""
        with self._lock:
            self._set = {**self._set, fault.id: _Set(fault)}

    def replace(self, faults: Iterable[Fault]) -> None:
        """Set these and no others."""
        with self._lock:
            self._set = {fault.id: _Set(fault) for fault in faults}

    def clear(self, id: str | None = None) -> None:
        """Take a fault away, or all of them; raises `NotFound` for one that is not set."""
        with self._lock:
            if id is None:
                self._set = {}
                return
            if id not in self._set:
                meant = nearest(id, self._set)
                hint = f"; did you mean '{meant}'?" if meant is not None else ""
                raise NotFound(f"there is no fault '{id}'{hint}")
            self._set = {name: kept for name, kept in self._set.items() if name != id}

    def listed(self) -> list[dict[str, Any]]:
        """The faults as JSON, each with how often it was ``matched`` and ``struck``."""
        with self._lock:
            return [
                {**kept.fault.as_json(), "matched": kept.matched, "struck": kept.struck}
                for kept in self._set.values()
            ]

    def strike(
        self, kinds: Iterable[Kind], service: str, operation: str, *names: str
    ) -> Fault | None:
        """The fault of one of ``kinds`` that strikes this call now; None when none does."""
        if not self._set:
            return None
        wanted = set(kinds)
        with self._lock:
            for kept in self._set.values():
                fault = kept.fault
                if fault.kind in wanted and fault.is_about(service, operation, names):
                    kept.matched += 1
                    if fault.strikes(kept.matched):
                        kept.struck += 1
                        return fault
        return None


class _Set:
    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self.matched = 0
        self.struck = 0
