"""However many are asked for, a call ends: in AWS's answer to more than there may be."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.services.ec2.counts import MOST
from tests.local_aws.aws import Aws

ENDLESS = 2**31 - 1

IMAGE = {"ImageId": "ami-12c6146b", "InstanceType": "m5.large"}
HOSTS = {"InstanceType": "m5.large", "AvailabilityZone": "eu-west-1a"}


@pytest.mark.parametrize(
    ("operation", "member", "others", "code"),
    [
        ("run_instances", "MinCount", {"MaxCount": ENDLESS, **IMAGE}, "Instance"),
        ("allocate_hosts", "Quantity", HOSTS, "Host"),
        (
            "request_spot_instances",
            "InstanceCount",
            {"LaunchSpecification": IMAGE},
            "MaxSpotInstanceCount",
        ),
    ],
)
@pytest.mark.parametrize("count", [MOST + 1, ENDLESS])
def test_more_than_any_account_may_have_is_refused(
    aws: Aws, operation: str, member: str, others: dict[str, Any], code: str, count: int
) -> None:
    with pytest.raises(ClientError, match=f"{code}(Limit)?Exceeded.* at most {MOST} "):
        getattr(aws.client("ec2"), operation)(**others, **{member: count})


def test_an_interface_gets_as_many_addresses_as_its_subnet_has_left(aws: Aws) -> None:
    ec2 = aws.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.7.0.0/24")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.7.0.0/28")["Subnet"]["SubnetId"]
    for too_many in (11, ENDLESS):
        with pytest.raises(ClientError, match="InsufficientFreeAddressesInSubnet"):
            ec2.create_network_interface(SubnetId=subnet, SecondaryPrivateIpAddressCount=too_many)
    made = ec2.create_network_interface(SubnetId=subnet)["NetworkInterface"]["NetworkInterfaceId"]
    with pytest.raises(ClientError, match="InsufficientFreeAddressesInSubnet"):
        ec2.assign_private_ip_addresses(NetworkInterfaceId=made, SecondaryPrivateIpAddressCount=11)
    with pytest.raises(ClientError, match="InvalidParameterValue"):
        ec2.assign_private_ip_addresses(NetworkInterfaceId=made, SecondaryPrivateIpAddressCount=-1)
    ec2.assign_private_ip_addresses(NetworkInterfaceId=made, SecondaryPrivateIpAddressCount=10)
    (interface,) = ec2.describe_network_interfaces(NetworkInterfaceIds=[made])["NetworkInterfaces"]
    addresses = {each["PrivateIpAddress"] for each in interface["PrivateIpAddresses"]}
    assert len(addresses) == 11
