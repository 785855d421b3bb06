"""Where a network's traffic is sent: route tables, routes, gateways and addresses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import override

from local_aws.resources.base import Attributes, Provider, Request

from .part import Part, joined

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
    yield Part(
        "AWS::EC2::EgressOnlyInternetGateway",
        "CreateEgressOnlyInternetGateway",
        "DeleteEgressOnlyInternetGateway",
        id_argument="EgressOnlyInternetGatewayId",
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
    yield Part(
        "AWS::EC2::EIPAssociation",
        "AssociateAddress",
        "DisassociateAddress",
        id_argument="AssociationId",
        renamed={"EIP": "PublicIp"},
        not_carried_out=("PrivateIpAddress",),
    )
    yield Part(
        "AWS::EC2::VPNGateway", "CreateVpnGateway", "DeleteVpnGateway", id_argument="VpnGatewayId"
    )
    yield RoutePropagation(
        "AWS::EC2::VPNGatewayRoutePropagation",
        "EnableVgwRoutePropagation",
        "DisableVgwRoutePropagation",
    )
    yield Part(
        "AWS::EC2::CustomerGateway",
        "CreateCustomerGateway",
        "DeleteCustomerGateway",
        id_argument="CustomerGatewayId",
        not_carried_out=("BgpAsnExtended",),
    )
    yield VpnConnection(
        "AWS::EC2::VPNConnection",
        "CreateVpnConnection",
        "DeleteVpnConnection",
        id_argument="VpnConnectionId",
        not_carried_out=(
            *("PreSharedKeyStorage", "TransitGatewayId", "TransportTransitGatewayAttachmentId"),
            *("TunnelBandwidth", "VpnConcentratorId", "VpnTunnelOptionsSpecifications"),
        ),
        unchangeable=("CustomerGatewayId", "VpnGatewayId"),
    )
    yield Part(
        "AWS::EC2::VPNConnectionRoute",
        "CreateVpnConnectionRoute",
        "DeleteVpnConnectionRoute",
        made_id=joined("DestinationCidrBlock", "VpnConnectionId"),
    )


class Route(Part):
    """``AWS::EC2::Route``: its other attribute is where it leads from."""

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
    """``AWS::EC2::VPCGatewayAttachment``: of an internet gateway or a VPN's.

    Ref is ``IGW|vpc-1`` or ``VGW|vpc-1`` (recorded by LocalStack's suite, 2025).
    """

    also_supported = frozenset({"VpnGatewayId"})

    @override
    def create(self, request: Request) -> str:
        self._turn(request, "Attach", request.properties)
        kind = "IGW" if "InternetGatewayId" in request.properties else "VGW"
        return f"{kind}|{request.properties['VpcId']}"

    @override
    def update(self, request: Request) -> Attributes:
        self._turn(request, "Detach", request.previous)
        self._turn(request, "Attach", request.properties)
        return self.attributes_now(request)

    @override
    def delete(self, request: Request) -> None:
        self._turn(request, "Detach", request.properties)

    @override
    def attributes_now(self, request: Request) -> Attributes:
        return {"AttachmentType": request.physical_id.partition("|")[0]}

    def _turn(self, request: Request, verb: str, properties: Mapping[str, Any]) -> None:
        kind = "Internet" if "InternetGatewayId" in properties else "Vpn"
        turn = self.call if verb == "Attach" else self.discard
        turn(request, f"{verb}{kind}Gateway", **properties)


class Address(Part):
    """``AWS::EC2::EIP``: Ref is the address; calls name it by its allocation."""

    also_supported = frozenset({"InstanceId"})

    @override
    def complete(self, request: Request) -> Attributes:
        self._associate(request)
        return super().complete(request)

    @override
    def update(self, request: Request) -> Attributes:
        if request.changed("InstanceId"):
            if "InstanceId" in request.previous:
                self.discard(request, "DisassociateAddress", PublicIp=request.physical_id)
            self._associate(request)
        return super().update(request)

    @override
    def tagged(self, request: Request) -> str:
        return str(self.described(request)["AllocationId"])

    @override
    def delete(self, request: Request) -> None:
        if "InstanceId" in request.properties:
            self.discard(request, "DisassociateAddress", PublicIp=request.physical_id)
        self.discard(request, "ReleaseAddress", AllocationId=request.attributes.get("AllocationId"))

    def _associate(self, request: Request) -> None:
        instance = request.properties.get("InstanceId")
        if instance is not None:
            self.call(
                request, "AssociateAddress", PublicIp=request.physical_id, InstanceId=instance
            )


class RoutePropagation(Part):
    """``AWS::EC2::VPNGatewayRoutePropagation``: into each of several route tables."""

    also_supported = frozenset({"RouteTableIds", "VpnGatewayId"})

    @override
    def create(self, request: Request) -> str:
        self._turn(request, "Enable", request.properties)
        return request.name(255)

    @override
    def update(self, request: Request) -> Attributes:
        self._turn(request, "Disable", request.previous)
        self._turn(request, "Enable", request.properties)
        return self.attributes_now(request)

    @override
    def delete(self, request: Request) -> None:
        self._turn(request, "Disable", request.properties)

    def _turn(self, request: Request, verb: str, properties: Mapping[str, Any]) -> None:
        turn = self.call if verb == "Enable" else self.discard
        for table in properties["RouteTableIds"]:
            turn(
                request,
                f"{verb}VgwRoutePropagation",
                GatewayId=properties["VpnGatewayId"],
                RouteTableId=table,
            )


class VpnConnection(Part):
    """``AWS::EC2::VPNConnection``: the API has most properties as options."""

    also_supported = frozenset(
        {
            *("EnableAcceleration", "LocalIpv4NetworkCidr", "LocalIpv6NetworkCidr"),
            *("OutsideIpAddressType", "RemoteIpv4NetworkCidr", "RemoteIpv6NetworkCidr"),
            *("StaticRoutesOnly", "TunnelInsideIpVersion"),
        }
    )

    @override
    def arguments(self, request: Request) -> Mapping[str, Any]:
        options = {
            name: value for name, value in request.properties.items() if name in self.also_supported
        }
        return {**request.properties, "Options": options or None}
