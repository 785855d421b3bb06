"""Map states."""

from __future__ import annotations

from typing import Any

from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration.iteration_worker import (  # noqa: E501
    IterationWorker,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_map.state_map import StateMap

from local_aws.arn import Arn
from local_aws.emulator.replacing import Original, replaces
from local_aws.services.stepfunctions.engine import language
from local_aws.services.stepfunctions.engine.distributed_map import DistributedMap
from local_aws.services.stepfunctions.engine.execution import execution_of


def apply(account: str, distributed_map: DistributedMap) -> None:
    """Apply every patch of this file; ``distributed_map`` evaluates those of an account."""
    _MAPS[account] = distributed_map
    run_distributed_maps()
    take_items_one_after_another()


def run_distributed_maps() -> None:
    """The emulator's have no child executions, tolerate no failure, write no results.

    In short, they end in a server error; the project's own takes their place.
    """

    @replaces(StateMap, "from_state_props")
    def from_state_props(original: Original, self: Any, state_props: Any) -> None:
        original(self, state_props)
        self.distributed = language.distributed_state(self.name)

    @replaces(StateMap, "_eval_execution")
    def eval_execution(original: Original, self: Any, env: Any) -> None:
        if self.distributed is None:
            original(self, env)
        else:
            account = Arn.parse(execution_of(env).arn).account
            _MAPS[account].evaluate(self.name, self.distributed, env)


_MAPS: dict[str, DistributedMap] = {}
"""By account."""


def take_items_one_after_another() -> None:
    """An iteration calls the next: a thousand items in a row exceed Python's recursion."""

    def evaluate(self: Any) -> None:
        worker = self._env.open_frame()
        job = self._job_pool.next_job()
        while job is not None:
            frame = worker.open_inner_frame()
            self._eval_job(env=frame, job=job)
            worker.close_frame(frame)
            ended = isinstance(job.job_output, Exception) or self.stopped()
            following = None if ended else self._job_pool.next_job()
            if following is None:
                if not ended:  # what follows a failure follows the state that failed
                    last = frame.event_history_context.last_published_event_id
                    worker.event_history_context.source_event_id = last
                # Whoever waits for the last job goes on in the frame that encloses this one.
                self._env.close_frame(worker)
            self._job_pool.close_job(job)
            job = following

    IterationWorker.eval = evaluate
