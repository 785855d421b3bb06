"""Load balancers, which the emulator answers; they balance nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from typing_extensions import override

from local_aws.permissions.service import Refusal, ServicePermissions
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.resources.base import Attributes, Provider, Request
from local_aws.resources.declared import Declared
from local_aws.service import Limit, Service

_ASKING_WHO_IT_IS = ("AuthenticateCognitoConfig", "AuthenticateOidcConfig", "JwtValidationConfig")
"""What an action has that sends a caller to an identity provider."""


class Elbv2(Service):
    """Load balancers, which the emulator answers."""

    name = "elbv2"
    limits = (Limit("load balancers", "made and described; no request reaches a target"),)
    permissions = ServicePermissions(
        prefix="elasticloadbalancing",
        denied=Refusal(code="AccessDenied", status=403),
        throttled=Refusal(code="Throttling", message="Rate exceeded"),
    )

    @override
    def check(self, call: Call) -> None:
        """Raise `AwsError`, too, for a call of classic load balancers, whose API is an older one
        of the same name."""
        given = {} if call.request is None else call.request.values
        if given.get("Version") == _CLASSIC:
            what = f"the local AWS does not offer {call.operation} of classic load balancers"
            raise AwsError("InvalidAction", what)
        super().check(call)

    @override
    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        yield _Part(
            "AWS::ElasticLoadBalancingV2::LoadBalancer",
            "CreateLoadBalancer",
            "DeleteLoadBalancer",
            id_argument="LoadBalancerArn",
            describe="DescribeLoadBalancers",
            attributes={
                "CanonicalHostedZoneID": "CanonicalHostedZoneId",
                "DNSName": "DNSName",
                "LoadBalancerName": "LoadBalancerName",
            },
            modify=("SetSecurityGroups", "SetSubnets", "ModifyLoadBalancerAttributes"),
            renamed={"LoadBalancerAttributes": "Attributes"},
            name_property="Name",
            not_carried_out=(
                *("EnableCapacityReservationProvisionStabilize", "EnablePrefixForIpv6SourceNat"),
                *("EnforceSecurityGroupInboundRulesOnPrivateLinkTraffic", "Ipv4IpamPoolId"),
                *("MinimumLoadBalancerCapacity", "SubnetMappings"),
            ),
        )
        yield _TargetGroup(
            "AWS::ElasticLoadBalancingV2::TargetGroup",
            "CreateTargetGroup",
            "DeleteTargetGroup",
            id_argument="TargetGroupArn",
            describe="DescribeTargetGroups",
            attributes={
                "LoadBalancerArns": "LoadBalancerArns",
                "TargetGroupName": "TargetGroupName",
            },
            modify=("ModifyTargetGroup", "ModifyTargetGroupAttributes"),
            renamed={"TargetGroupAttributes": "Attributes"},
            name_property="Name",
            not_carried_out=(
                *("Matcher.GrpcCode", "TargetControlPort", "Targets.AvailabilityZone"),
                "Targets.QuicServerId",
            ),
        )
        yield _Part(
            "AWS::ElasticLoadBalancingV2::Listener",
            "CreateListener",
            "DeleteListener",
            id_argument="ListenerArn",
            modify=("ModifyListener", "ModifyListenerAttributes"),
            renamed={"ListenerAttributes": "Attributes"},
            not_carried_out=(
                *(f"DefaultActions.{each}" for each in _ASKING_WHO_IT_IS),
                "MutualAuthentication",
            ),
        )
        yield _Part(
            "AWS::ElasticLoadBalancingV2::ListenerRule",
            "CreateRule",
            "DeleteRule",
            id_argument="RuleArn",
            modify=("ModifyRule",),
            not_carried_out=(
                *(f"Actions.{each}" for each in _ASKING_WHO_IT_IS),
                *("Conditions.HostHeaderConfig.RegexValues", "Conditions.RegexValues"),
                *("Conditions.HttpHeaderConfig.RegexValues", "Transforms"),
                *("Conditions.PathPatternConfig.RegexValues",),
                "Conditions.SourceIpConfig.IpAddressType",
            ),
            unchangeable=("Priority",),
        )


_CLASSIC = "2012-06-01"


class _Part(Declared):
    """One of its types; the full name of one that has a name stands in its ARN."""

    service = "elbv2"
    tag_operations = ("AddTags", "RemoveTags")

    @override
    def arguments(self, request: Request) -> dict[str, Any]:
        generated = {"Name": request.name(32)} if self.name_property else {}
        return generated | self.worded(request.properties)

    @override
    def attributes_now(self, request: Request) -> Attributes:
        found = super().attributes_now(request)
        if self.name_property is None:
            return found
        kind = self.type_name.rpartition("::")[2]
        full = request.physical_id.rpartition(":")[2].removeprefix("loadbalancer/")
        return {**found, f"{kind}FullName": full}

    @override
    def retag(self, request: Request, **target: Any) -> None:
        super().retag(request, ResourceArns=[request.physical_id])


class _TargetGroup(_Part):
    """``AWS::ElasticLoadBalancingV2::TargetGroup``: its targets are registered one by one."""

    also_supported = frozenset({"Targets"})

    @override
    def complete(self, request: Request) -> Attributes:
        self._register(request)
        return super().complete(request)

    @override
    def update(self, request: Request) -> Attributes:
        self._register(request)
        return super().update(request)

    def _register(self, request: Request) -> None:
        old, new = (each.get("Targets", []) for each in (request.previous, request.properties))
        for operation, targets in (
            ("DeregisterTargets", [each for each in old if each not in new]),
            ("RegisterTargets", [each for each in new if each not in old]),
        ):
            if targets:
                self._do(request, operation, {"Targets": targets})
