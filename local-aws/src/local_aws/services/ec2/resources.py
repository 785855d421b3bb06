"""VPCs, subnets and security groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from local_aws.resources.api import ApiProvider, stack_tags, tag_list, tags_of
from local_aws.resources.base import Attributes, Properties, Request


class _Part(ApiProvider):
    """A part of a network: ``id_argument`` names it in calls, ``switch_operation`` changes it."""

    service = "ec2"
    id_argument: str
    delete_operation: str
    switch_operation: str
    switches: Mapping[str, bool] = {}
    """Properties that a call each turns on or off, as they are while a template has them not."""

    @override
    def create(self, request: Request) -> str:
        answer = self.call(request, self.create_operation, {**request.properties, "Tags": None})
        return str(answer[self.id_argument.removesuffix("Id")][self.id_argument])

    @override
    def complete(self, request: Request) -> Attributes:
        self._configure(request)
        return {self.id_argument: request.physical_id}

    @override
    def update(self, request: Request) -> Attributes:
        self._configure(request)
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        self.discard(request, self.delete_operation, **self._named(request))

    @override
    def retag(self, request: Request, **target: Any) -> None:
        old, new = tags_of(request.previous), tags_of(request.properties)
        part = {"Resources": [request.physical_id]}
        gone = [{"Key": key} for key in old.keys() - new.keys()]
        if gone:
            self.call(request, "DeleteTags", **part, Tags=gone)
        self.call(request, "CreateTags", **part, Tags=tag_list(new | stack_tags(request)))

    def _configure(self, request: Request) -> None:
        for name, default in self.switches.items():
            if request.changed(name):
                value = {"Value": request.properties.get(name, default)}
                self.call(request, self.switch_operation, **self._named(request), **{name: value})
        self.retag(request)

    def _named(self, request: Request) -> dict[str, str]:
        return {self.id_argument: request.physical_id}


class Vpc(_Part):
    """``AWS::EC2::VPC``: Ref is the id."""

    type_name = "AWS::EC2::VPC"
    create_operation = "CreateVpc"
    delete_operation = "DeleteVpc"
    switch_operation = "ModifyVpcAttribute"
    id_argument = "VpcId"
    switches: Mapping[str, bool] = {"EnableDnsSupport": True, "EnableDnsHostnames": False}
    also_supported = frozenset({*switches, "Tags"})
    not_carried_out = frozenset({"Ipv4IpamPoolId", "Ipv4NetmaskLength", "VpcEncryptionControl"})
    unchangeable = frozenset({"InstanceTenancy"})

    @override
    def complete(self, request: Request) -> Attributes:
        of_vpc = {"Name": "vpc-id", "Values": [request.physical_id]}
        default = {"Name": "default", "Values": ["true"]}
        named = {"Name": "group-name", "Values": ["default"]}
        (vpc,) = self.call(request, "DescribeVpcs", VpcIds=[request.physical_id])["Vpcs"]
        (group,) = self.call(request, "DescribeSecurityGroups", Filters=[of_vpc, named])[
            "SecurityGroups"
        ]
        (acl,) = self.call(request, "DescribeNetworkAcls", Filters=[of_vpc, default])["NetworkAcls"]
        return {
            **super().complete(request),
            "CidrBlock": vpc["CidrBlock"],
            "CidrBlockAssociations": [
                each["AssociationId"] for each in vpc["CidrBlockAssociationSet"]
            ],
            "DefaultNetworkAcl": acl["NetworkAclId"],
            "DefaultSecurityGroup": group["GroupId"],
        }


class Subnet(_Part):
    """``AWS::EC2::Subnet``: Ref is the id."""

    type_name = "AWS::EC2::Subnet"
    create_operation = "CreateSubnet"
    delete_operation = "DeleteSubnet"
    switch_operation = "ModifySubnetAttribute"
    id_argument = "SubnetId"
    switches: Mapping[str, bool] = {"MapPublicIpOnLaunch": False}
    also_supported = frozenset({*switches, "Tags"})
    not_carried_out = frozenset(
        {
            "Ipv4IpamPoolId",
            "Ipv4NetmaskLength",
            "Ipv6CidrBlock",
            "Ipv6IpamPoolId",
            "Ipv6Native",
            "Ipv6NetmaskLength",
            "OutpostArn",
        }
    )

    @override
    def complete(self, request: Request) -> Attributes:
        (subnet,) = self.call(request, "DescribeSubnets", SubnetIds=[request.physical_id])[
            "Subnets"
        ]
        names = ("AvailabilityZone", "AvailabilityZoneId", "CidrBlock", "VpcId")
        return {**super().complete(request), **{name: subnet[name] for name in names}}


class SecurityGroup(_Part):
    """``AWS::EC2::SecurityGroup``: Ref is the id; what goes out is free while no rule is given."""

    type_name = "AWS::EC2::SecurityGroup"
    name_property = "GroupName"
    create_operation = "CreateSecurityGroup"
    delete_operation = "DeleteSecurityGroup"
    id_argument = "GroupId"
    also_supported = frozenset(
        {"GroupDescription", "SecurityGroupEgress", "SecurityGroupIngress", "Tags"}
    )
    not_carried_out = frozenset({"SecurityGroupIngress.SourceSecurityGroupName"})

    @override
    def create(self, request: Request) -> str:
        wanted = request.properties
        answer = self.call(
            request,
            self.create_operation,
            GroupName=wanted.get("GroupName") or request.name(255),
            Description=wanted["GroupDescription"],
            VpcId=wanted.get("VpcId"),
        )
        return str(answer["GroupId"])

    @override
    def complete(self, request: Request) -> Attributes:
        groups = self.call(request, "DescribeSecurityGroups", GroupIds=[request.physical_id])
        (group,) = groups["SecurityGroups"]
        return {
            **super().complete(request),
            "Id": request.physical_id,
            "VpcId": group.get("VpcId"),
        }

    @override
    def _configure(self, request: Request) -> None:
        for direction in ("Ingress", "Egress"):
            old, new = (_rules(each, direction) for each in (request.previous, request.properties))
            for verb, rules in (
                ("Revoke", [rule for rule in old if rule not in new]),
                ("Authorize", [rule for rule in new if rule not in old]),
            ):
                if rules:
                    self.call(
                        request,
                        f"{verb}SecurityGroup{direction}",
                        **self._named(request),
                        IpPermissions=rules,
                    )
        super()._configure(request)


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
