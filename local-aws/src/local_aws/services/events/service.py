"""EventBridge: rules and their targets, which the emulator keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from local_aws.context import LocalContext
from local_aws.integration import Integration
from local_aws.permissions.service import PassedRole, ServicePermissions, first
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.resources.base import Provider
from local_aws.service import Service

from .resources import EventBus, Rule


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


class Events(Service):
    """EventBridge: rules and their targets, which the emulator keeps."""

    name = "events"
    permissions = ServicePermissions(
        prefix="events",
        resources=_resources,
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

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return (EventBus(), Rule())

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
