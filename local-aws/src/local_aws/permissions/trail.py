"""What was judged: who used which action on what, and how often."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from local_aws.policies.evaluation import Call, Decision

MOST_ENTRIES = 10_000
"""Different judgements that are kept; the one not seen for longest goes first."""

_PASSING = frozenset({"aws:currenttime", "aws:epochtime"})


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A call that was judged, how, and how often it came again just so."""

    call: Call
    decision: Decision
    count: int = 1

    def as_json(self) -> dict[str, Any]:
        """As ``GET /_local/permissions`` answers it."""
        return {
            "principal": self.call.principal.arn or self.call.principal.service,
            "role": self.call.principal.role_arn,
            "action": self.call.action,
            "resource": self.call.resource,
            "allowed": self.decision.allowed,
            "reason": None if self.decision.allowed else self.decision.because(self.call.action),
            "count": self.count,
        }


@dataclass
class Trail:
    """The latest judgements, equal ones counted together."""

    _entries: OrderedDict[object, Judged] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, call: Call, decision: Decision) -> None:
        """Remember a judgement."""
        lasting = frozenset(item for item in call.context.items() if item[0] not in _PASSING)
        key = (call.principal, call.action, call.resource, lasting, decision)
        with self._lock:
            known = self._entries.pop(key, None)
            count = 1 if known is None else known.count + 1
            self._entries[key] = Judged(call=call, decision=decision, count=count)
            while len(self._entries) > MOST_ENTRIES:
                self._entries.popitem(last=False)

    def __iter__(self) -> Iterator[Judged]:
        """Every judgement that is kept, the latest last."""
        with self._lock:
            return iter(tuple(self._entries.values()))

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._entries.clear()
