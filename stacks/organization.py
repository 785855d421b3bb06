"""What an organization demands of all that an environment's stacks make."""

from __future__ import annotations

import re

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.infra.synth.granting import grant
from sagemaker_serving.spec import ExistingNetwork
from sagemaker_serving.spec.organization import Organization

_INTERFACES = [
    f"ec2:{action}"
    for action in (
        *("CreateNetworkInterface", "DeleteNetworkInterface", "DescribeNetworkInterfaces"),
        *("DescribeSubnets", "AssignPrivateIpAddresses", "UnassignPrivateIpAddresses"),
    )
]
"""Source: Lambda developer guide, "Giving functions access to resources in an Amazon VPC"."""


def take_existing_roles(scope: Construct, organization: Organization) -> None:
    """Lets no construct below ``scope`` make a role; comes before the first of them."""
    if organization.roles:
        iam.Role.customize_roles(
            scope,
            prevent_synthesis=True,
            use_precreated_roles={
                f"{scope.node.path}/{path}": name for path, name in organization.roles.items()
            },
        )


def obey(scope: Construct, organization: Organization) -> None:
    """Does the rest to all that is below ``scope``; comes after the last of it."""
    boundary = organization.permissions_boundary_arn
    if boundary is not None:
        policy = iam.ManagedPolicy.from_managed_policy_arn(scope, "PermissionsBoundary", boundary)
        iam.PermissionsBoundary.of(scope).apply(policy)
    if organization.functions is not None:
        for node in scope.node.find_all():
            _stand_in(organization.functions, node)


def roles_missing(error: RuntimeError) -> list[str]:
    """What CDK's refusal of a build says that ``roles`` lacks; nothing where it refuses another."""
    paths = dict.fromkeys(re.findall(r'Role is being created at path "([^"]+)"', str(error)))
    return [
        f"organization.roles has no role for {path.partition('/')[2]}; add its name; what it must "
        "hold is in iam-policy-report.txt of the assembly"
        for path in paths
    ]


def _stand_in(network: ExistingNetwork, node: object) -> None:
    """Puts a function there, CDK's own ones too, and lets its role make network interfaces."""
    if isinstance(node, lambda_.Function):
        assert node.role is not None
        grant(node.role, _INTERFACES, "*").apply_before(node)
        acknowledge_wildcard(node.role, "*", "Lambda makes the interfaces, and names none before")
    if not isinstance(node, cdk.CfnResource) or node.cfn_resource_type != "AWS::Lambda::Function":
        return
    subnets, groups = network.subnet_ids, network.security_group_ids
    node.add_property_override("VpcConfig", {"SubnetIds": subnets, "SecurityGroupIds": groups})
    role = node.node.scope.node.try_find_child("Role") if node.node.scope is not None else None
    if isinstance(role, cdk.CfnResource):  # of a provider of CDK's own
        statement = {"Effect": "Allow", "Action": _INTERFACES, "Resource": "*"}
        document = {"Version": "2012-10-17", "Statement": [statement]}
        policies = [{"PolicyName": "Interfaces", "PolicyDocument": document}]
        role.add_property_override("Policies", policies)
