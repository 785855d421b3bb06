"""Changes to the emulator's EventBridge: what is an event, and what it can be brought to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import copy
from datetime import UTC, datetime
from functools import wraps
from typing import Any

from moto.events.models import EventsBackend, EventTemplateParser, Rule

from local_aws.events import Targets

_FIELDS = (
    *("version", "id", "detail-type", "source", "account"),
    *("time", "region", "resources", "detail"),
)
"""An event's, in AWS's order: its user guide, "Events", read 2026-11-22."""


def apply(targets: Targets) -> None:
    """Apply every patch; a second time only leads the emulator to other targets."""
    send_events_to_targets(targets)
    refuse_what_is_no_object()
    send_events_whole()


def send_events_to_targets(targets: Targets) -> None:
    """Functions and state machines are targets that the emulator does not know."""
    original = getattr(Rule.send_to_targets, "__wrapped__", Rule.send_to_targets)

    @wraps(original)
    def send_to_targets(self: Any, original_event: Any, *rest: Any, **options: Any) -> None:
        others = copy(self)
        others.targets = [each for each in self.targets if not targets.has(each["Arn"])]
        original(others, original_event, *rest, **options)
        if not self.event_pattern.matches_event(original_event):
            return
        for target in self.targets:
            if targets.has(target["Arn"]):
                targets.deliver(
                    target["Arn"],
                    _input(target, original_event),
                    service="events.amazonaws.com",
                    source_arn=self.arn,
                    role_arn=target.get("RoleArn"),
                )

    Rule.send_to_targets = send_to_targets


def refuse_what_is_no_object() -> None:
    """The emulator takes any JSON for a Detail, and breaks where it sends the event on.

    Recorded by LocalStack's suite, 2024: a text is MalformedDetail, as what is no JSON is.
    """
    original = getattr(EventsBackend.put_events, "__wrapped__", EventsBackend.put_events)

    @wraps(original)
    def put_events(self: Any, events: list[dict[str, Any]]) -> Any:
        return original(self, [_refusable(event) for event in events])

    EventsBackend.put_events = put_events


def send_events_whole() -> None:
    """The emulator writes an event by a template that lacks its account, and breaks on quotes."""
    original = getattr(EventTemplateParser.parse, "__wrapped__", EventTemplateParser.parse)

    @wraps(original)
    def parse(input_template: str | None, input_paths_map: Any, event: Any) -> Any:
        if input_template is None:
            return _whole(event)
        return original(input_template, input_paths_map, event)

    EventTemplateParser.parse = staticmethod(parse)


def _refusable(event: dict[str, Any]) -> dict[str, Any]:
    """The event; with a Detail that the emulator refuses where its own is no JSON object."""
    try:
        is_object = isinstance(json.loads(event.get("Detail") or "{}"), dict)
    except ValueError:
        is_object = False
    return event if is_object else {**event, "Detail": "no object"}


def _input(target: dict[str, Any], event: Any) -> Any:
    """What the target is given of the event: Input, InputPath and InputTransformer choose it."""
    if "Input" in target:
        return json.loads(target["Input"])
    if "InputTransformer" in target:
        transformer = target["InputTransformer"]
        return EventTemplateParser.parse(
            input_template=transformer.get("InputTemplate"),
            input_paths_map=transformer.get("InputPathsMap", {}),
            event=event,
        )
    chosen: Any = _whole(event) | {"time": _iso(event["time"])}
    for step in target.get("InputPath", "$").removeprefix("$").split("."):
        chosen = chosen[step] if step else chosen
    return chosen


def _whole(event: Mapping[str, Any]) -> dict[str, Any]:
    return {name: event[name] for name in _FIELDS if name in event}


def _iso(time: Any) -> str:
    if isinstance(time, str):
        return time
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
