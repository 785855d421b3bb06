"""Samples of what stands in a network, and what reads it back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.local_aws.resources.samples.ec2 import SAMPLES as OF_EC2
from tests.local_aws.resources.samples.sample import POLICY, TAGS, Sample

_VPC = {"VpcId": {"Ref": "Vpc"}}
_TABLE = "ec2 DescribeRouteTables RouteTableIds=[$Table]"
_RULES = "ec2 DescribeSecurityGroupRules SecurityGroupRuleIds=[{Ref}]"
_ADDRESSES = "ec2 DescribeAddresses"
_ENDPOINT = "ec2 DescribeVpcEndpoints VpcEndpointIds=[{Ref}]"
_FLOW_LOG = "ec2 DescribeFlowLogs FlowLogIds=[{Ref}]"
_ACL = "ec2 DescribeNetworkAcls NetworkAclIds=[$Acl]"
_VPN = "ec2 DescribeVpnConnections VpnConnectionIds=[{Ref}]"
_TO_GATEWAY = {"RouteTableId": "$Table", "GatewayId": "$Gateway"}


def _typed(name: str, **properties: Any) -> dict[str, Any]:
    return {"Type": f"AWS::EC2::{name}", "Properties": properties}


GROUND: Mapping[str, Mapping[str, Any]] = {
    "Table": _typed("RouteTable", **_VPC),
    "Gateway": _typed("InternetGateway"),
    "Spare": _typed("InternetGateway"),
    "Attached": _typed("VPCGatewayAttachment", **_VPC, InternetGatewayId={"Ref": "Gateway"}),
    "EgressOnly": _typed("EgressOnlyInternetGateway", **_VPC),
    "Address": _typed("EIP", Domain="vpc"),
    "Nat": _typed("NatGateway", SubnetId={"Ref": "Subnet"}, ConnectivityType="private"),
    "Acl": _typed("NetworkAcl", **_VPC),
    "Peer": _typed("VPC", CidrBlock="10.99.0.0/16"),
    "Peering": _typed("VPCPeeringConnection", **_VPC, PeerVpcId={"Ref": "Peer"}),
    "Options": _typed("DHCPOptions", DomainName="ground.example"),
    "Prefixes": _typed("PrefixList", PrefixListName="ground", AddressFamily="IPv4", MaxEntries=1),
    "Private": _typed("VPNGateway", Type="ipsec.1"),
    "Customer": _typed("CustomerGateway", Type="ipsec.1", IpAddress="203.0.113.9", BgpAsn=65001),
    "Tunnel": _typed(
        "VPNConnection",
        Type="ipsec.1",
        CustomerGatewayId={"Ref": "Customer"},
        VpnGatewayId={"Ref": "Private"},
    ),
}
"""What they refer to, beside `GROUND`."""

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::EC2::CustomerGateway": (
        Sample(
            ("ec2 DescribeCustomerGateways CustomerGatewayIds=[{Ref}]",),
            {
                "Type": "ipsec.1",
                "BgpAsn": 65037,
                "IpAddress": "203.0.113.37",
                "CertificateArn": "arn:aws:acm:eu-west-1:123456789012:certificate/lost",
                "DeviceName": "lost",
                "Tags": TAGS,
            },
            needs=("BgpAsn",),
        ),
    ),
    "AWS::EC2::DHCPOptions": (
        Sample(
            ("ec2 DescribeDhcpOptions DhcpOptionsIds=[{Ref}]",),
            {
                "DomainName": "lost.example",
                "DomainNameServers": ["10.2.5.1"],
                "NetbiosNameServers": ["10.2.5.2"],
                "NetbiosNodeType": 2,
                "NtpServers": ["10.2.5.3"],
                "Tags": TAGS,
            },
            needs=("DomainName",),
        ),
    ),
    "AWS::EC2::EIP": (
        Sample(
            (_ADDRESSES,),
            {"Domain": "vpc", "Address": "203.0.113.51", "InstanceId": "$Machine", "Tags": TAGS},
            needs=("Domain",),
        ),
    ),
    "AWS::EC2::EIPAssociation": tuple(
        Sample((_ADDRESSES,), properties, needs=tuple(properties))
        for properties in (
            {"AllocationId": "$Address.AllocationId", "InstanceId": "$Machine"},
            {"EIP": "$Address", "NetworkInterfaceId": "$Nat.EniId"},
        )
    ),
    "AWS::EC2::EgressOnlyInternetGateway": (
        Sample(
            ("ec2 DescribeEgressOnlyInternetGateways EgressOnlyInternetGatewayIds=[{Ref}]",),
            {"VpcId": "$Vpc", "Tags": TAGS},
        ),
    ),
    "AWS::EC2::FlowLog": (
        Sample(
            (_FLOW_LOG,),
            {
                "ResourceId": "$Vpc",
                "ResourceType": "VPC",
                "TrafficType": "REJECT",
                "LogGroupName": "$Logs",
                "DeliverLogsPermissionArn": "$Role.Arn",
                "LogDestinationType": "cloud-watch-logs",
                "LogFormat": "${version} ${vpc-id}",
                "MaxAggregationInterval": 60,
                "Tags": TAGS,
            },
            needs=(
                *("TrafficType", "LogGroupName", "DeliverLogsPermissionArn"),
                "LogDestinationType",
            ),
            unread={"ResourceType": "it shows in the id of what is logged"},
        ),
        Sample(
            (_FLOW_LOG,),
            {
                "ResourceId": "$Subnet",
                "ResourceType": "Subnet",
                "TrafficType": "ALL",
                "LogDestination": "$Bucket.Arn",
                "LogDestinationType": "s3",
                "DestinationOptions": {
                    "FileFormat": "parquet",
                    "HiveCompatiblePartitions": True,
                    "PerHourPartition": True,
                },
            },
            needs=("TrafficType", "LogDestination", "LogDestinationType"),
            unread={"ResourceType": "it shows in the id of what is logged"},
        ),
    ),
    "AWS::EC2::InternetGateway": (
        Sample(("ec2 DescribeInternetGateways InternetGatewayIds=[{Ref}]",), {"Tags": TAGS}),
    ),
    "AWS::EC2::NatGateway": (
        Sample(
            ("ec2 DescribeNatGateways NatGatewayIds=[{Ref}]",),
            {
                "SubnetId": "$Subnet",
                "AllocationId": "$Address.AllocationId",
                "ConnectivityType": "public",
                "Tags": TAGS,
            },
            needs=("SubnetId", "AllocationId"),
        ),
    ),
    "AWS::EC2::NetworkAcl": (
        Sample(("ec2 DescribeNetworkAcls NetworkAclIds=[{Ref}]",), {"VpcId": "$Vpc", "Tags": TAGS}),
    ),
    "AWS::EC2::NetworkAclEntry": (
        Sample(
            (_ACL,),
            {
                "NetworkAclId": "$Acl",
                "RuleNumber": 137,
                "RuleAction": "deny",
                "Protocol": 6,
                "Egress": True,
                "CidrBlock": "10.37.0.0/16",
                "PortRange": {"From": 4137, "To": 4139},
            },
            needs=("CidrBlock", "PortRange"),
        ),
        Sample(
            (_ACL,),
            {
                "NetworkAclId": "$Acl",
                "RuleNumber": 141,
                "RuleAction": "allow",
                "Protocol": 58,
                "Ipv6CidrBlock": "2001:db8:37::/48",
                "Icmp": {"Code": 43, "Type": 47},
            },
            needs=("Ipv6CidrBlock",),
        ),
    ),
    "AWS::EC2::PrefixList": (
        Sample(
            (
                "ec2 DescribeManagedPrefixLists PrefixListIds=[{Ref}]",
                "ec2 GetManagedPrefixListEntries PrefixListId={Ref}",
            ),
            {
                "PrefixListName": "lost",
                "AddressFamily": "IPv4",
                "MaxEntries": 37,
                "Entries": [{"Cidr": "10.41.0.0/16", "Description": "lost"}],
                "Tags": TAGS,
            },
            needs=("MaxEntries",),
        ),
    ),
    "AWS::EC2::Route": (
        *(
            Sample((_TABLE,), {**_TO_GATEWAY, **to}, needs=("GatewayId", *to))
            for to in (
                {"DestinationCidrBlock": "10.51.0.0/16"},
                {"DestinationIpv6CidrBlock": "2001:db8:51::/48"},
                {"DestinationPrefixListId": "$Prefixes"},
            )
        ),
        *(
            Sample(
                (_TABLE,),
                {"RouteTableId": "$Table", "DestinationCidrBlock": "10.53.0.0/16", name: target},
                needs=("DestinationCidrBlock",),
            )
            for name, target in {
                "InstanceId": "$Machine",
                "NatGatewayId": "$Nat",
                "NetworkInterfaceId": "$Nat.EniId",
                "VpcPeeringConnectionId": "$Peering",
            }.items()
        ),
        Sample(
            (_TABLE,),
            {
                "RouteTableId": "$Table",
                "DestinationIpv6CidrBlock": "::/0",
                "EgressOnlyInternetGatewayId": "$EgressOnly",
            },
            needs=("DestinationIpv6CidrBlock",),
        ),
    ),
    "AWS::EC2::RouteTable": (
        Sample(("ec2 DescribeRouteTables RouteTableIds=[{Ref}]",), {"VpcId": "$Vpc", "Tags": TAGS}),
    ),
    "AWS::EC2::SecurityGroupEgress": tuple(
        Sample(
            (_RULES,),
            {
                "GroupId": "$Firewall.GroupId",
                "IpProtocol": "tcp",
                "FromPort": 4151,
                "ToPort": 4153,
                "Description": "goes out alone",
                **peer,
            },
            needs=("FromPort", "ToPort", *peer),
        )
        for peer in (
            {"CidrIp": "10.61.0.0/16"},
            {"CidrIpv6": "2001:db8:61::/48"},
            {"DestinationPrefixListId": "$Prefixes"},
            {"DestinationSecurityGroupId": "$Firewall.GroupId"},
        )
    ),
    "AWS::EC2::SecurityGroupIngress": tuple(
        Sample(
            (_RULES,),
            {
                "GroupId": "$Firewall.GroupId",
                "IpProtocol": "udp",
                "FromPort": 4157,
                "ToPort": 4159,
                "Description": "comes in alone",
                **peer,
            },
            needs=("GroupId", "FromPort", "ToPort", *peer),
        )
        for peer in (
            {"CidrIp": "10.67.0.0/16"},
            {"CidrIpv6": "2001:db8:67::/48"},
            {"SourcePrefixListId": "$Prefixes"},
            {
                "SourceSecurityGroupId": "$Firewall.GroupId",
                "SourceSecurityGroupOwnerId": "123456789012",
            },
        )
    ),
    "AWS::EC2::Subnet": (
        *OF_EC2["AWS::EC2::Subnet"],
        Sample(
            ("ec2 DescribeSubnets SubnetIds=[{Ref}]",),
            {
                "VpcId": "$Vpc",
                "CidrBlock": "10.0.9.0/24",
                "AvailabilityZone": "eu-west-1a",
                "Ipv6CidrBlock": "2001:db8:9::/64",
                "AssignIpv6AddressOnCreation": True,
            },
            needs=("CidrBlock", "AvailabilityZone"),
        ),
        Sample(
            ("ec2 DescribeSubnets SubnetIds=[{Ref}]",),
            {
                "VpcId": "$Vpc",
                "AvailabilityZone": "eu-west-1a",
                "Ipv6CidrBlock": "2001:db8:11::/64",
                "Ipv6Native": True,
                "EnableDns64": True,
            },
            needs=("AvailabilityZone", "Ipv6CidrBlock"),
        ),
    ),
    "AWS::EC2::SubnetCidrBlock": (
        Sample(
            ("ec2 DescribeSubnets SubnetIds=[$Subnet]",),
            {"SubnetId": "$Subnet", "Ipv6CidrBlock": "2001:db8:71::/64"},
            needs=("Ipv6CidrBlock",),
        ),
    ),
    "AWS::EC2::SubnetNetworkAclAssociation": (
        Sample((_ACL,), {"SubnetId": "$Subnet", "NetworkAclId": "$Acl"}),
    ),
    "AWS::EC2::SubnetRouteTableAssociation": (
        Sample((_TABLE,), {"SubnetId": "$Subnet", "RouteTableId": "$Table"}),
    ),
    "AWS::EC2::VPCCidrBlock": (
        Sample(
            ("ec2 DescribeVpcs VpcIds=[$Vpc]",),
            {"VpcId": "$Vpc", "CidrBlock": "10.73.0.0/16"},
            needs=("CidrBlock",),
        ),
        Sample(
            ("ec2 DescribeVpcs VpcIds=[$Vpc]",),
            {"VpcId": "$Vpc", "AmazonProvidedIpv6CidrBlock": True},
            told={"AmazonProvidedIpv6CidrBlock": "Amazon"},
            needs=("AmazonProvidedIpv6CidrBlock",),
        ),
    ),
    "AWS::EC2::VPCDHCPOptionsAssociation": (
        Sample(("ec2 DescribeVpcs VpcIds=[$Vpc]",), {"VpcId": "$Vpc", "DhcpOptionsId": "$Options"}),
    ),
    "AWS::EC2::VPCEndpoint": (
        Sample(
            (_ENDPOINT,),
            {
                "VpcId": "$Vpc",
                "ServiceName": "com.amazonaws.eu-west-1.s3",
                "VpcEndpointType": "Gateway",
                "PolicyDocument": POLICY,
                "RouteTableIds": ["$Table"],
                "Tags": TAGS,
            },
            needs=("ServiceName", "VpcEndpointType", "PolicyDocument"),
        ),
        Sample(
            (_ENDPOINT,),
            {
                "VpcId": "$Vpc",
                "ServiceName": "com.amazonaws.eu-west-1.sagemaker.runtime",
                "VpcEndpointType": "Interface",
                "PrivateDnsEnabled": True,
                "SecurityGroupIds": ["$Firewall.GroupId"],
                "SubnetIds": ["$Subnet"],
                "IpAddressType": "dualstack",
                "DnsOptions": {
                    "DnsRecordIpType": "service-defined",
                    "PrivateDnsPreference": "ALL_DOMAINS",
                    "PrivateDnsSpecifiedDomains": ["lost.example"],
                },
            },
            needs=("ServiceName", "VpcEndpointType"),
        ),
    ),
    "AWS::EC2::VPCGatewayAttachment": (
        Sample(
            ("ec2 DescribeInternetGateways",),
            {"VpcId": "$Peer", "InternetGatewayId": "$Spare"},
            needs=("InternetGatewayId",),
        ),
        Sample(
            ("ec2 DescribeVpnGateways",),
            {"VpcId": "$Peer", "VpnGatewayId": "$Private"},
            needs=("VpnGatewayId",),
        ),
    ),
    "AWS::EC2::VPCPeeringConnection": (
        Sample(
            ("ec2 DescribeVpcPeeringConnections VpcPeeringConnectionIds=[{Ref}]",),
            {
                "VpcId": "$Vpc",
                "PeerVpcId": "$Peer",
                "PeerOwnerId": "123456789012",
                "PeerRegion": "eu-west-1",
                "Tags": TAGS,
            },
            needs=("PeerOwnerId", "PeerRegion"),
        ),
    ),
    "AWS::EC2::VPNConnection": (
        Sample(
            (_VPN,),
            {
                "Type": "ipsec.1",
                "CustomerGatewayId": "$Customer",
                "VpnGatewayId": "$Private",
                "EnableAcceleration": True,
                "LocalIpv4NetworkCidr": "10.81.0.0/16",
                "LocalIpv6NetworkCidr": "2001:db8:81::/48",
                "OutsideIpAddressType": "PublicIpv4",
                "RemoteIpv4NetworkCidr": "10.83.0.0/16",
                "RemoteIpv6NetworkCidr": "2001:db8:83::/48",
                "StaticRoutesOnly": True,
                "TunnelInsideIpVersion": "ipv6",
                "Tags": TAGS,
            },
            needs=("VpnGatewayId",),
        ),
    ),
    "AWS::EC2::VPNConnectionRoute": (
        Sample(
            ("ec2 DescribeVpnConnections VpnConnectionIds=[$Tunnel]",),
            {"DestinationCidrBlock": "10.87.0.0/16", "VpnConnectionId": "$Tunnel"},
        ),
    ),
    "AWS::EC2::VPNGateway": (
        Sample(
            ("ec2 DescribeVpnGateways VpnGatewayIds=[{Ref}]",),
            {"Type": "ipsec.1", "AmazonSideAsn": 65041, "Tags": TAGS},
        ),
    ),
    "AWS::EC2::VPNGatewayRoutePropagation": (
        Sample((_TABLE,), {"RouteTableIds": ["$Table"], "VpnGatewayId": "$Private"}),
    ),
}
