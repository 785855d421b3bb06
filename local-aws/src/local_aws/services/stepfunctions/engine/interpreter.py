"""What an execution says to the emulator's interpreter: its history, and how a state fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from moto.stepfunctions.parser.api import HistoryEventType
from moto.stepfunctions.parser.asl.component.common.error_name.error_name import ErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import (
    FailureEvent,
    FailureEventException,
)
from moto.stepfunctions.parser.asl.eval.event.event_manager import (
    EventHistoryContext,
    EventManager,
)
from moto.stepfunctions.parser.asl.utils.encoding import to_json_str

from local_aws.services.stepfunctions.engine import errors


class History(EventManager):  # type: ignore[misc]
    """The events of one execution, in order; none is taken after its end.

    ``owner`` is that execution, which the interpreter's frames know by their history only;
    ``is_running`` says whether it goes on.
    """

    def __init__(self, owner: object, is_running: Callable[[], bool]) -> None:
        super().__init__()
        self.owner = owner
        self._is_running = is_running
        self._closed = False
        self._evaluation_failed: Any = None

    def restore(self, events: list[dict[str, Any]]) -> None:
        """Take up the events of an earlier life of the local AWS; it is still open."""
        self._history_event_list.extend(events)
        self._event_id_gen._next_id = len(events) + 1

    def add_event(
        self, context: Any, event_type: Any, event_details: Any = None, **options: Any
    ) -> int:
        """Take one more event, unless the execution has ended; its id.

        Some failures are told twice, and once here. An expression's where it stands, and again,
        without its state or in the same words, by the state that it fails; an execution's at its
        end, and before it by the state that ends it.
        """
        if event_type == HistoryEventType.EvaluationFailed:
            told, self._evaluation_failed = self._evaluation_failed, event_details
            details = event_details["evaluationFailedEventDetails"]
            if "state" not in details or told == event_details:
                return int(context.last_published_event_id)
            context.source_event_id = self._entered_after(details["state"])
        too_early = event_type == HistoryEventType.ExecutionFailed and self._is_running()
        if self._closed or too_early:
            return int(context.last_published_event_id)
        return int(super().add_event(context, event_type, event_details, **options))

    def started(self, *, input: str, role_arn: str) -> None:
        """The first event."""
        details = {
            "input": input,
            "inputDetails": {"truncated": False},
            "roleArn": role_arn,
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

    def _entered_after(self, state: str) -> int:
        """The event that a state's entry refers to, as its expression's failure does, too.

        Recorded by LocalStack's suite, 2024.
        """
        entered = (
            event["previousEventId"]
            for event in reversed(self._history_event_list)
            if event.get("stateEnteredEventDetails", {}).get("name") == state
        )
        return int(next(entered, 0))

    def _add(self, kind: Any, **details: Any) -> None:
        self.add_event(EventHistoryContext.of_program_start(), kind, details)


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


def task_failure(task: Any, env: Any, error: errors.TaskError) -> Any:
    """The `failure_event` of a task that another service carries out."""
    details = {
        "resource": task._get_sfn_resource(),
        "resourceType": task._get_sfn_resource_type(),
    }
    kind = HistoryEventType.TaskFailed
    return failure_event(env, error.error, error.cause, kind, details)


def compact(value: Any) -> str:
    """JSON without spaces, as executions' inputs and outputs are."""
    return str(to_json_str(value, separators=(",", ":")))


def _said(error: str | None, cause: str | None) -> dict[str, str]:
    named = {"error": error, "cause": cause}
    return {name: value for name, value in named.items() if value is not None}
