"""Samples of EC2."""

from __future__ import annotations

from collections.abc import Mapping

from tests.local_aws.resources.samples.sample import TAGS, Sample

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::EC2::SecurityGroup": (
        Sample(
            ("ec2 DescribeSecurityGroups GroupIds=[{Ref}]",),
            {
                "GroupName": "lost",
                "GroupDescription": "a property was lost",
                "VpcId": "$Vpc",
                "SecurityGroupIngress": [
                    {
                        "IpProtocol": "tcp",
                        "FromPort": 41,
                        "ToPort": 43,
                        "CidrIp": "10.1.2.0/24",
                        "Description": "comes in",
                    },
                    {
                        "IpProtocol": "udp",
                        "FromPort": 47,
                        "ToPort": 49,
                        "CidrIpv6": "2001:db8::/32",
                    },
                    {
                        "IpProtocol": "tcp",
                        "FromPort": 51,
                        "ToPort": 53,
                        "SourceSecurityGroupId": "$Firewall.GroupId",
                        "SourceSecurityGroupOwnerId": "123456789012",
                    },
                    {
                        "IpProtocol": "tcp",
                        "FromPort": 57,
                        "ToPort": 59,
                        "SourcePrefixListId": "pl-0123",
                    },
                ],
                "SecurityGroupEgress": [
                    {
                        "IpProtocol": "udp",
                        "FromPort": 61,
                        "ToPort": 63,
                        "CidrIp": "10.3.4.0/24",
                        "Description": "goes out",
                    },
                    {
                        "IpProtocol": "tcp",
                        "FromPort": 67,
                        "ToPort": 69,
                        "CidrIpv6": "2001:db9::/32",
                    },
                    {
                        "IpProtocol": "udp",
                        "FromPort": 71,
                        "ToPort": 73,
                        "DestinationSecurityGroupId": "$Firewall.GroupId",
                    },
                    {
                        "IpProtocol": "udp",
                        "FromPort": 77,
                        "ToPort": 79,
                        "DestinationPrefixListId": "pl-0456",
                    },
                ],
                "Tags": TAGS,
            },
            needs=("VpcId",),
        ),
    ),
    "AWS::EC2::Subnet": (
        Sample(
            ("ec2 DescribeSubnets SubnetIds=[{Ref}]",),
            {
                "VpcId": "$Vpc",
                "CidrBlock": "10.0.7.0/24",
                "AvailabilityZone": "eu-west-1c",
                "MapPublicIpOnLaunch": True,
                "Tags": TAGS,
            },
            needs=("CidrBlock", "AvailabilityZone"),
        ),
        Sample(
            ("ec2 DescribeSubnets SubnetIds=[{Ref}]",),
            {"VpcId": "$Vpc", "CidrBlock": "10.0.8.0/24", "AvailabilityZoneId": "euw1-az1"},
            needs=("CidrBlock", "AvailabilityZoneId"),
        ),
    ),
    "AWS::EC2::VPC": (
        Sample(
            (
                "ec2 DescribeVpcs VpcIds=[{Ref}]",
                "ec2 DescribeVpcAttribute VpcId={Ref} Attribute=enableDnsHostnames",
            ),
            {
                "CidrBlock": "10.7.0.0/16",
                "InstanceTenancy": "dedicated",
                "EnableDnsHostnames": True,
                "Tags": TAGS,
            },
            needs=("CidrBlock",),
        ),
        Sample(
            (
                "ec2 DescribeVpcs VpcIds=[{Ref}]",
                "ec2 DescribeVpcAttribute VpcId={Ref} Attribute=enableDnsSupport",
            ),
            {"CidrBlock": "10.7.0.0/16", "EnableDnsSupport": False},
            needs=("CidrBlock",),
        ),
    ),
}
