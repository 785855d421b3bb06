"""``arn:aws:states:::states:startExecution``: a state machine that starts another.

https://docs.aws.amazon.com/step-functions/latest/dg/connect-stepfunctions.html.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from local_aws.clock import epoch_milliseconds
from local_aws.services.stepfunctions.engine.interpreter import compact
from local_aws.services.stepfunctions.engine.waiting import Job, JobFailed, WaitingTask


class NestedTask(WaitingTask):
    """``.sync`` answers with the execution's input and output as text, ``.sync:2`` as JSON."""

    def call(self, client: Any, parameters: Mapping[str, Any]) -> Any:
        """Start the execution; its ARN and StartDate."""
        given = parameters.get("Input", {})
        answer = client.start_execution(
            stateMachineArn=parameters["StateMachineArn"],
            name=parameters.get("Name", str(uuid.uuid4())),
            input=given if isinstance(given, str) else compact(given),
        )
        return _as_task_output(answer)

    def job(self, client: Any, parameters: Mapping[str, Any], answer: Any) -> Job:
        """The execution that was started."""
        return _Execution(client, answer["ExecutionArn"], self.resource.condition == "sync:2")


class _Execution(Job):
    def __init__(self, client: Any, arn: str, parsed: bool) -> None:
        self._client = client
        self._arn = arn
        self._parsed = parsed

    def result(self) -> Any:
        described = _as_task_output(self._client.describe_execution(executionArn=self._arn))
        if described["Status"] == "RUNNING":
            return None
        if self._parsed:
            for name in ("Input", "Output"):
                if name in described:
                    described[name] = json.loads(described[name])
        if described["Status"] != "SUCCEEDED":
            raise JobFailed(compact(described))
        return described

    def cancel(self) -> None:
        self._client.stop_execution(
            executionArn=self._arn, cause="The execution that started it was stopped."
        )


def _as_task_output(answer: Mapping[str, Any]) -> dict[str, Any]:
    """An answer with capitals, times in milliseconds, and nothing of the transport's."""
    return {
        name[:1].upper() + name[1:]: _value(value)
        for name, value in answer.items()
        if name != "ResponseMetadata"
    }


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return {name[:1].upper() + name[1:]: _value(member) for name, member in value.items()}
    return epoch_milliseconds(value) if isinstance(value, datetime) else value
