"""Models in a VPC, and the VPC that has all they need."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from aws_cdk import aws_ec2 as ec2
from aws_cdk.assertions import Match, Template

from sagemaker_serving.infra import ContainerImage, Model, ModelData, Network, PrivateVpc
from sagemaker_serving.local_sagemaker.models.network_access import NEEDED

PLACE = Network(subnet_ids=["subnet-1", "subnet-2"], security_group_ids=["sg-1"])


def add_model(bench: Any, construct_id: str = "Model", **changes: Any) -> Model:
    return Model(
        bench.stack,
        construct_id,
        role=bench.role,
        image=ContainerImage.from_catalog("tensorflow", "2.20"),
        model_data=ModelData.from_path(bench.model_folder),
        instance_type="ml.c5.large",
        **changes,
    )


def test_a_model_stands_in_the_subnets_it_was_given(bench: Any) -> None:
    add_model(bench, network=PLACE)
    Template.from_stack(bench.stack).has_resource_properties(
        "AWS::SageMaker::Model",
        {"VpcConfig": {"Subnets": ["subnet-1", "subnet-2"], "SecurityGroupIds": ["sg-1"]}},
    )


def test_without_a_network_nothing_of_ec2_is_granted(bench: Any) -> None:
    add_model(bench)
    template = Template.from_stack(bench.stack)
    template.has_resource_properties("AWS::SageMaker::Model", {"VpcConfig": Match.absent()})
    assert "ec2:" not in json.dumps(template.find_resources("AWS::IAM::Policy"))


def test_interfaces_are_granted_for_these_subnets_and_groups_only(bench: Any) -> None:
    add_model(bench, network=PLACE)
    (policy,) = Template.from_stack(bench.stack).find_resources("AWS::IAM::Policy").values()
    (create,) = (
        statement
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        if "ec2:CreateNetworkInterface" in statement["Action"]
    )
    interfaces, *places = create["Resource"]
    assert below(interfaces) == ":network-interface/*"
    # The account is the owner's, which may have shared them.
    assert [below(place) for place in places] == [
        ":ec2:eu-west-1:*:subnet/subnet-1",
        ":ec2:eu-west-1:*:subnet/subnet-2",
        ":ec2:eu-west-1:*:security-group/sg-1",
    ]


def below(arn: Any) -> str:
    """The last literal part of a joined ARN."""
    last = arn["Fn::Join"][1][-1]
    assert isinstance(last, str)
    return last


def test_the_role_may_do_all_that_a_vpc_takes(bench: Any) -> None:
    add_model(bench, network=PLACE)
    (policy,) = Template.from_stack(bench.stack).find_resources("AWS::IAM::Policy").values()
    granted = {
        action
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        for action in (
            [statement["Action"]] if isinstance(statement["Action"], str) else statement["Action"]
        )
        if action.startswith("ec2:")
    }
    assert granted == {*NEEDED, "ec2:ModifyNetworkInterfaceAttribute"}


@pytest.mark.parametrize(
    "change",
    [{"network": PLACE}, {"network_isolation": True}],
    ids=["the network", "the isolation"],
)
def test_moving_a_model_replaces_it(new_bench: Callable[[], Any], change: dict[str, Any]) -> None:
    here, there = new_bench(), new_bench()
    add_model(here)
    add_model(there, **change)
    before, after = (
        set(Template.from_stack(bench.stack).find_resources("AWS::SageMaker::Model"))
        for bench in (here, there)
    )
    assert not before & after


def test_an_isolated_model_says_so(bench: Any) -> None:
    add_model(bench, network_isolation=True)
    Template.from_stack(bench.stack).has_resource_properties(
        "AWS::SageMaker::Model", {"EnableNetworkIsolation": True}
    )


def test_subnets_may_be_chosen(bench: Any) -> None:
    vpc = ec2.Vpc(bench.stack, "Vpc", max_azs=2)
    group = ec2.SecurityGroup(bench.stack, "Group", vpc=vpc)
    public = Network.in_vpc(
        vpc,
        security_groups=[group],
        subnets=ec2.SubnetSelection(subnet_type=ec2.SubnetType.PUBLIC),
    )
    assert public.subnet_ids == [subnet.subnet_id for subnet in vpc.public_subnets]


def test_a_private_vpc_has_no_way_out_and_the_doors_that_a_model_needs(bench: Any) -> None:
    private = PrivateVpc(bench.stack, "Private")
    caller = ec2.SecurityGroup(bench.stack, "Caller", vpc=private.vpc)
    private.add_door("Invoke", ec2.InterfaceVpcEndpointAwsService.SAGEMAKER_RUNTIME, caller)
    add_model(bench, network=private.network)
    template = Template.from_stack(bench.stack)
    template.resource_count_is("AWS::EC2::InternetGateway", 0)
    template.resource_count_is("AWS::EC2::NatGateway", 0)
    doors = template.find_resources("AWS::EC2::VPCEndpoint").values()
    names = sorted(
        json.dumps(door["Properties"]["ServiceName"]).rpartition(".")[2].rstrip('"]}')
        for door in doors
    )
    assert names == ["logs", "monitoring", "runtime", "s3"]


@pytest.mark.parametrize(("retain", "policy"), [(True, "Retain"), (False, "Delete")])
def test_the_log_of_the_traffic_shares_the_stacks_fate_only_when_told(
    bench: Any, retain: bool, policy: str
) -> None:
    PrivateVpc(bench.stack, "Private", retain_logs=retain)
    (log,) = Template.from_stack(bench.stack).find_resources("AWS::Logs::LogGroup").values()
    assert log["DeletionPolicy"] == policy
