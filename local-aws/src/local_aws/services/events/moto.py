"""Changes to the emulator's EventBridge: what is an event, and what it can be brought to."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from contextvars import ContextVar
from copy import copy
from datetime import UTC, datetime
from typing import Any

from moto.events.models import EventsBackend, EventTemplateParser, Rule
from moto.events.responses import EventsHandler

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.emulator.replacing import Original, replaces
from local_aws.permissions.identities import account_of
from local_aws.protocol.call import JUDGED

_PRINCIPAL = "events.amazonaws.com"
_log = logging.getLogger(__name__)

_FIELDS = (
    *("version", "id", "detail-type", "source", "account"),
    *("time", "region", "resources", "detail"),
)
"""An event's, in AWS's order: its user guide, "Events"."""


def apply(context: LocalContext) -> None:
    """Apply every patch; a second time only leads the emulator to other targets."""
    send_events_to_targets(context)
    know_the_sender()
    refuse_what_is_no_object()
    send_events_whole()


def send_events_to_targets(context: LocalContext) -> None:
    """Functions and state machines are targets that the emulator does not know, and it takes queues
    and buses of other accounts for the rule's own, to which nothing is sent here."""
    targets = context.targets

    @replaces(Rule, "send_to_targets")
    def send_to_targets(
        original: Original, self: Any, original_event: Any, *rest: Any, **options: Any
    ) -> None:
        if not self.event_pattern.get_pattern():
            return  # a schedule's, which no event is for; the emulator takes it to match each
        event = {**original_event, "account": _SENDER.get() or original_event["account"]}
        taken = [each for each in self.targets if targets.has(each["Arn"])]
        abroad = [
            each
            for each in self.targets
            if each not in taken and Arn.parse(each["Arn"]).account != self.account_id
        ]
        others = copy(self)
        others.targets = [each for each in self.targets if each not in (*taken, *abroad)]
        original(others, event, *rest, **options)
        if not self.event_pattern.matches_event(event):
            return
        reached = [
            targets.deliver(
                target["Arn"],
                _input(target, event),
                service=_PRINCIPAL,
                source_arn=self.arn,
                role_arn=target.get("RoleArn"),
            )
            for target in taken
        ]
        for target in abroad:
            _log.warning("the local AWS sends no event of %s to %s", self.arn, target["Arn"])
            reached.append(False)
        if not all(reached):
            _count_failed(context, self, reached.count(False))


def know_the_sender() -> None:
    """The emulator takes the account that has the bus for that which sends the event."""

    @replaces(EventsHandler, "put_events")
    def put_events(original: Original, self: Any) -> Any:
        token = _SENDER.set(account_of(self.normalized_request.environ[JUDGED].caller))
        try:
            return original(self)
        finally:
            _SENDER.reset(token)


_SENDER: ContextVar[str] = ContextVar("sender", default="")
"""The account that has put the event which is being sent on."""


def _count_failed(context: LocalContext, rule: Any, count: int) -> None:
    """FailedInvocations, which there is where it is not zero; of the default bus by the rule's name
    alone (EventBridge user guide, "Monitoring Amazon EventBridge")."""
    dimensions = [{"Name": "RuleName", "Value": rule.name}]
    if rule.event_bus_name != "default":
        dimensions.append({"Name": "EventBusName", "Value": rule.event_bus_name})
    failed = {"MetricName": "FailedInvocations", "Unit": "Count", "Value": count}
    context.client("cloudwatch", rule.region_name).put_metric_data(
        Namespace="AWS/Events", MetricData=[{**failed, "Dimensions": dimensions}]
    )


def refuse_what_is_no_object() -> None:
    """The emulator takes any JSON for a Detail, and breaks where it sends the event on.

    Recorded by LocalStack's suite, 2024: a text is MalformedDetail, as what is no JSON is.
    """

    @replaces(EventsBackend, "put_events")
    def put_events(original: Original, self: Any, events: list[dict[str, Any]]) -> Any:
        return original(self, [_refusable(event) for event in events])


def send_events_whole() -> None:
    """The emulator writes an event by a template that lacks its account, and breaks on quotes."""

    @replaces(EventTemplateParser, "parse")
    def parse(
        original: Original, input_template: str | None, input_paths_map: Any, event: Any
    ) -> Any:
        if input_template is None:
            return _whole(event)
        return original(input_template, input_paths_map, event)


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
