"""Networks and security groups: made as they say, changed in place, deleted."""

from __future__ import annotations

from typing import Any

from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import (
    get_att,
    ref,
    resource,
    template,
)
from tests.local_aws.services.cloudformation.types.changes import changed_to, tags_of


def test_network(aws: Aws) -> None:
    ec2 = aws.client("ec2")
    vpc = resource(
        "EC2::VPC", CidrBlock="10.1.0.0/16", EnableDnsHostnames=True, Tags=tags_of("a=1")
    )
    subnet = resource(
        "EC2::Subnet", VpcId=ref("Vpc"), CidrBlock="10.1.1.0/24", MapPublicIpOnLaunch=True
    )
    out = {"IpProtocol": "-1", "CidrIp": "0.0.0.0/0", "Description": "all, as CDK writes it"}
    group = resource(
        "EC2::SecurityGroup",
        GroupDescription="ours",
        VpcId=ref("Vpc"),
        SecurityGroupEgress=[out],
        SecurityGroupIngress=[
            {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": "10.0.0.0/8"}
        ],
    )
    outputs = {"Default": get_att("Vpc", "DefaultSecurityGroup"), "Group": get_att("Group", "Id")}
    aws.create("network", template(outputs, Vpc=vpc, Subnet=subnet, Group=group))

    ids = aws.physical_ids("network")
    assert aws.outputs("network")["Group"] == ids["Group"]
    assert aws.outputs("network")["Default"].startswith("sg-")
    (found,) = ec2.describe_security_groups(GroupIds=[ids["Group"]])["SecurityGroups"]
    (allowed,) = found["IpPermissionsEgress"]
    assert allowed["IpRanges"] == [{"CidrIp": out["CidrIp"], "Description": out["Description"]}]

    other = {"IpProtocol": "udp", "FromPort": 53, "ToPort": 53, "SourceSecurityGroupId": ref("Old")}
    old = resource("EC2::SecurityGroup", GroupDescription="another", VpcId=ref("Vpc"))
    body = template(
        Vpc=changed_to(vpc, EnableDnsHostnames=None, Tags=tags_of("b=2")),
        Subnet=changed_to(subnet, MapPublicIpOnLaunch=None),
        Group=changed_to(group, SecurityGroupEgress=None, SecurityGroupIngress=[other]),
        Old=old,
    )
    assert aws.update("network", body)["StackStatus"] == "UPDATE_COMPLETE"

    old_id = aws.physical_ids("network")["Old"]
    (found,) = ec2.describe_security_groups(GroupIds=[ids["Group"]])["SecurityGroups"]
    (allowed,) = found["IpPermissions"]
    assert (allowed["FromPort"], allowed["UserIdGroupPairs"][0]["GroupId"]) == (53, old_id)
    assert found["IpPermissionsEgress"][0]["IpRanges"] == [{"CidrIp": "0.0.0.0/0"}]
    (found,) = ec2.describe_subnets(SubnetIds=[ids["Subnet"]])["Subnets"]
    assert found["MapPublicIpOnLaunch"] is False
    (found,) = ec2.describe_vpcs(VpcIds=[ids["Vpc"]])["Vpcs"]
    own = [tag for tag in found["Tags"] if not tag["Key"].startswith("aws:cloudformation:")]
    assert own == tags_of("b=2")
    names = ec2.describe_vpc_attribute(VpcId=ids["Vpc"], Attribute="enableDnsHostnames")
    assert names["EnableDnsHostnames"]["Value"] is False
    assert aws.delete("network")["StackStatus"] == "DELETE_COMPLETE"


def test_a_security_group_is_marked_as_its_stacks_and_found_after_a_change(aws: Aws) -> None:
    ec2 = aws.client("ec2")
    group = resource("EC2::SecurityGroup", GroupDescription="one", Tags=tags_of("a=1"))
    body = template({"Id": get_att("Group", "GroupId")}, Group=group)
    stack_id = aws.create("group", body)["StackId"]

    def found() -> dict[str, Any]:
        (group,) = ec2.describe_security_groups(GroupIds=[aws.outputs("group")["Id"]])[
            "SecurityGroups"
        ]
        return dict(group)

    name = found()["GroupName"]
    assert {tag["Key"]: tag["Value"] for tag in found()["Tags"]} == {
        "a": "1",
        "aws:cloudformation:logical-id": "Group",
        "aws:cloudformation:stack-id": stack_id,
        "aws:cloudformation:stack-name": "group",
    }

    rule = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "CidrIp": "10.0.0.0/8"}
    body["Resources"]["Group"] = changed_to(group, SecurityGroupIngress=[rule])
    assert aws.update("group", body)["StackStatus"] == "UPDATE_COMPLETE"

    assert found()["GroupName"] == name
    assert [each["FromPort"] for each in found()["IpPermissions"]] == [22]
    assert aws.physical_ids("group")["Group"] == found()["GroupId"]
    assert aws.delete("group")["StackStatus"] == "DELETE_COMPLETE"
    left = ec2.describe_security_groups()["SecurityGroups"]
    assert name not in [each["GroupName"] for each in left]
