"""VPCs, their subnets and address ranges, their options and what they are connected with."""

from __future__ import annotations

from collections.abc import Iterable

from typing_extensions import override

from local_aws.resources.base import Attributes, Provider, Request
from local_aws.resources.declared import at

from .part import Part


def networks() -> Iterable[Provider]:
    """A network, beside what stands in it."""
    yield Vpc(
        "AWS::EC2::VPC",
        "CreateVpc",
        "DeleteVpc",
        id_argument="VpcId",
        describe="DescribeVpcs",
        attributes={
            "CidrBlock": "CidrBlock",
            "CidrBlockAssociations": "CidrBlockAssociationSet.*.AssociationId",
            "Ipv6CidrBlocks": "Ipv6CidrBlockAssociationSet.*.Ipv6CidrBlock",
        },
        modify=("ModifyVpcAttribute",),
        defaults={"EnableDnsSupport": True},
        not_carried_out=("Ipv4IpamPoolId", "Ipv4NetmaskLength", "VpcEncryptionControl"),
        unchangeable=("InstanceTenancy",),
    )
    yield Part(
        "AWS::EC2::VPCCidrBlock",
        "AssociateVpcCidrBlock",
        "DisassociateVpcCidrBlock",
        id_argument="AssociationId",
        not_carried_out=(
            *("Ipv4IpamPoolId", "Ipv4NetmaskLength", "Ipv6CidrBlock", "Ipv6IpamPoolId"),
            *("Ipv6CidrBlockNetworkBorderGroup", "Ipv6NetmaskLength", "Ipv6Pool"),
        ),
    )
    yield Subnet(
        "AWS::EC2::Subnet",
        "CreateSubnet",
        "DeleteSubnet",
        id_argument="SubnetId",
        describe="DescribeSubnets",
        attributes={
            **{name: name for name in ("AvailabilityZone", "AvailabilityZoneId", "CidrBlock")},
            "Ipv6CidrBlocks": "Ipv6CidrBlockAssociationSet.*.Ipv6CidrBlock",
            "VpcId": "VpcId",
        },
        modify=("ModifySubnetAttribute",),
        not_carried_out=(
            *("EnableDns64", "EnableLniAtDeviceIndex", "Ipv4IpamPoolId", "Ipv4NetmaskLength"),
            *("Ipv6IpamPoolId", "Ipv6NetmaskLength", "OutpostArn", "PrivateDnsNameOptionsOnLaunch"),
        ),
    )
    yield Part(
        "AWS::EC2::SubnetCidrBlock",
        "AssociateSubnetCidrBlock",
        "DisassociateSubnetCidrBlock",
        id_argument="AssociationId",
        not_carried_out=("Ipv6IpamPoolId", "Ipv6NetmaskLength"),
    )


class Vpc(Part):
    """``AWS::EC2::VPC``: address ranges are associated with it later."""

    live = frozenset({"CidrBlockAssociations", "Ipv6CidrBlocks"})

    @override
    def attributes_now(self, request: Request) -> Attributes:
        of_vpc = {"Name": "vpc-id", "Values": [request.physical_id]}
        named = {"Name": "group-name", "Values": ["default"]}
        default = {"Name": "default", "Values": ["true"]}
        groups = self.call(request, "DescribeSecurityGroups", Filters=[of_vpc, named])
        acls = self.call(request, "DescribeNetworkAcls", Filters=[of_vpc, default])
        return {
            **super().attributes_now(request),
            "DefaultNetworkAcl": at(acls, "NetworkAcls.0.NetworkAclId"),
            "DefaultSecurityGroup": at(groups, "SecurityGroups.0.GroupId"),
        }


class Subnet(Part):
    """``AWS::EC2::Subnet``: address ranges are associated with it later."""

    live = frozenset({"Ipv6CidrBlocks", "NetworkAclAssociationId"})

    @override
    def attributes_now(self, request: Request) -> Attributes:
        subnet_id = request.physical_id
        of_subnet = {"Name": "association.subnet-id", "Values": [subnet_id]}
        acls = self.call(request, "DescribeNetworkAcls", Filters=[of_subnet])["NetworkAcls"]
        known = (each for acl in acls for each in acl["Associations"])
        found = next(
            (each["NetworkAclAssociationId"] for each in known if each["SubnetId"] == subnet_id),
            None,
        )
        return {**super().attributes_now(request), "NetworkAclAssociationId": found}
