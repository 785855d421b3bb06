"""Where a network's traffic is sent: route tables, routes, gateways and addresses."""

from __future__ import annotations

from collections.abc import Iterable

from typing_extensions import override

from local_aws.resources.base import Attributes, Properties, Provider, Request

from .part import Part, joined

_KEPT_ENDS = (
    *("DestinationPrefixListId", "EgressOnlyInternetGatewayId", "InstanceId"),
    *("NetworkInterfaceId", "VpcPeeringConnectionId"),
)
_DESTINATIONS = "DestinationCidrBlock DestinationIpv6CidrBlock DestinationPrefixListId"


def routing() -> Iterable[Provider]:
    """Route tables and what their routes lead to."""
    yield Part(
        "AWS::EC2::RouteTable", "CreateRouteTable", "DeleteRouteTable", id_argument="RouteTableId"
    )
    yield Route(
        "AWS::EC2::Route",
        "CreateRoute",
        "DeleteRoute",
        made_id=joined("RouteTableId", _DESTINATIONS),
        replace="ReplaceRoute",
        not_carried_out=(
            *("CarrierGatewayId", "CoreNetworkArn", "LocalGatewayId", "OdbNetworkArn"),
            *("TransitGatewayId", "VpcEndpointId"),
        ),
    )
    yield RouteTableAssociation(
        "AWS::EC2::SubnetRouteTableAssociation",
        "AssociateRouteTable",
        "DisassociateRouteTable",
        id_argument="AssociationId",
    )
    yield Part(
        "AWS::EC2::InternetGateway",
        "CreateInternetGateway",
        "DeleteInternetGateway",
        id_argument="InternetGatewayId",
    )
    yield GatewayAttachment(
        "AWS::EC2::VPCGatewayAttachment", "AttachInternetGateway", "DetachInternetGateway"
    )
    yield Part(
        "AWS::EC2::NatGateway",
        "CreateNatGateway",
        "DeleteNatGateway",
        id_argument="NatGatewayId",
        describe="DescribeNatGateways",
        attributes={"EniId": "NatGatewayAddresses.0.NetworkInterfaceId"},
        not_carried_out=(
            *("AvailabilityMode", "AvailabilityZoneAddresses", "MaxDrainDurationSeconds"),
            *("PrivateIpAddress", "SecondaryAllocationIds", "SecondaryPrivateIpAddressCount"),
            *("SecondaryPrivateIpAddresses", "VpcId"),
        ),
    )
    yield Address(
        "AWS::EC2::EIP",
        "AllocateAddress",
        "ReleaseAddress",
        id_argument="PublicIp",
        describe="DescribeAddresses",
        attributes={"AllocationId": "AllocationId", "PublicIp": "PublicIp"},
        not_carried_out=("IpamPoolId", "NetworkBorderGroup", "PublicIpv4Pool", "TransferAddress"),
        unchangeable=("Domain",),
    )


class Route(Part):
    """``AWS::EC2::Route``: its other attribute is where it leads from.

    One to what is only kept itself, as instances and VPN gateways are, is only kept.
    """

    @override
    def kept_by_value(self, properties: Properties) -> list[str]:
        gateway = properties.get("GatewayId", "igw-")
        is_kept = isinstance(gateway, str) and not gateway.startswith(("igw-", "local"))
        is_kept = is_kept or any(name in properties for name in _KEPT_ENDS)
        return [self.whole] if is_kept else []

    @override
    def attributes_now(self, request: Request) -> Attributes:
        return {"CidrBlock": request.physical_id.partition("|")[2]}


class RouteTableAssociation(Part):
    """``AWS::EC2::SubnetRouteTableAssociation``: takes the place of the one that a subnet has."""

    @override
    def create(self, request: Request) -> str:
        subnet_id = request.properties["SubnetId"]
        of_subnet = {"Name": "association.subnet-id", "Values": [subnet_id]}
        tables = self.call(request, "DescribeRouteTables", Filters=[of_subnet])["RouteTables"]
        for each in (each for table in tables for each in table["Associations"]):
            if each.get("SubnetId") == subnet_id:
                answer = self.call(
                    request,
                    "ReplaceRouteTableAssociation",
                    AssociationId=each["RouteTableAssociationId"],
                    RouteTableId=request.properties["RouteTableId"],
                )
                return str(answer["NewAssociationId"])
        return super().create(request)


class GatewayAttachment(Part):
    """``AWS::EC2::VPCGatewayAttachment``: of an internet gateway; a VPN's is only kept.

    Ref is ``IGW|vpc-1`` (recorded by LocalStack's suite, 2025).
    """

    also_supported = frozenset({"VpnGatewayId"})

    @override
    def kept_by_value(self, properties: Properties) -> list[str]:
        return [self.whole] if "VpnGatewayId" in properties else []

    @override
    def create(self, request: Request) -> str:
        self.call(request, self.create_operation, request.properties)
        return f"IGW|{request.properties['VpcId']}"

    @override
    def update(self, request: Request) -> Attributes:
        self.discard(request, self.delete_operation, **request.previous)
        self.call(request, self.create_operation, request.properties)
        return self.attributes_now(request)

    @override
    def attributes_now(self, request: Request) -> Attributes:
        return {"AttachmentType": request.physical_id.partition("|")[0]}


class Address(Part):
    """``AWS::EC2::EIP``: Ref is the address; calls name it by its allocation."""

    without_effect = frozenset({"InstanceId"})

    @override
    def tagged(self, request: Request) -> str:
        return str(self.described(request)["AllocationId"])

    @override
    def delete(self, request: Request) -> None:
        self.discard(request, "ReleaseAddress", AllocationId=request.attributes.get("AllocationId"))
