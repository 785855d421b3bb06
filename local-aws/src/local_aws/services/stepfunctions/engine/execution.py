"""One execution of a state machine: what it is, how it runs, and how it ends."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.asl.eval.evaluation_details import AWSExecutionDetails
from moto.stepfunctions.parser.asl.eval.event.event_manager import EventHistoryContext
from moto.stepfunctions.parser.asl.eval.program_state import ProgramEnded, ProgramError

from local_aws.arn import Arn
from local_aws.clock import iso, now
from local_aws.services.stepfunctions.engine import errors, interpreter, language
from local_aws.services.stepfunctions.engine.map_run import AnyMapRun

_log = logging.getLogger(__name__)

EXPRESS_SECONDS = 300
"""How long an EXPRESS execution may take.
https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A state machine as it was when an execution of it began.

    ``arn`` of a Distributed Map's children is the machine's with ``/<label>`` after it.
    """

    arn: str
    name: str
    definition: str = field(repr=False)
    role_arn: str
    kind: str = "STANDARD"
    logging: Mapping[str, Any] = field(default_factory=dict, repr=False)
    tracing: Mapping[str, Any] = field(default_factory=lambda: {"enabled": False}, repr=False)
    encryption: Mapping[str, Any] = field(
        default_factory=lambda: {"type": "AWS_OWNED_KEY"}, repr=False
    )
    update_date: str = field(default_factory=lambda: iso(now()))
    revision_id: str | None = None


class Execution:
    """A state machine at work; ``run`` does the work in the calling thread.

    ``input`` and ``output`` are JSON as text. ``on_end`` is told of the end, once.
    """

    def __init__(
        self,
        *,
        arn: str,
        name: str,
        machine: Machine,
        input: str,
        map_run_arn: str | None = None,
        item_count: int | None = None,
        trace_header: str | None = None,
        on_end: Callable[[Execution], None] = lambda _: None,
    ) -> None:
        self.arn = arn
        self.name = name
        self.machine = machine
        self.input = input
        self.map_run_arn = map_run_arn
        self.item_count = item_count
        self.trace_header = trace_header
        self.status = "RUNNING"
        self.start_date: datetime = now()
        self.stop_date: datetime | None = None
        self.output: str | None = None
        self.error: str | None = None
        self.cause: str | None = None
        self.map_runs: list[AnyMapRun] = []
        self.history = interpreter.History(self, self._goes_on)
        self.ended = threading.Event()
        self._env: Any = None
        self._lock = threading.RLock()
        self._on_end = on_end

    @property
    def machine_arn(self) -> str:
        """The machine's; with the label of its Distributed Map after it when it is a child."""
        return self.machine.arn

    def start(self) -> None:
        """Run in a thread of its own; returns at once."""
        threading.Thread(target=self.run, name=f"execution {self.name}", daemon=True).start()

    def run(self) -> None:
        """Run to the end, in this thread."""
        try:
            program = language.program(self.machine.definition)
            env = _environment(self, program)
            with self._lock:
                if self.status != "RUNNING":
                    return
                self._env = env
            self.history.started(input=self.input, role_arn=self.machine.role_arn)
            with self._limited(program):
                program.eval(env)
            self._end_as(env)
        except Exception as error:
            _log.debug("execution %s", self.arn, exc_info=True)
            self._end("FAILED", error=errors.RUNTIME, cause=str(error))

    def stop(self, *, error: str | None = None, cause: str | None = None) -> None:
        """Abort it, its children and what its tasks wait for; nothing when it has ended."""
        with self._lock:
            if self._is_ending():
                return
            env = self._env
            self.history.aborted(error, cause)
            self._end("ABORTED", error=error, cause=cause)
        self._interrupt(env, error, cause)

    def tell(self, method: str, *arguments: Any) -> bool:
        """Give a task that waits for its token an answer; whether the token is of this one."""
        env = self._env
        if env is None:
            return False
        return bool(getattr(env.callback_pool_manager, method)(*arguments))

    def waits_for(self, token: str) -> bool:
        """Whether one of its tasks waits for this token."""
        return self._env is not None and self._env.callback_pool_manager.get(token) is not None

    def output_value(self) -> Any:
        """What it put out; None unless it succeeded."""
        return None if self.output is None else json.loads(self.output)

    def redrive(self) -> dict[str, str]:
        """Whether AWS would redrive it, as DescribeExecution says."""
        if self.status in ("RUNNING", "SUCCEEDED"):
            return {
                "redriveStatus": "NOT_REDRIVABLE",
                "redriveStatusReason": f"Execution is {self.status} and cannot be redriven",
            }
        return {"redriveStatus": "REDRIVABLE"}

    def _limited(self, program: Any) -> Any:
        declared = program.timeout_seconds
        seconds = None if declared is None else declared.timeout_seconds
        if self.machine.kind == "EXPRESS":
            seconds = EXPRESS_SECONDS if seconds is None else min(seconds, EXPRESS_SECONDS)
        return _Limit(seconds, self._time_out)

    def _time_out(self) -> None:
        with self._lock:
            if self._is_ending():
                return
            env = self._env
            self.history.timed_out()
            self._end("TIMED_OUT", error=errors.TIMEOUT)
        self._interrupt(env, errors.TIMEOUT, None)

    def _goes_on(self) -> bool:
        """Whether the interpreter is at work on it."""
        env = self._env
        return env is not None and bool(env.is_running())

    def _is_ending(self) -> bool:
        """Ended, or at its own end within the interpreter."""
        if self.status != "RUNNING":
            return True
        return self._env is not None and not self._env.is_running()

    def _interrupt(self, env: Any, error: str | None, cause: str | None) -> None:
        for run in self.map_runs:
            run.stop()
        if env is not None:
            env.set_stop(stop_date=now(), error=error, cause=cause)

    def _end_as(self, env: Any) -> None:
        state = env.program_state()
        if isinstance(state, ProgramEnded):
            self._end("SUCCEEDED", output=interpreter.compact(env.states.get_input()))
        elif isinstance(state, ProgramError):
            details = state.error or {}
            self._end("FAILED", error=details.get("error"), cause=details.get("cause"))
        else:
            self._end("ABORTED")

    def _end(
        self,
        status: str,
        *,
        output: str | None = None,
        error: str | None = None,
        cause: str | None = None,
    ) -> None:
        with self._lock:
            if self.status != "RUNNING":
                return
            self.output, self.error, self.cause = output, error, cause
            self.stop_date = now()
            self.status = status
            self.history.close()
            self._env = None
        self.ended.set()
        self._on_end(self)


def execution_of(env: Any) -> Execution:
    """The execution that an environment, or a frame of one, belongs to."""
    execution: Execution = env.event_manager.owner
    return execution


def _environment(execution: Execution, program: Any) -> Any:
    """What the interpreter runs a program in: context object, input, history."""
    machine = execution.machine
    own = Arn.parse(execution.arn)
    env = Environment(
        aws_execution_details=AWSExecutionDetails(
            account=own.account, region=own.region, role_arn=machine.role_arn
        ),
        execution_type=machine.kind,
        context={
            "Execution": {
                "Id": execution.arn,
                "Input": json.loads(execution.input),
                "Name": execution.name,
                "RoleArn": machine.role_arn,
                "StartTime": iso(execution.start_date),
                "RedriveCount": 0,
            },
            "StateMachine": {"Id": machine.arn, "Name": machine.name},
        },
        event_history_context=EventHistoryContext.of_program_start(),
        cloud_watch_logging_session=None,
        activity_store={},
    )
    env.event_manager = execution.history
    env.next_state_name = program.start_at.start_at_name
    return env


class _Limit:
    """A ``with`` block that calls ``expire`` when it takes longer than ``seconds``."""

    def __init__(self, seconds: float | None, expire: Callable[[], None]) -> None:
        self._timer = None if seconds is None else threading.Timer(seconds, expire)

    def __enter__(self) -> None:
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
