"""Samples of what stands in a network, and what reads it back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.local_aws.resources.samples.sample import POLICY, TAGS, Sample
from tests.local_aws.services.cloudformation.templates import resource

_VPC = {"VpcId": {"Ref": "Vpc"}}
_TABLE = "ec2 DescribeRouteTables RouteTableIds=[$Table]"
_RULES = "ec2 DescribeSecurityGroupRules SecurityGroupRuleIds=[{Ref}]"
_ADDRESSES = "ec2 DescribeAddresses"
_ENDPOINT = "ec2 DescribeVpcEndpoints VpcEndpointIds=[{Ref}]"
_FLOW_LOG = "ec2 DescribeFlowLogs FlowLogIds=[{Ref}]"
_TO_GATEWAY = {"RouteTableId": "$Table", "GatewayId": "$Gateway"}


GROUND: Mapping[str, Mapping[str, Any]] = {
    "Table": resource("EC2::RouteTable", **_VPC),
    "Gateway": resource("EC2::InternetGateway"),
    "Spare": resource("EC2::InternetGateway"),
    "Attached": resource("EC2::VPCGatewayAttachment", **_VPC, InternetGatewayId={"Ref": "Gateway"}),
    "Address": resource("EC2::EIP", Domain="vpc"),
    "Nat": resource("EC2::NatGateway", SubnetId={"Ref": "Subnet"}, ConnectivityType="private"),
    "Peer": resource("EC2::VPC", CidrBlock="10.99.0.0/16"),
}
"""What they refer to, beside `GROUND`."""

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::EC2::EIP": (
        Sample(
            (_ADDRESSES,),
            {"Domain": "vpc", "Address": "203.0.113.51", "Tags": TAGS},
            needs=("Domain",),
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
    "AWS::EC2::Route": (
        *(
            Sample((_TABLE,), {**_TO_GATEWAY, **to}, needs=("GatewayId", *to))
            for to in (
                {"DestinationCidrBlock": "10.51.0.0/16"},
                {"DestinationIpv6CidrBlock": "2001:db8:51::/48"},
            )
        ),
        Sample(
            (_TABLE,),
            {
                "RouteTableId": "$Table",
                "DestinationCidrBlock": "10.53.0.0/16",
                "NatGatewayId": "$Nat",
            },
            needs=("DestinationCidrBlock",),
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
            {"DestinationPrefixListId": "pl-0456"},
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
            {"SourcePrefixListId": "pl-0123"},
            {
                "SourceSecurityGroupId": "$Firewall.GroupId",
                "SourceSecurityGroupOwnerId": "123456789012",
            },
        )
    ),
    "AWS::EC2::Subnet": (
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
    ),
}
