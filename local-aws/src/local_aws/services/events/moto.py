"""Changes to the emulator's EventBridge: what events can be brought to."""

from __future__ import annotations

import json
from copy import copy
from functools import wraps
from typing import Any

from moto.events.models import EventTemplateParser, Rule

from local_aws.events import Targets


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
    chosen = event
    for step in target.get("InputPath", "$").removeprefix("$").split("."):
        chosen = chosen[step] if step else chosen
    return chosen
