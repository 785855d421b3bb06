"""How states follow one another: threads, timeouts, Retry, Catch, callbacks."""

from __future__ import annotations

import copy
import random
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from moto.stepfunctions.parser.api import HistoryEventType
from moto.stepfunctions.parser.asl.component.common.error_name.custom_error_name import (
    CustomErrorName,
)
from moto.stepfunctions.parser.asl.component.common.error_name.error_equals_decl import (
    ErrorEqualsDecl,
)
from moto.stepfunctions.parser.asl.component.common.error_name.error_name import ErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import (
    FailureEventException,
)
from moto.stepfunctions.parser.asl.component.common.retry import (
    jitter_strategy_decl,
    max_attempts_decl,
)
from moto.stepfunctions.parser.asl.component.common.retry.retrier_decl import RetrierDecl
from moto.stepfunctions.parser.asl.component.common.retry.retrier_outcome import RetrierOutcome
from moto.stepfunctions.parser.asl.component.common.timeouts.timeout import EvalTimeoutError
from moto.stepfunctions.parser.asl.component.eval_component import EvalComponent
from moto.stepfunctions.parser.asl.component.program.program import Program
from moto.stepfunctions.parser.asl.component.state.exec.execute_state import ExecutionState
from moto.stepfunctions.parser.asl.component.state.exec.state_parallel.branch_worker import (
    BranchWorker,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_callback as callbacks,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.state_task import StateTask
from moto.stepfunctions.parser.asl.eval.callback.callback import CallbackOutcomeTimedOut
from moto.stepfunctions.parser.asl.eval.program_state import ProgramError

from local_aws.emulator.replacing import Original, replaces
from local_aws.services.stepfunctions.engine import errors

_LOOK_SECONDS = 0.2
_SAYS_WHERE = "An error occurred while executing the state '"
_TIMEOUTS = (errors.TIMEOUT, "States.HeartbeatTimeout")
chance = random.Random()
"""What JitterStrategy FULL draws from; a test may seed it."""


def apply() -> None:
    """Apply every patch of this file."""
    keep_no_threads()
    tell_components_apart()
    let_branches_fail_by_any_name()
    run_programs_in_their_thread()
    run_states_in_their_thread()
    stop_waiting_to_retry()
    catch_by_name_as_aws()
    stop_waiting_for_tokens()
    abort_tasks_that_fail_their_branch()
    say_once_where_it_failed()


def keep_no_threads() -> None:
    """Every thread that ever ran is kept in a list, and with it all that it saw."""
    for name, module in list(sys.modules.items()):
        if name.startswith("moto.stepfunctions.parser") and hasattr(module, "TMP_THREADS"):
            module.TMP_THREADS = deque(maxlen=0)  # type: ignore[attr-defined]


def tell_components_apart() -> None:
    """Each component makes up its key for counting attempts when first asked; two threads, two."""
    EvalComponent.heap_key = property(lambda self: str(id(self)))


def let_branches_fail_by_any_name() -> None:
    """A branch or an iteration that fails with ``States.…`` makes its state fail otherwise.

    The emulator refuses such a name where it passes the error on.
    """
    CustomErrorName.__init__ = ErrorName.__init__


def run_programs_in_their_thread() -> None:
    """A program starts a thread and waits for it; executions have one, and watch the time."""

    def evaluate(self: Any, env: Any) -> None:
        if env.program_state() is None or env.is_running():
            env.next_state_name = self.start_at.start_at_name
            EvalComponent.eval(self, env)

    Program.eval = evaluate


def run_states_in_their_thread() -> None:
    """A thread for each attempt of each state is dear; only those with a time limit need one.

    And a state of an execution that was stopped fails for that very reason: there is nothing
    to retry, to catch, or to add to the history.
    """

    def evaluate(self: Any, env: Any) -> None:
        self.timeout.eval(env=env)
        seconds = env.stack.pop()
        frame = env.open_frame()
        frame.states.reset(input_value=env.states.get_input())
        frame.stack = copy.deepcopy(env.stack)
        limit = None if self.timeout.is_default_value() else seconds
        try:
            _within(limit, lambda: self._eval_execution(frame))
        except Exception:
            if env.is_running():
                raise
        finally:
            frame.set_ended()
            env.close_frame(frame)
        if env.is_running():
            _take_result(self, env, frame.stack.pop())

    ExecutionState._evaluate_with_timeout = evaluate


def stop_waiting_to_retry() -> None:
    """A state that waits for its next attempt sleeps on when the execution is stopped."""

    def evaluate(self: Any, env: Any) -> None:
        self.error_equals.eval(env=env)
        if not env.stack.pop():
            env.stack.append(RetrierOutcome.Skipped)
            return
        self.max_attempts.eval(env=env)
        if env.stack.pop() == max_attempts_decl.MaxAttemptsOutcome.EXHAUSTED:
            env.stack.append(RetrierOutcome.Failed)
            return
        for part in (self.interval_seconds, self.backoff_rate, self.max_delay_seconds):
            part.eval(env=env)
        self.jitter_strategy.eval(env=env)
        pause(env, env.stack.pop())
        env.stack.append(RetrierOutcome.Executed)

    RetrierDecl._eval_body = evaluate
    jitter_strategy_decl.random = chance


def pause(env: Any, seconds: float) -> None:
    """Wait before the next attempt; less when the execution ends."""
    env.program_state_event.wait(seconds)


def catch_by_name_as_aws() -> None:
    """``States.ALL`` catches all but States.Runtime and States.DataLimitExceeded.

    ``States.TaskFailed`` stands for any of those but a timeout. The emulator has the first
    catch everything, the second no error whose name begins with ``States.``.
    """

    def evaluate(self: Any, env: Any) -> None:
        failed = env.stack.pop()
        name = None if failed is None else failed.error_name
        env.stack.append(_matches(name, {each.error_name for each in self.error_names}))

    ErrorEqualsDecl._eval_body = evaluate


def stop_waiting_for_tokens() -> None:
    """A task waits for its token for three years when its execution is stopped."""

    def wait(
        self: Any, env: Any, timeout_seconds: int, callback_endpoint: Any, heartbeat_endpoint: Any
    ) -> Any:
        if heartbeat_endpoint is not None:
            outcome = self._wait_for_task_token_heartbeat(
                env, callback_endpoint, heartbeat_endpoint
            )
        else:
            outcome = None
            while outcome is None and env.is_running():
                outcome = callback_endpoint.wait(timeout=_LOOK_SECONDS)
        if outcome is None:
            return CallbackOutcomeTimedOut(callback_id=callback_endpoint.callback_id)
        return outcome

    callbacks.StateTaskServiceCallback._eval_wait_for_task_token = wait


def abort_tasks_that_fail_their_branch() -> None:
    """A Task that fails its branch is aborted, too, and the history says so; no other state is.

    Recorded by LocalStack's suite, 2024; what follows refers to the failure all the same.
    """

    def evaluate(self: Any) -> None:
        self._program.eval(self.env)
        context = self.env.states.context_object.context_object_data
        last = self._program.states.states.get(context.get("State", {}).get("Name"))
        if isinstance(self.env.program_state(), ProgramError) and isinstance(last, StateTask):
            self.env.event_manager.add_event(
                context=self.env.event_history_context,
                event_type=HistoryEventType.TaskStateAborted,
                update_source_event_id=False,
            )
        self._branch_worker_comm.on_terminated(env=self.env)

    BranchWorker._thread_routine = evaluate


def say_once_where_it_failed() -> None:
    """What fails within a branch or an iteration says in which state; so did each state around."""

    @replaces(FailureEventException, "get_execution_failed_event_details")
    def details(original: Original, self: Any) -> Any:
        found = original(self)
        _, cause = self.extract_error_cause_pair() or (None, None)
        if found is not None and str(cause).startswith(_SAYS_WHERE):
            found["cause"] = cause
        return found


def _within(seconds: float | None, work: Callable[[], None]) -> None:
    """Do the work; raise EvalTimeoutError, and let it go on by itself, when it takes longer."""
    if seconds is None:
        work()
        return
    failures: list[Exception] = []

    def attempt() -> None:
        try:
            work()
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise EvalTimeoutError
    if failures:
        raise failures[0]


def _take_result(state: Any, env: Any, result: Any) -> None:
    env.stack.append(result)
    if not state._is_language_query_jsonpath():
        env.states.set_result(result)
    for part in (state.assign_decl, state.result_selector):
        if part:
            part.eval(env=env)
    if state.result_path:
        state.result_path.eval(env)
    else:
        env.states.reset(input_value=env.stack.pop())


def _matches(name: str | None, wanted: set[str]) -> bool:
    if name == errors.RUNTIME:
        return False
    if name in wanted:
        return True
    if name in errors.NOT_CAUGHT_BY_ALL:
        return False
    return "States.ALL" in wanted or ("States.TaskFailed" in wanted and name not in _TIMEOUTS)
