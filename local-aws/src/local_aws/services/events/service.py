"""EventBridge: rules and their targets, which the emulator keeps."""

from __future__ import annotations

from collections.abc import Iterator

from moto.backends import get_backend

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.integration import Integration
from local_aws.permissions.service import PassedRole, ServicePermissions, first
from local_aws.policies.documents import MalformedPolicy, Policy
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.schedules import EVENTS, schedule_fault
from local_aws.service import Limit, Service

from .resources import EventBus, EventBusPolicy, Rule


def _resources(call: Call) -> Iterator[str]:
    if call.operation == "PutEvents":
        for entry in _entries(call):
            bus = entry.get("EventBusName", "default")
            yield bus if bus.startswith("arn:") else f"event-bus/{bus}"
        return
    given = first(call.parameters, "ResourceARN")
    rule = first(call.parameters, "Rule", "Name")
    place = first(call.parameters, "EventBusName") or "default"
    bus = place.rpartition("/")[2]
    if given is not None:
        yield given
    elif rule is not None:
        resource = f"rule/{rule}" if bus == "default" else f"rule/{bus}/{rule}"
        is_arn = place.startswith("arn:")
        yield str(Arn.parse(place)._replace(resource=resource)) if is_arn else resource


def _entries(call: Call) -> list[dict[str, str]]:
    return call.parameters.get("Entries", []) if call.operation == "PutEvents" else []


def _policy(arn: Arn) -> str | None:
    name = arn.resource.removeprefix("event-bus/")
    bus = get_backend("events")[arn.account][arn.region].event_buses.get(name)
    return None if bus is None else bus.policy


class Events(Service):
    """EventBridge: rules and their targets, which the emulator keeps."""

    name = "events"
    limits = (
        Limit("rules with a schedule", "kept; they never fire"),
        Limit("queues and buses of other accounts", "no event of a rule is sent to them"),
        Limit("metrics", "FailedInvocations alone"),
        Limit("events for buses of several accounts in one call", "refused by name"),
    )
    permissions = ServicePermissions(
        prefix="events",
        resources=_resources,
        document_of=_policy,
        passed_role=PassedRole(
            principal="events.amazonaws.com",
            parameters=("Targets.RoleArn",),
            refusal=lambda arn: AwsError(
                "ValidationException",
                f"Provided role '{arn}' cannot be assumed by principal 'events.amazonaws.com'.",
            ),
        ),
    )
    types = (EventBus(), EventBusPolicy(), Rule())
    tasks = (
        Integration(
            name="events",
            prefix="EventBridge",
            service="AmazonEventBridge",
            actions=frozenset({"putEvents"}),
        ),
    )

    def __init__(self, context: LocalContext) -> None:
        self._context = context

    def check(self, call: Call) -> None:
        """Raise `AwsError`, too, for a bus's policy that is none, and for what is no schedule."""
        super().check(call)
        buses = {Arn.parse(each.get("EventBusName", "")).account for each in _entries(call)}
        if len({account or call.account for account in buses}) > 1:
            what = "the local AWS puts the events of one call to buses of one account only"
            raise AwsError("ValidationException", f"{what}; put each account's by themselves")
        schedule = call.parameters.get("ScheduleExpression")
        if schedule and schedule_fault(schedule, EVENTS) is not None:
            raise AwsError("ValidationException", "Parameter ScheduleExpression is not valid.")
        if call.operation == "PutPermission" and call.parameters.get("Policy") is not None:
            try:
                Policy.parse(call.parameters["Policy"], name="Policy")
            except MalformedPolicy as malformed:
                raise AwsError("InvalidParameterValue", str(malformed)) from None

    def prepare(self) -> None:
        """Change the emulator."""
        from . import moto

        moto.apply(self._context)
