"""Networks by templates and through boto3: made, related, changed and deleted in AWS's order."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import get_att, ref, resource, template
from tests.local_aws.services.cloudformation.types.changes import changed_to, tags_of

VPC = resource("EC2::VPC", CidrBlock="10.0.0.0/16")


def test_a_vpc_with_its_ways_out_is_related_and_leaves_nothing(aws: Aws) -> None:
    ec2 = aws.client("ec2")
    before = _everything(ec2)
    body = template(
        {"Interface": get_att("Nat", "EniId"), "Way": ref("Way"), "Attached": ref("Attached")},
        Vpc=VPC,
        Gateway=resource("EC2::InternetGateway"),
        Attached=resource(
            "EC2::VPCGatewayAttachment", VpcId=ref("Vpc"), InternetGatewayId=ref("Gateway")
        ),
        Public=_subnet("10.0.1.0/24", {"Fn::Select": [0, {"Fn::GetAZs": ""}]}),
        Private=_subnet("10.0.2.0/24", {"Fn::Select": [1, {"Fn::GetAZs": ""}]}),
        Table=resource("EC2::RouteTable", VpcId=ref("Vpc")),
        OfPublic=_association("Public", "Table"),
        Way=resource(
            "EC2::Route",
            "Attached",
            RouteTableId=ref("Table"),
            DestinationCidrBlock="0.0.0.0/0",
            GatewayId=ref("Gateway"),
        ),
        Address=resource("EC2::EIP", "Way", Domain="vpc"),
        Nat=resource(
            "EC2::NatGateway",
            "Way",
            SubnetId=ref("Public"),
            AllocationId=get_att("Address", "AllocationId"),
        ),
        Inner=resource("EC2::RouteTable", VpcId=ref("Vpc")),
        OfPrivate=_association("Private", "Inner"),
        Out=resource(
            "EC2::Route",
            RouteTableId=ref("Inner"),
            DestinationCidrBlock="0.0.0.0/0",
            NatGatewayId=ref("Nat"),
        ),
        Firewall=resource("EC2::SecurityGroup", GroupDescription="ours", VpcId=ref("Vpc")),
        Endpoint=resource(
            "EC2::VPCEndpoint",
            VpcId=ref("Vpc"),
            ServiceName="com.amazonaws.eu-west-1.logs",
            VpcEndpointType="Interface",
            SubnetIds=[ref("Private")],
            SecurityGroupIds=[ref("Firewall")],
        ),
    )
    aws.create("ways", body)

    ids, outputs = aws.physical_ids("ways"), aws.outputs("ways")
    assert outputs["Way"] == f"{ids['Table']}|0.0.0.0/0"
    assert outputs["Attached"] == f"IGW|{ids['Vpc']}"
    (table,) = ec2.describe_route_tables(RouteTableIds=[ids["Inner"]])["RouteTables"]
    assert [each["SubnetId"] for each in table["Associations"]] == [ids["Private"]]
    assert ids["Nat"] in [each.get("NatGatewayId") for each in table["Routes"]]
    (address,) = ec2.describe_addresses(PublicIps=[ids["Address"]])["Addresses"]
    assert address["NetworkInterfaceId"] == outputs["Interface"]
    of_private = {"Name": "subnet-id", "Values": [ids["Private"]]}
    (interface,) = ec2.describe_network_interfaces(Filters=[of_private])["NetworkInterfaces"]
    assert interface["PrivateIpAddress"].startswith("10.0.2.")
    assert [group["GroupId"] for group in interface["Groups"]] == [ids["Firewall"]]

    assert aws.delete("ways")["StackStatus"] == "DELETE_COMPLETE"
    assert _everything(ec2) == before


def test_images_are_refused_by_name(aws: Aws) -> None:
    with pytest.raises(ClientError, match="does not offer DescribeImages of ec2"):
        aws.client("ec2").describe_images(Owners=["amazon"])


def test_a_range_that_is_associated_later_is_an_attribute_of_its_vpc(aws: Aws) -> None:
    blocks = {"Fn::Cidr": [{"Fn::Select": [0, get_att("Vpc", "Ipv6CidrBlocks")]}, 2, "64"]}
    body = template(
        {"Blocks": {"Fn::Join": [",", get_att("Vpc", "Ipv6CidrBlocks")]}},
        Vpc=VPC,
        Range=resource("EC2::VPCCidrBlock", VpcId=ref("Vpc"), AmazonProvidedIpv6CidrBlock=True),
        Subnet=resource(
            "EC2::Subnet",
            "Range",
            VpcId=ref("Vpc"),
            CidrBlock="10.0.3.0/24",
            Ipv6CidrBlock={"Fn::Select": [1, blocks]},
            AssignIpv6AddressOnCreation=True,
        ),
    )
    aws.create("range", body)

    subnet_id = aws.physical_ids("range")["Subnet"]
    (subnet,) = aws.client("ec2").describe_subnets(SubnetIds=[subnet_id])["Subnets"]
    (own,) = [each["Ipv6CidrBlock"] for each in subnet["Ipv6CidrBlockAssociationSet"]]
    assert aws.outputs("range")["Blocks"].endswith("::/56")
    assert own.endswith("1::/64")
    assert subnet["AssignIpv6AddressOnCreation"] is True
    assert aws.delete("range")["StackStatus"] == "DELETE_COMPLETE"


def test_what_is_changed_in_place_keeps_its_id(aws: Aws) -> None:
    ec2 = aws.client("ec2")

    def body(*, table: str, gateway: str) -> dict[str, Any]:
        return template(
            Vpc=VPC,
            One=resource("EC2::InternetGateway"),
            Attached=resource(
                "EC2::VPCGatewayAttachment", VpcId=ref("Vpc"), InternetGatewayId=ref(gateway)
            ),
            Two=resource("EC2::InternetGateway"),
            Subnet=_subnet("10.0.1.0/24", "eu-west-1a"),
            Table=resource("EC2::RouteTable", VpcId=ref("Vpc")),
            Other=resource("EC2::RouteTable", VpcId=ref("Vpc")),
            Association=_association("Subnet", table),
            Endpoint=resource(
                "EC2::VPCEndpoint",
                VpcId=ref("Vpc"),
                ServiceName="com.amazonaws.eu-west-1.s3",
                RouteTableIds=[ref(table)],
            ),
        )

    aws.create("change", body(table="Table", gateway="One"))
    old = aws.physical_ids("change")
    aws.update("change", body(table="Other", gateway="Two"))
    ids = aws.physical_ids("change")

    assert {name for name in ids if ids[name] != old[name]} == {"Association"}
    (other,) = ec2.describe_route_tables(RouteTableIds=[ids["Other"]])["RouteTables"]
    assert [each["SubnetId"] for each in other["Associations"]] == [ids["Subnet"]]
    assert ids["Endpoint"] in [each.get("GatewayId") for each in other["Routes"]]
    (table,) = ec2.describe_route_tables(RouteTableIds=[ids["Table"]])["RouteTables"]
    assert (table["Associations"], len(table["Routes"])) == ([], 1)
    gateways = ec2.describe_internet_gateways(InternetGatewayIds=[ids["One"], ids["Two"]])
    attached = {
        each["InternetGatewayId"]: bool(each["Attachments"])
        for each in gateways["InternetGateways"]
    }
    assert attached == {ids["One"]: False, ids["Two"]: True}
    assert aws.delete("change")["StackStatus"] == "DELETE_COMPLETE"


def test_a_route_to_nowhere_in_particular_fails_by_name(aws: Aws) -> None:
    body = template(
        Vpc=VPC,
        Table=resource("EC2::RouteTable", VpcId=ref("Vpc")),
        Route=resource("EC2::Route", RouteTableId=ref("Table"), GatewayId="local"),
    )
    assert aws.create("nowhere", body)["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "exactly one of [DestinationCidrBlock, " in str(aws.events("nowhere"))


def test_a_security_group_of_a_network_that_is_not_there_is_refused(aws: Aws) -> None:
    with pytest.raises(ClientError, match=r"InvalidVpcID\.NotFound"):
        aws.client("ec2").create_security_group(
            GroupName="none", Description="none", VpcId="vpc-0123456789abcdef0"
        )


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


def _subnet(cidr: str, zone: Any) -> dict[str, Any]:
    return resource("EC2::Subnet", VpcId=ref("Vpc"), CidrBlock=cidr, AvailabilityZone=zone)


def _association(subnet: str, table: str) -> dict[str, Any]:
    return resource(
        "EC2::SubnetRouteTableAssociation", SubnetId=ref(subnet), RouteTableId=ref(table)
    )


def _everything(ec2: Any) -> dict[str, list[str]]:
    """The ids of all that is there, by what it is; NAT gateways that are deleted are shown on."""
    found = {}
    for kind, name in {
        "vpcs": "VpcId",
        "subnets": "SubnetId",
        "route_tables": "RouteTableId",
        "network_acls": "NetworkAclId",
        "security_groups": "GroupId",
        "internet_gateways": "InternetGatewayId",
        "network_interfaces": "NetworkInterfaceId",
        "addresses": "AllocationId",
        "vpc_endpoints": "VpcEndpointId",
    }.items():
        answer = getattr(ec2, f"describe_{kind}")()
        del answer["ResponseMetadata"]
        found[kind] = sorted(each[name] for listed in answer.values() for each in listed)
    return found
