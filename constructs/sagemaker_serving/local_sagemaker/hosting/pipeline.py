"""Containers in a row: what one answers is what the next is asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

from sagemaker_serving.local_sagemaker.common.parallel import in_parallel
from sagemaker_serving.local_sagemaker.containers.container import Container, ContainerFailed
from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer, NoAnswer
from sagemaker_serving.local_sagemaker.hosting.host import Invocation
from sagemaker_serving.local_sagemaker.hosting.kept import KeptContainer


class Pipeline:
    """One container or several, each a server process of its own.

    Containers of a pipeline are named as the Model's ContainerHostname says,
    else ``container-1``, ``container-2`` (SageMaker developer guide, "Logs and
    Metrics"). What Accept the ones before the last are given
    is not documented: none here; each says itself what it writes, and the
    next is given that as its Content-Type.
    """

    def __init__(self, containers: Sequence[KeptContainer]) -> None:
        self._kept = tuple(containers)

    @property
    def containers(self) -> Sequence[Container]:
        """In the order in which they are asked."""
        return [kept.container for kept in self._kept]

    @property
    def restarts(self) -> int:
        """Of all of them together."""
        return sum(kept.restarts for kept in self._kept)

    def start(self, deadline_seconds: float) -> None:
        """Start all at once; raises the first `ContainerFailed`, with nothing left running."""
        starts = [partial(kept.start, deadline_seconds) for kept in self._kept]
        self._together(starts, self.stop)  # the others need not wait for their own deadlines

    def ask(self, invocation: Invocation) -> ModelAnswer:
        """The last one's answer, or the first that is not a 2XX; `NoAnswer` when one is silent."""
        end = time.monotonic() + invocation.timeout_seconds
        body, headers = invocation.body, dict(invocation.headers)
        accept = headers.pop("Accept", None)
        *before, last = self._kept
        if invocation.sent is not None:
            return last.converse(
                invocation.path,
                invocation.sent,
                timeout_seconds=invocation.timeout_seconds,
                stream_seconds=invocation.stream_seconds or invocation.timeout_seconds,
            )
        for kept in before:
            answer = kept.ask(body, headers, timeout_seconds=_left(end, kept))
            if not 200 <= answer.status < 300:
                return answer
            body = answer.body
            headers["Content-Type"] = answer.headers.get("Content-Type", "application/octet-stream")
        if accept is not None:
            headers["Accept"] = accept
        return last.ask(
            body,
            headers,
            timeout_seconds=_left(end, last),
            stream_seconds=invocation.stream_seconds,
            path=invocation.path,
        )

    def kill(self) -> None:
        """End every process as a crash would."""
        for kept in self._kept:
            kept.container.kill()

    def rest(self) -> None:
        """End every process until `wake`."""
        for kept in self._kept:
            kept.rest()

    def wake(self, deadline_seconds: float) -> None:
        """Start again what rested; raises the first `ContainerFailed`."""
        self._together([partial(kept.wake, deadline_seconds) for kept in self._kept], self.rest)

    def stop(self) -> None:
        """End every process for good."""
        in_parallel([kept.stop for kept in self._kept])

    def _together(
        self, tasks: Sequence[Callable[[], None]], on_failure: Callable[[], None]
    ) -> None:
        failures: list[ContainerFailed] = []

        def do(task: Callable[[], None]) -> None:
            try:
                task()
            except ContainerFailed as failed:
                failures.append(failed)
                on_failure()

        in_parallel([partial(do, task) for task in tasks])
        if failures:
            raise failures[0]


def _left(end: float, kept: KeptContainer) -> float:
    left = end - time.monotonic()
    if left <= 0:
        name = kept.container.plan.name
        raise NoAnswer("the containers before it took all the time", timed_out=True, container=name)
    return left
