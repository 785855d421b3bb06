"""What may pass, and who is told: security groups, endpoints, flow logs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import override

from local_aws.resources.base import Attributes, Properties, Provider, Request

from .part import Part

_ALL = {
    "Version": "2008-10-17",
    "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}],
}
"""The policy of an endpoint that is given none."""

_PEERS = {
    "IpRanges": {"CidrIp": "CidrIp"},
    "Ipv6Ranges": {"CidrIpv6": "CidrIpv6"},
    "PrefixListIds": {
        "DestinationPrefixListId": "PrefixListId",
        "SourcePrefixListId": "PrefixListId",
    },
    "UserIdGroupPairs": {
        "DestinationSecurityGroupId": "GroupId",
        "SourceSecurityGroupId": "GroupId",
        "SourceSecurityGroupOwnerId": "UserId",
    },
}
"""Where the API has a rule's other side, by the property that says it."""


def access() -> Iterable[Provider]:
    """What lets traffic through, keeps it inside and writes it down."""
    yield SecurityGroup(
        "AWS::EC2::SecurityGroup",
        "CreateSecurityGroup",
        "DeleteSecurityGroup",
        id_argument="GroupId",
        describe="DescribeSecurityGroups",
        attributes={"GroupId": "GroupId", "VpcId": "VpcId"},
        renamed={"GroupDescription": "Description"},
        name_property="GroupName",
        not_carried_out=("SecurityGroupIngress.SourceSecurityGroupName",),
    )
    for direction in ("Ingress", "Egress"):
        yield SecurityGroupRule(
            f"AWS::EC2::SecurityGroup{direction}",
            f"AuthorizeSecurityGroup{direction}",
            f"RevokeSecurityGroup{direction}",
            id_argument="SecurityGroupRuleId",
            not_carried_out=("GroupName", "SourceSecurityGroupName"),
        )
    yield Part(
        "AWS::EC2::VPCEndpoint",
        "CreateVpcEndpoint",
        "DeleteVpcEndpoints",
        id_argument="VpcEndpointId",
        describe="DescribeVpcEndpoints",
        attributes={
            "CreationTimestamp": "CreationTimestamp",
            "DnsEntries": "DnsEntries",
            "NetworkInterfaceIds": "NetworkInterfaceIds",
        },
        modify=("ModifyVpcEndpoint",),
        defaults={"PolicyDocument": _ALL, "PrivateDnsEnabled": False, "VpcEndpointType": "Gateway"},
        not_carried_out=(
            *("DnsOptions", "IpAddressType", "ResourceConfigurationArn", "ServiceNetworkArn"),
            "ServiceRegion",
        ),
    )
    yield Part(
        "AWS::EC2::FlowLog",
        "CreateFlowLogs",
        "DeleteFlowLogs",
        id_argument="FlowLogId",
        renamed={"ResourceId": "ResourceIds"},
        not_carried_out=("DeliverCrossAccountRole", "DestinationOptions", "TagFieldSpecifications"),
    )


class SecurityGroup(Part):
    """``AWS::EC2::SecurityGroup``: what goes out is free while no rule is given."""

    also_supported = frozenset({"SecurityGroupEgress", "SecurityGroupIngress"})

    @override
    def arguments(self, request: Request) -> Mapping[str, Any]:
        return {"GroupName": request.name(255), **super().arguments(request)}

    @override
    def complete(self, request: Request) -> Attributes:
        self._allow(request)
        return super().complete(request)

    @override
    def update(self, request: Request) -> Attributes:
        self._allow(request)
        return super().update(request)

    def _allow(self, request: Request) -> None:
        for direction in ("Ingress", "Egress"):
            old, new = (_rules(each, direction) for each in (request.previous, request.properties))
            for verb, rules in (
                ("Revoke", [rule for rule in old if rule not in new]),
                ("Authorize", [rule for rule in new if rule not in old]),
            ):
                if rules:
                    operation = f"{verb}SecurityGroup{direction}"
                    self._do(request, operation, {"IpPermissions": rules})


class SecurityGroupRule(Part):
    """``AWS::EC2::SecurityGroupIngress`` and ``Egress``: one rule of a group that stands alone."""

    also_supported = frozenset({"Description"}.union(*_PEERS.values()))

    @override
    def arguments(self, request: Request) -> Mapping[str, Any]:
        return {
            "GroupId": request.properties.get("GroupId"),
            "IpPermissions": [_rule(request.properties)],
        }

    @override
    def update(self, request: Request) -> Attributes:
        direction = self.type_name.removeprefix("AWS::EC2::SecurityGroup")
        operation = f"UpdateSecurityGroupRuleDescriptions{direction}"
        self.call(request, operation, self.arguments(request))
        return self.attributes_now(request)

    @override
    def named(self, request: Request, operation: str) -> dict[str, Any]:
        found = super().named(request, operation)
        return {**found, "GroupId": request.properties.get("GroupId")}


def _rules(properties: Properties, direction: str) -> list[dict[str, Any]]:
    """The rules of a direction as the API has them: with none for what goes out, all may."""
    free = [{"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}] if direction == "Egress" else []
    return [_rule(rule) for rule in properties.get(f"SecurityGroup{direction}") or free]


def _rule(rule: Mapping[str, Any]) -> dict[str, Any]:
    said = {"Description": rule["Description"]} if "Description" in rule else {}
    found: dict[str, Any] = {"IpProtocol": str(rule["IpProtocol"])}
    found |= {name: rule[name] for name in ("FromPort", "ToPort") if name in rule}
    for listed, members in _PEERS.items():
        peer = {member: rule[name] for name, member in members.items() if name in rule}
        if peer:
            found[listed] = [{**peer, **said}]
    return found
