"""Objects that are put into buckets of AWS's own: what is sent to CloudFormation's wait conditions.

On AWS such a bucket belongs to CloudFormation, and who has a presigned URL puts objects there. Here
nothing of it is kept but what is put under keys that somebody waits for.
"""

from __future__ import annotations

import threading

WAIT_CONDITIONS = "cloudformation-waitcondition-"
"""How the names of the buckets begin; a region follows."""


class Deposits:
    """What was put under each key, oldest first."""

    def __init__(self) -> None:
        self._bodies: dict[str, list[bytes]] = {}
        self._lock = threading.Lock()

    def open(self, key: str) -> None:
        """Keep what is put under ``key`` from now on, beside what was put before."""
        with self._lock:
            self._bodies.setdefault(key, [])

    def close(self, key: str) -> None:
        """Let go of a key."""
        with self._lock:
            self._bodies.pop(key, None)

    def put(self, key: str, body: bytes) -> None:
        """Put an object; nobody learns whether anybody waits for it, as on AWS."""
        with self._lock:
            if key in self._bodies:
                self._bodies[key].append(body)

    def at(self, key: str) -> list[bytes]:
        """All that was put under a key."""
        with self._lock:
            return list(self._bodies.get(key, ()))
