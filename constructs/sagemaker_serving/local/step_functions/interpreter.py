"""The emulator's interpreter, as an execution uses it: its environment and its history."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from moto.stepfunctions.parser.api import HistoryEventType
from moto.stepfunctions.parser.asl.component.common.error_name.error_name import ErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import (
    FailureEvent,
    FailureEventException,
)
from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.asl.eval.evaluation_details import AWSExecutionDetails
from moto.stepfunctions.parser.asl.eval.event.event_manager import (
    EventHistoryContext,
    EventManager,
)
from moto.stepfunctions.parser.asl.utils.encoding import to_json_str

from . import errors
from .times import iso

if TYPE_CHECKING:
    from .execution import Execution


class History(EventManager):  # type: ignore[misc]
    """The events of one execution, in order; none is taken after its end."""

    def __init__(self, execution: Execution) -> None:
        super().__init__()
        self.execution = execution
        self._closed = False

    @classmethod
    def restored(cls, execution: Execution, events: list[dict[str, Any]]) -> History:
        """The history of an execution of an earlier life of the local AWS; still open."""
        history = cls(execution)
        history._history_event_list.extend(events)
        history._event_id_gen._next_id = len(events) + 1
        return history

    def add_event(self, context: Any, event_type: Any, *arguments: Any, **options: Any) -> int:
        """Take one more event, unless the execution has ended; its id."""
        if self._closed:
            return int(context.last_published_event_id)
        return int(super().add_event(context, event_type, *arguments, **options))

    def started(self) -> None:
        """The first event."""
        details = {
            "input": self.execution.input,
            "inputDetails": {"truncated": False},
            "roleArn": self.execution.machine.role_arn,
        }
        self._add(HistoryEventType.ExecutionStarted, executionStartedEventDetails=details)

    def aborted(self, error: str | None, cause: str | None) -> None:
        """The last event of an execution that was stopped."""
        self._add(
            HistoryEventType.ExecutionAborted, executionAbortedEventDetails=_said(error, cause)
        )

    def timed_out(self) -> None:
        """The last event of an execution that took longer than its TimeoutSeconds."""
        details = _said(errors.TIMEOUT, None)
        self._add(HistoryEventType.ExecutionTimedOut, executionTimedOutEventDetails=details)

    def close(self) -> None:
        """Take no more events."""
        self._closed = True

    def events(self) -> list[dict[str, Any]]:
        """Every event so far; times are ISO 8601."""
        return [
            {**event, "type": str(getattr(event["type"], "value", event["type"]))}
            for event in self.get_event_history()
        ]

    def _add(self, kind: Any, **details: Any) -> None:
        self.add_event(EventHistoryContext.of_program_start(), kind, details)


def environment(execution: Execution, program: Any) -> Any:
    """What the interpreter runs a program in: context object, input, history."""
    machine = execution.machine
    _arn, _aws, _states, region, account, *_rest = execution.arn.split(":")
    env = Environment(
        aws_execution_details=AWSExecutionDetails(
            account=account, region=region, role_arn=machine.role_arn
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


def execution_of(env: Any) -> Execution:
    """The execution that an environment, or a frame of one, belongs to."""
    execution: Execution = env.event_manager.execution
    return execution


def failure(
    env: Any, error: str, cause: str, kind: Any, details: Mapping[str, Any] | None = None
) -> Exception:
    """What a state raises to fail with an error name and a cause.

    ``kind`` is the event that its history gets; ``details`` go into it beside both.
    """
    raised: Exception = FailureEventException(failure_event(env, error, cause, kind, details))
    return raised


def failure_event(
    env: Any, error: str, cause: str, kind: Any, details: Mapping[str, Any] | None = None
) -> Any:
    """A failed state's error, as the interpreter hands it to Retry and Catch."""
    name = f"{kind.value[:1].lower()}{kind.value[1:]}EventDetails"
    return FailureEvent(
        env=env,
        error_name=ErrorName(error),
        event_type=kind,
        event_details={name: {**(details or {}), "error": error, "cause": cause}},
    )


def compact(value: Any) -> str:
    """JSON without spaces, as executions' inputs and outputs are."""
    return str(to_json_str(value, separators=(",", ":")))


def _said(error: str | None, cause: str | None) -> dict[str, str]:
    named = {"error": error, "cause": cause}
    return {name: value for name, value in named.items() if value is not None}
