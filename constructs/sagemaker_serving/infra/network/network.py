"""Where in a VPC a model's containers stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from constructs import Construct

from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.infra.synth.granting import grant
from sagemaker_serving.infra.synth.tokens import remembered, stack_of
from sagemaker_serving.spec.aws import aws_values
from sagemaker_serving.spec.network import ExistingNetwork


@dataclass(frozen=True, kw_only=True)
class Network:
    """Subnets and security groups for a Model's containers.

    1 to 16 subnets and 1 to 5 security groups of one VPC, which another account may have shared.
    Binding it lets the role attach network interfaces there and nowhere else.
    Source: API reference, VpcConfig.
    """

    subnet_ids: Sequence[str]
    security_group_ids: Sequence[str]
    _groups: Sequence[ec2.ISecurityGroup] = field(default=(), repr=False, compare=False)

    @classmethod
    def in_vpc(
        cls,
        vpc: ec2.IVpc,
        *,
        security_groups: Sequence[ec2.ISecurityGroup],
        subnets: ec2.SubnetSelection | None = None,
    ) -> Network:
        """Subnets of a CDK VPC: those selected, or else its private or isolated ones."""
        chosen = (
            vpc.select_subnets()
            if subnets is None
            else vpc.select_subnets(
                subnet_type=subnets.subnet_type,
                subnets=subnets.subnets,
                subnet_group_name=subnets.subnet_group_name,
                availability_zones=subnets.availability_zones,
                one_per_az=subnets.one_per_az,
                subnet_filters=subnets.subnet_filters,
            )
        )
        return cls(
            subnet_ids=chosen.subnet_ids,
            security_group_ids=[group.security_group_id for group in security_groups],
            _groups=security_groups,
        )

    @property
    def content(self) -> dict[str, Any]:
        """What makes two of them different, as plain data that may hold tokens."""
        return {
            "subnet_ids": list(self.subnet_ids),
            "security_group_ids": list(self.security_group_ids),
        }

    @property
    def members(self) -> dict[str, Any]:
        """The network as SageMaker's VpcConfig takes it."""
        return aws_values(ExistingNetwork, self.content)

    def connections(self, scope: Construct) -> ec2.Connections:
        """Who may call whom here: rules go to the security groups, imported where only their ids
        are known."""
        groups = self._groups or [
            ec2.SecurityGroup.from_security_group_id(scope, f"SecurityGroup{number}", each)
            for number, each in enumerate(self.security_group_ids)
        ]
        return ec2.Connections(security_groups=list(groups))

    def bind(self, scope: Construct, role: iam.IGrantable) -> None:
        """Lets ``role`` attach SageMaker's network interfaces to these subnets.

        The account in the ARN of a subnet or a group is its owner's, which is not this one where it
        is shared. Its id is no other's in any account. Sources: SageMaker developer guide, roles,
        "CreateModel API" with a VPC, and hosted endpoints in your VPC, which adds
        DescribeVpcEndpoints. That ModifyNetworkInterfaceAttribute is needed is unverified. Their
        resources, none for Describe*: service authorization reference, Amazon EC2. The owner: AWS
        RAM user guide, "How AWS RAM works with IAM", from which it is inferred that EC2 judges
        shared subnets so.
        """
        stack = stack_of(scope)
        interfaces = stack.format_arn(
            service="ec2", resource="network-interface", resource_name="*"
        )
        places = [
            stack.format_arn(service="ec2", account="*", resource=kind, resource_name=name)
            for kind, names in (
                ("subnet", self.subnet_ids),
                ("security-group", self.security_group_ids),
            )
            for name in names
        ]
        make = ["ec2:CreateNetworkInterface", "ec2:ModifyNetworkInterfaceAttribute"]
        grant(role, make, interfaces, *places)
        use = [
            "ec2:CreateNetworkInterfacePermission",
            "ec2:DeleteNetworkInterface",
            "ec2:DeleteNetworkInterfacePermission",
        ]
        grant(role, use, interfaces)
        seen = ["DhcpOptions", "NetworkInterfaces", "SecurityGroups", "Subnets"]
        seen += ["VpcEndpoints", "Vpcs"]
        grant(role, [f"ec2:Describe{kind}" for kind in seen], "*")
        acknowledge_wildcard(
            role, interfaces, "SageMaker makes the interfaces; their ids are not known before"
        )
        for place in places:
            acknowledge_wildcard(
                role, place, "It may be shared by another account, whose ARN it then has"
            )
        acknowledge_wildcard(role, "*", "Network interfaces and subnets are described as a whole")


def network_of(
    scope: Construct,
    network: Network | None,
    vpc: ec2.IVpc | None,
    vpc_subnets: ec2.SubnetSelection | None,
    security_groups: Sequence[ec2.ISecurityGroup],
) -> Network | None:
    """Where ``scope`` stands: in ``network``, or in ``vpc``, with a group of its own unless given
    others; None for SageMaker's own network.

    Raises `Mistake` for both, and for subnets or groups without their VPC.
    """
    if vpc is None and vpc_subnets is None and not security_groups:
        return network
    if vpc is None or network is not None:
        raise Mistake(
            f"{scope.node.path}: vpc_subnets and security_groups go with vpc, and none of them "
            "with network; give vpc, or network alone"
        )
    groups = security_groups or [
        ec2.SecurityGroup(
            scope, "SecurityGroup", vpc=vpc, description="Model containers; nothing may call in"
        )
    ]
    return Network.in_vpc(vpc, security_groups=groups, subnets=vpc_subnets)


def connections_of(scope: Construct, network: Network | None) -> ec2.Connections:
    """The connections of what stands in ``network``; raises `Mistake` for what is in no VPC."""
    if network is None:
        raise Mistake(
            f"{scope.node.path}: it stands in no VPC, and has no connections; give it a vpc"
        )
    made: ec2.Connections = remembered(scope, "connections", lambda: network.connections(scope))
    return made
