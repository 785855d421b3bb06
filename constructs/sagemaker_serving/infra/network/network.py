"""Where in a VPC a model's containers stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aws_cdk import aws_iam as iam
from constructs import Construct

from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.infra.synth.tokens import stack_of

if TYPE_CHECKING:
    from aws_cdk import aws_ec2 as ec2


@dataclass(frozen=True, kw_only=True)
class Network:
    """Subnets and security groups for a Model's containers.

    1 to 16 subnets and 1 to 5 security groups of one VPC, which another account may have shared.
    Binding it lets the role attach network interfaces there and nowhere else.
    Source: API reference, VpcConfig; read 2026-11-21.
    """

    subnet_ids: Sequence[str]
    security_group_ids: Sequence[str]

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
        )

    def bind(self, scope: Construct, role: iam.IGrantable) -> None:
        """Lets ``role`` attach SageMaker's network interfaces to these subnets.

        The account in the ARN of a subnet or a group is its owner's, which is not this one where
        it is shared; its id is no other's in any account. Sources: SageMaker developer guide,
        roles, "CreateModel API" with a VPC, and hosted endpoints in your VPC, which adds
        DescribeVpcEndpoints (that ModifyNetworkInterfaceAttribute is needed is unverified);
        service authorization reference, Amazon EC2, for their resources: none for Describe*; AWS
        RAM user guide, "How AWS RAM works with IAM", for the owner (that EC2 judges shared subnets
        so is inferred from it); read 2026-11-22.
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
        iam.Grant.add_to_principal(
            grantee=role,
            actions=["ec2:CreateNetworkInterface", "ec2:ModifyNetworkInterfaceAttribute"],
            resource_arns=[interfaces, *places],
        )
        iam.Grant.add_to_principal(
            grantee=role,
            actions=[
                "ec2:CreateNetworkInterfacePermission",
                "ec2:DeleteNetworkInterface",
                "ec2:DeleteNetworkInterfacePermission",
            ],
            resource_arns=[interfaces],
        )
        iam.Grant.add_to_principal(
            grantee=role,
            actions=[
                "ec2:DescribeDhcpOptions",
                "ec2:DescribeNetworkInterfaces",
                "ec2:DescribeSecurityGroups",
                "ec2:DescribeSubnets",
                "ec2:DescribeVpcEndpoints",
                "ec2:DescribeVpcs",
            ],
            resource_arns=["*"],
        )
        if isinstance(role, Construct):
            acknowledge_wildcard(
                role, interfaces, "SageMaker makes the interfaces; their ids are not known before"
            )
            for place in places:
                acknowledge_wildcard(
                    role, place, "It may be shared by another account, whose ARN it then has"
                )
            acknowledge_wildcard(
                role, "*", "Network interfaces and subnets are described as a whole"
            )
