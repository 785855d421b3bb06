"""The jobs that run now."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from local_aws.protocol import AwsError


class Run(Protocol):
    """What does a job's work, in a thread of its own."""

    def stop(self) -> None:
        """Have it end soon, if it has not ended."""


R = TypeVar("R", bound=Run)


class Runs(Generic[R]):
    """Those of one kind, by the ARNs of their jobs; when closed, they take no more."""

    def __init__(self) -> None:
        self._by_arn: dict[str, R] = {}
        self._lock = threading.Lock()
        self._closed = False

    def admit(self, arn: str, run: R) -> None:
        """Take one that begins. Raises `AwsError` when the local AWS is stopping."""
        with self._lock:
            if self._closed:
                raise AwsError("ServiceUnavailable", "the local AWS is stopping", status=503)
            self._by_arn[arn] = run

    def find(self, arn: str) -> R | None:
        """The job's; None for a job that does not run."""
        return self._by_arn.get(arn)

    def every(self) -> Sequence[R]:
        """All that run now."""
        with self._lock:
            return list(self._by_arn.values())

    def stop(self, arn: str) -> None:
        """Stop the job's, if it runs."""
        run = self.find(arn)
        if run is not None:
            run.stop()

    def forget(self, arn: str) -> None:
        """Let go of one that has ended."""
        with self._lock:
            del self._by_arn[arn]

    def close(self) -> None:
        """Stop all, and admit no more."""
        with self._lock:
            self._closed = True
        for run in self.every():
            run.stop()
