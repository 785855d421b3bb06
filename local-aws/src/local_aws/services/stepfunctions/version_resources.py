"""Versions of state machines, and aliases that lead to them, as CloudFormation deploys them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import override

from local_aws.resources.api import ApiProvider
from local_aws.resources.base import Attributes, Properties, Request, ResourceFailed
from local_aws.resources.declared import Declared

_SLACK_SECONDS = 60.0


class StateMachineVersion(Declared):
    """``AWS::StepFunctions::StateMachineVersion``: Ref is the ARN with the version's number."""

    service = "stepfunctions"

    def __init__(self) -> None:
        super().__init__(
            "AWS::StepFunctions::StateMachineVersion",
            "PublishStateMachineVersion",
            "DeleteStateMachineVersion",
            id_argument="stateMachineVersionArn",
            renamed={"StateMachineRevisionId": "RevisionId"},
        )


class StateMachineAlias(ApiProvider):
    """``AWS::StepFunctions::StateMachineAlias``: Ref is the ARN with the alias's name.

    With a DeploymentPreference an update leads executions to another version step by step, and
    fails as soon as one of its alarms is in ALARM. Source: CloudFormation template reference,
    "AWS::StepFunctions::StateMachineAlias DeploymentPreference".
    """

    type_name = "AWS::StepFunctions::StateMachineAlias"
    name_property = "Name"
    service = "stepfunctions"
    create_operation = "CreateStateMachineAlias"
    reading = "DescribeStateMachineAlias stateMachineAliasArn"
    deletes = ("DeleteStateMachineAlias", "StateMachineAliasArn")
    id_attribute = "Arn"
    also_supported = frozenset({"DeploymentPreference"})
    not_carried_out = frozenset({"StateMachineArn"})
    takes_long = True

    @override
    def problems(self, properties: Properties) -> Iterable[str]:
        if {"DeploymentPreference", "RoutingConfiguration"} <= properties.keys():
            yield "RoutingConfiguration and DeploymentPreference exclude each other; give one"

    @override
    def create(self, request: Request) -> str:
        answer = self.call(
            request,
            "CreateStateMachineAlias",
            request.properties,
            Name=request.properties.get("Name") or request.name(80),
            RoutingConfiguration=_routes(request.properties),
        )
        return str(answer["stateMachineAliasArn"])

    @override
    def update(self, request: Request) -> Attributes:
        preference = request.properties.get("DeploymentPreference")
        if preference is not None:
            for share in _shares(preference):
                self._shift(request, preference, share)
        return self.restore(request)

    @override
    def restore(self, request: Request) -> Attributes:
        """Lead to what is wanted at once."""
        self._lead(request, _routes(request.properties))
        return self.complete(request)

    def _shift(self, request: Request, preference: Mapping[str, Any], share: int) -> None:
        """Lead a share of executions to the new version, and watch the alarms until the next."""
        version = preference["StateMachineVersionArn"]
        said = self.read(request) or {}
        others = [
            each["stateMachineVersionArn"]
            for each in said["routingConfiguration"]
            if each["stateMachineVersionArn"] != version
        ]
        if not others:  # it leads there already
            return
        if len(others) > 1:
            what = "an alias that leads to two versions cannot be shifted to a third"
            raise ResourceFailed(what, code="InvalidRequest")
        self._lead(request, [_route(version, share), _route(others[0], 100 - share)])
        seconds = request.context.seconds(60 * int(preference.get("Interval", 1)))
        until = time.monotonic() + seconds

        def look() -> list[str] | None:
            firing = _firing(request, preference.get("Alarms", []))
            return firing if firing or time.monotonic() >= until else None

        firing = request.wait(look, limit_seconds=seconds + _SLACK_SECONDS, what="a deployment")
        if firing:
            what = f"The deployment was stopped by alarms in ALARM: {', '.join(firing)}"
            raise ResourceFailed(what, code="NotStabilized")

    def _lead(self, request: Request, routes: list[dict[str, Any]]) -> None:
        self.call(
            request,
            "UpdateStateMachineAlias",
            StateMachineAliasArn=request.physical_id,
            Description=request.properties.get("Description", ""),
            RoutingConfiguration=routes,
        )


def _routes(properties: Properties) -> list[dict[str, Any]]:
    """Where an alias leads in the end. Raises ResourceFailed where nothing says so."""
    if "RoutingConfiguration" in properties:
        return list(properties["RoutingConfiguration"])
    if "DeploymentPreference" not in properties:
        what = "#: required key [RoutingConfiguration] or [DeploymentPreference] not found"
        raise ResourceFailed(what, code="InvalidRequest")
    return [_route(properties["DeploymentPreference"]["StateMachineVersionArn"], 100)]


def _route(version: str, weight: int) -> dict[str, Any]:
    return {"StateMachineVersionArn": version, "Weight": weight}


def _shares(preference: Mapping[str, Any]) -> list[int]:
    """Percentages of executions on the way to all of them."""
    kind, step = preference["Type"], int(preference.get("Percentage", 100))
    if kind == "LINEAR":
        return list(range(step, 100, step))
    return [step] if kind == "CANARY" and step < 100 else []


def _firing(request: Request, alarms: list[str]) -> list[str]:
    """Those of the alarms that are in ALARM; one that is not there is OK."""
    if not alarms:
        return []
    said = request.client("cloudwatch").describe_alarms(
        AlarmNames=alarms, AlarmTypes=["CompositeAlarm", "MetricAlarm"], StateValue="ALARM"
    )
    return [
        each["AlarmName"]
        for each in (*said.get("CompositeAlarms", ()), *said.get("MetricAlarms", ()))
    ]
