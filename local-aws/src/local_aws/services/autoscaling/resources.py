"""Application Auto Scaling: what scales, and by which policy."""

from __future__ import annotations

from collections.abc import Iterable

from typing_extensions import override

from local_aws.resources.api import ApiProvider, PutProvider
from local_aws.resources.base import Attributes, Properties, Request

_TARGET = ("ServiceNamespace", "ResourceId", "ScalableDimension")


class ScalableTarget(ApiProvider):
    """``AWS::ApplicationAutoScaling::ScalableTarget``: Ref names resource, dimension, service."""

    type_name = "AWS::ApplicationAutoScaling::ScalableTarget"
    service = "application-autoscaling"
    create_operation = "RegisterScalableTarget"
    also_supported = frozenset({"ScheduledActions"})

    @override
    def create(self, request: Request) -> str:
        self.call(request, "RegisterScalableTarget", request.properties)
        wanted = request.properties
        return "|".join(
            (wanted["ResourceId"], wanted["ScalableDimension"], wanted["ServiceNamespace"])
        )

    @override
    def complete(self, request: Request) -> Attributes:
        self._schedule(request)
        return {"Id": request.physical_id}

    @override
    def update(self, request: Request) -> Attributes:
        untagged = {**request.properties, "Tags": None}
        answer = self.call(request, "RegisterScalableTarget", untagged)
        self.retag(request, ResourceARN=answer["ScalableTargetARN"])
        self._schedule(request)
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        target = {name: request.properties[name] for name in _TARGET}
        for name in _actions(request.properties):
            self.discard(request, "DeleteScheduledAction", ScheduledActionName=name, **target)
        self.discard(request, "DeregisterScalableTarget", **target)

    def _schedule(self, request: Request) -> None:
        """Bring the target's scheduled actions from the previous ones to the wanted ones."""
        target = {name: request.properties[name] for name in _TARGET}
        old, new = _actions(request.previous), _actions(request.properties)
        for name in sorted(old.keys() - new.keys()):
            self.discard(request, "DeleteScheduledAction", ScheduledActionName=name, **target)
        for name, action in new.items():
            if old.get(name) != action:
                self.call(request, "PutScheduledAction", action, **target)


def _actions(properties: Properties) -> dict[str, Properties]:
    actions = properties.get("ScheduledActions") or []
    return {action["ScheduledActionName"]: action for action in actions}


class ScalingPolicy(PutProvider):
    """``AWS::ApplicationAutoScaling::ScalingPolicy``: Ref is the ARN."""

    type_name = "AWS::ApplicationAutoScaling::ScalingPolicy"
    service = "application-autoscaling"
    create_operation = "PutScalingPolicy"
    id_attribute = "Arn"
    also_supported = frozenset({"ScalingTargetId"})
    not_carried_out = frozenset({"PredictiveScalingPolicyConfiguration"})

    @override
    def problems(self, properties: Properties) -> Iterable[str]:
        """Source: AWS::ApplicationAutoScaling::ScalingPolicy, ScalingTargetId."""
        lacking = [name for name in _TARGET if name not in properties]
        if "ScalingTargetId" not in properties and lacking:
            yield (
                f"{', '.join(lacking)} lacking; specify either ScalingTargetId, or all of "
                "ResourceId, ScalableDimension and ServiceNamespace"
            )

    @override
    def create(self, request: Request) -> str:
        answer = self.call(request, "PutScalingPolicy", request.properties, **_target(request))
        return str(answer["PolicyARN"])

    @override
    def delete(self, request: Request) -> None:
        name = request.properties["PolicyName"]
        self.discard(request, "DeleteScalingPolicy", PolicyName=name, **_target(request))


def _target(request: Request) -> dict[str, str]:
    """What the policy scales: named outright, or by the Ref of a scalable target."""
    if "ScalingTargetId" in request.properties:
        resource, dimension, service = request.properties["ScalingTargetId"].split("|")
        return dict(zip(_TARGET, (service, resource, dimension), strict=True))
    return {name: request.properties[name] for name in _TARGET}
