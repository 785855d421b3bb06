"""Operations under way: each stack's one, in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread

from local_aws.context import LocalContext
from local_aws.resources import ResourceTypes
from local_aws.resources.base import Cancelled
from local_aws.services.cloudformation.engine.deployment import Deployment
from local_aws.services.cloudformation.engine.exports import Exports
from local_aws.services.cloudformation.engine.stacks import Stack, Stacks
from local_aws.services.cloudformation.engine.steps import reason_of

CLOSE_SECONDS = 10.0
"""How long `Operations.close` waits for each thread."""


class Operations:
    """Starts operations, and knows those that run."""

    def __init__(
        self,
        context: LocalContext,
        types: ResourceTypes,
        stacks: Stacks,
        on_settled: Callable[[], None],
    ) -> None:
        self.exports = Exports(stacks)
        self._on_settled = on_settled
        self._context = context
        self._types = types
        self._stacks = stacks
        self._running: dict[str, _Running] = {}

    def start(
        self, stack: Stack, work: Callable[[Deployment], None], *, held: bool = False
    ) -> None:
        """Run ``work`` in a thread; the stack is in its in-progress state already."""
        deployment = Deployment(self._context, self._types, stack, self.exports, held=held)
        running = _Running(stack, deployment, work, self._on_settled)
        with self._stacks.lock:
            self._running[stack.stack_id] = running
        running.thread.start()

    def wait(self, stack: Stack, seconds: float) -> bool:
        """Return once the stack's operation has ended, or after ``seconds``; whether it has."""
        running = self._running.get(stack.stack_id)
        return running is None or running.done.wait(seconds)

    def cancel(self, stack: Stack) -> None:
        """Make the stack's operation stop going forward."""
        running = self._running.get(stack.stack_id)
        if running is not None:
            running.deployment.cancel()

    def abandon(self, stack: Stack) -> None:
        """End the stack's create where it is, and wait until its thread has ended."""
        running = self._running.get(stack.stack_id)
        if running is not None:
            running.deployment.abandon()
            running.thread.join()

    def close(self) -> None:
        """End every thread; stacks stay in the state they are in."""
        for running in list(self._running.values()):
            running.deployment.close()
        for running in list(self._running.values()):
            running.thread.join(CLOSE_SECONDS)
            running.done.set()


class _Running:
    """One operation's thread."""

    def __init__(
        self,
        stack: Stack,
        deployment: Deployment,
        work: Callable[[Deployment], None],
        on_settled: Callable[[], None],
    ) -> None:
        self.deployment = deployment
        self.done = Event()
        self._stack = stack
        self._work = work
        self._on_settled = on_settled
        self.thread = Thread(target=self._run, name=f"cloudformation-{stack.name}", daemon=True)

    def _run(self) -> None:
        try:
            self._work(self.deployment)
        except Cancelled:
            return
        except Exception as error:
            self._stack.set_status(failed_status(self._stack.status), reason_of(error))
        finally:
            self.done.set()
            self._on_settled()


def failed_status(status: str) -> str:
    """Where a stack ends when the engine itself fails: never in progress for ever."""
    if status.endswith("_CLEANUP_IN_PROGRESS"):
        return status.removesuffix("_CLEANUP_IN_PROGRESS")
    return status.removesuffix("_IN_PROGRESS") + "_FAILED"
