"""Keeps every call of the scenario and its answer, by botocore's own events."""

from __future__ import annotations

import hashlib
import io
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from botocore.response import StreamingBody
from typing_extensions import override

from sagemaker_serving.client import Aws
from tests.acceptance.recording import Call, Recording, Step

_NAMES = ("Key", "OutputKey", "ParameterKey", "LogicalResourceId", "Name")
"""What tells the entries of a list from one another whose order means nothing."""

_PARAMETERS = "acceptance-parameters"


class Recorder:
    """Calls by the clients of `RecordedAws` go into the step that was begun last.

    Nothing is masked yet: what to mask is known at the end.
    """

    def __init__(self, aws: str) -> None:
        self.recording = Recording(aws=aws)
        self._events: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    @property
    def step(self) -> Step:
        return self.recording.steps[-1]

    def begin(self, name: str) -> None:
        self.recording.steps.append(Step(name=name))

    def attach(self, client: Any) -> Any:
        """The client, listened to."""
        events = client.meta.events
        events.register("provide-client-params", _keep_parameters)
        events.register("after-call", self._take)
        return client

    def note(self, what: str, found: Mapping[str, Any]) -> None:
        """What the product made of AWS's answers that are not kept one by one."""
        self._add(
            Call(
                operation=f"sagemaker-serving:{what}",
                parameters={},
                states=[""],
                status=0,
                code="",
                reason="",
                members=_plain(found),
            )
        )

    def take_events(self, client: Any, stack: str) -> list[Any]:
        """The events of a stack, by name or id, that no step has yet, in order.

        ``client`` is not listened to: pages of events are no answer to compare.
        """
        pages = client.get_paginator("describe_stack_events").paginate(StackName=stack)
        new: list[Any] = [
            event
            for page in pages
            for event in page["StackEvents"]
            if _id_of(event) not in self._events
        ]
        new.reverse()
        for event in new:
            self._events.add(_id_of(event))
            resource = f"{event['StackName']}.{event['LogicalResourceId']}"
            history = self.step.events.setdefault(resource, [])
            history.append([event["ResourceStatus"], event.get("ResourceStatusReason", "")])
        return new

    def _take(
        self, http_response: Any, parsed: dict[str, Any], model: Any, context: Any, **_: object
    ) -> None:
        error = parsed.get("Error", {})
        members = {
            name: value
            for name, value in parsed.items()
            if name not in ("ResponseMetadata", "Error")
        }
        if isinstance(parsed.get("Body"), StreamingBody):
            content = parsed["Body"].read()
            parsed["Body"] = StreamingBody(io.BytesIO(content), len(content))
            members["Body"] = content
        state = error.get("Code") or next(
            (str(value) for name, value in members.items() if name.endswith(("Status", "status"))),
            "",
        )
        self._add(
            Call(
                operation=f"{model.service_model.service_name}:{model.name}",
                parameters=_plain(context.get(_PARAMETERS, {})),
                states=[state],
                status=http_response.status_code,
                code=str(error.get("Code", "")),
                reason=str(error.get("Message", "")),
                members=_plain(members),
            )
        )

    def _add(self, call: Call) -> None:
        with self._lock:
            calls = self.step.calls
            if calls and (calls[-1].operation, calls[-1].parameters) == (
                call.operation,
                call.parameters,
            ):
                before = calls.pop().states
                call.states = before if before[-1:] == call.states else before + call.states
            calls.append(call)


@dataclass(frozen=True, kw_only=True)
class RecordedAws(Aws):
    """An AWS whose answers are kept."""

    recorder: Recorder

    @classmethod
    def of(cls, aws: Aws, recorder: Recorder) -> RecordedAws:
        return cls(**vars(aws), recorder=recorder)

    @override
    def client(self, service: str, **options: Any) -> Any:
        return self.recorder.attach(super().client(service, **options))


def _id_of(event: Mapping[str, str]) -> tuple[str, str]:
    """EventIds are logical id, status and time: two stacks may have one at the same millisecond."""
    return event["StackId"], event["EventId"]


def _keep_parameters(params: Mapping[str, Any], context: dict[str, Any], **_: object) -> None:
    context[_PARAMETERS] = dict(params)


def _plain(value: Any) -> Any:
    """It as JSON has it: no times, and of bytes that are no text the hash."""
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        found = [_plain(each) for each in value]
        for name in _NAMES:
            if found and all(isinstance(each, dict) and name in each for each in found):
                return sorted(found, key=lambda each, name=name: str(each[name]))  # type: ignore[misc]
        return found
    if isinstance(value, date):
        return "<time>"
    if isinstance(value, bytes | bytearray):
        return _text(bytes(value))
    if isinstance(value, str):
        return _document(value)
    if value is None or isinstance(value, int | float):
        return value
    return f"<{type(value).__name__}>"


def _text(content: bytes) -> Any:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return f"{len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}"
    return _document(text)


def _document(text: str) -> Any:
    """A text, or what it holds when it is a JSON object or list."""
    if not text.startswith(("{", "[")):
        return text
    try:
        return _plain(json.loads(text))
    except ValueError:
        return text
