"""EventBridge: rules and their targets, which the emulator keeps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from moto.backends import get_backend

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.integration import Integration
from local_aws.permissions.documents import MalformedPolicy, Policy
from local_aws.permissions.service import PassedRole, ServicePermissions, first
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.resources.base import Provider
from local_aws.service import Service

from .resources import EventBus, EventBusPolicy, Rule


def _resources(call: Call) -> Iterator[str]:
    if call.operation == "PutEvents":
        for entry in call.parameters.get("Entries", ()):
            bus = entry.get("EventBusName", "default")
            yield bus if bus.startswith("arn:") else f"event-bus/{bus}"
        return
    given = first(call.parameters, "ResourceARN")
    rule = first(call.parameters, "Rule", "Name")
    bus = (first(call.parameters, "EventBusName") or "default").rpartition("/")[2]
    if given is not None:
        yield given
    elif rule is not None:
        yield f"rule/{rule}" if bus == "default" else f"rule/{bus}/{rule}"


_SCHEDULE = re.compile(
    r"rate\((1 (minute|hour|day)|(?!1 )[1-9]\d* (minutes|hours|days))\)|cron\((\S+ ){5}\S+\)"
)
"""Source: EventBridge user guide, "Creating a rule that runs on a schedule", read 2026-11-22."""


def _policy(arn: Arn) -> str | None:
    name = arn.resource.removeprefix("event-bus/")
    bus = get_backend("events")[arn.account][arn.region].event_buses.get(name)
    return None if bus is None else bus.policy


class Events(Service):
    """EventBridge: rules and their targets, which the emulator keeps."""

    name = "events"
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

    def __init__(self, context: LocalContext) -> None:
        self._context = context

    def check(self, call: Call) -> None:
        """Raise `AwsError`, too, for a bus's policy that is none, and for what is no schedule."""
        super().check(call)
        schedule = call.parameters.get("ScheduleExpression")
        if schedule and _SCHEDULE.fullmatch(schedule) is None:
            raise AwsError("ValidationException", "Parameter ScheduleExpression is not valid.")
        if call.operation == "PutPermission" and call.parameters.get("Policy") is not None:
            try:
                Policy.parse(call.parameters["Policy"], name="Policy")
            except MalformedPolicy as malformed:
                raise AwsError("InvalidParameterValue", str(malformed)) from None

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return (EventBus(), EventBusPolicy(), Rule())

    def prepare(self) -> None:
        """Change the emulator."""
        from . import moto

        moto.apply(self._context.targets)

    def integrations(self) -> Iterable[Integration]:
        """What a Task state can do with it."""
        return (
            Integration(
                name="events",
                prefix="EventBridge",
                service="AmazonEventBridge",
                actions=frozenset({"putEvents"}),
            ),
        )
