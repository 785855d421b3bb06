"""EventBridge: buses and rules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from local_aws.resources.api import ApiProvider, PutProvider
from local_aws.resources.base import Attributes, Properties, Request


class EventBus(ApiProvider):
    """``AWS::Events::EventBus``: Ref is the name."""

    type_name = "AWS::Events::EventBus"
    name_property = "Name"
    service = "events"
    create_operation = "CreateEventBus"
    deletes = ("DeleteEventBus", "Name")
    also_supported = frozenset({"Policy"})
    not_carried_out = frozenset({"EventSourceName", "LogConfig"})
    unchangeable = frozenset({"DeadLetterConfig", "Description", "KmsKeyIdentifier"})

    @override
    def create(self, request: Request) -> str:
        self.call(request, "CreateEventBus", request.properties)
        return str(request.properties["Name"])

    @override
    def complete(self, request: Request) -> Attributes:
        self._permit(request)
        bus = self.call(request, "DescribeEventBus", Name=request.physical_id)
        return {"Arn": bus["Arn"], "Name": bus["Name"]}

    @override
    def update(self, request: Request) -> Attributes:
        self._permit(request)
        self.retag(request, ResourceARN=request.attributes["Arn"])
        return dict(request.attributes)

    def _permit(self, request: Request) -> None:
        if not request.changed("Policy"):
            return
        bus = {"EventBusName": request.physical_id}
        if "Policy" in request.previous:
            self.call(request, "RemovePermission", **bus, RemoveAllPermissions=True)
        if "Policy" in request.properties:
            self.call(request, "PutPermission", **bus, Policy=request.properties["Policy"])


class EventBusPolicy(PutProvider):
    """``AWS::Events::EventBusPolicy``: one statement of a bus's policy."""

    type_name = "AWS::Events::EventBusPolicy"
    service = "events"
    create_operation = "PutPermission"
    also_supported = frozenset({"Statement"})

    @override
    def create(self, request: Request) -> str:
        self._put(request)
        return f"{_bus(request)['EventBusName']}|{request.properties['StatementId']}"

    @override
    def delete(self, request: Request) -> None:
        sid = request.properties["StatementId"]
        self.discard(request, "RemovePermission", **_bus(request), StatementId=sid)

    def _put(self, request: Request) -> None:
        """A policy is put whole, so that a statement is put among those that are there."""
        wanted = request.properties
        if "Statement" not in wanted:
            self.call(request, "PutPermission", wanted)
            return
        sid = wanted["StatementId"]
        bus = self.call(request, "DescribeEventBus", Name=_bus(request)["EventBusName"])
        policy = json.loads(bus.get("Policy") or '{"Version": "2012-10-17", "Statement": []}')
        others = [each for each in policy["Statement"] if each["Sid"] != sid]
        policy["Statement"] = [*others, {**wanted["Statement"], "Sid": sid}]
        self.call(request, "PutPermission", **_bus(request), Policy=policy)


class Rule(ApiProvider):
    """``AWS::Events::Rule``: Ref is the name (with its bus when that is not the default)."""

    type_name = "AWS::Events::Rule"
    name_property = "Name"
    service = "events"
    create_operation = "PutRule"
    not_carried_out = frozenset(
        {"Targets.EcsParameters.PlacementStrategies", "Targets.EcsParameters.TagList"}
    )
    also_supported = frozenset({"Targets"})

    @override
    def create(self, request: Request) -> str:
        name = request.properties.get("Name") or request.name(64)
        self.call(request, "PutRule", request.properties, Name=name)
        bus = request.properties.get("EventBusName", "default").rsplit("/", 1)[-1]
        return str(name) if bus == "default" else f"{bus}|{name}"

    @override
    def complete(self, request: Request) -> Attributes:
        self._aim(request)
        rule = self.call(request, "DescribeRule", **self._place(request))
        return {"Arn": rule["Arn"], "RuleName": rule["Name"]}

    @override
    def update(self, request: Request) -> Attributes:
        self.call(request, "PutRule", {**request.properties, "Tags": None}, **self._place(request))
        self._aim(request)
        self.retag(request, ResourceARN=request.attributes["Arn"])
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        self._drop(request, _targets(request.properties))
        self.discard(request, "DeleteRule", **self._place(request))

    def _aim(self, request: Request) -> None:
        """Give the rule its targets and take away those it no longer has."""
        old, new = _targets(request.previous), _targets(request.properties)
        place = {key: value for key, value in self._place(request).items() if key != "Name"}
        self._drop(request, {key: target for key, target in old.items() if key not in new})
        if new:
            name = self._place(request)["Name"]
            self.call(request, "PutTargets", Rule=name, Targets=list(new.values()), **place)

    def _drop(self, request: Request, targets: Mapping[str, Any]) -> None:
        if targets:
            place = self._place(request)
            name = place.pop("Name")
            self.discard(request, "RemoveTargets", Rule=name, Ids=list(targets), **place)

    @staticmethod
    def _place(request: Request) -> dict[str, str]:
        return {"Name": request.physical_id.rsplit("|", 1)[-1], **_bus(request)}


def _bus(request: Request) -> dict[str, str]:
    return {"EventBusName": request.properties.get("EventBusName", "default")}


def _targets(properties: Properties) -> dict[str, Any]:
    return {target["Id"]: target for target in properties.get("Targets") or []}
