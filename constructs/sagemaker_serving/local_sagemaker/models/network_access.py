"""May a role put a model into its VPC? There is none here, but what that takes is judged."""

from __future__ import annotations

from local_aws.arn import arn_in
from local_aws.context import LocalContext
from sagemaker_serving.local_sagemaker.common.store import Resource
from sagemaker_serving.local_sagemaker.models.roles import SESSION_NAME

_INTERFACE, _ANY = ("network-interface",), ()
_EVERYWHERE = ("network-interface", "subnet", "security-group")

NEEDED = {
    "ec2:CreateNetworkInterface": _EVERYWHERE,
    "ec2:CreateNetworkInterfacePermission": _INTERFACE,
    "ec2:DeleteNetworkInterface": _INTERFACE,
    "ec2:DeleteNetworkInterfacePermission": _INTERFACE,
    "ec2:DescribeDhcpOptions": _ANY,
    "ec2:DescribeNetworkInterfaces": _ANY,
    "ec2:DescribeSecurityGroups": _ANY,
    "ec2:DescribeSubnets": _ANY,
    "ec2:DescribeVpcEndpoints": _ANY,
    "ec2:DescribeVpcs": _ANY,
}
"""The kinds of resources that each action is about; none: ``*``.

Sources: SageMaker developer guide, roles, "CreateModel API" with a VPC, and hosted endpoints in
your VPC; service authorization reference, Amazon EC2."""


class NetworkRefused(Exception):
    """The role may not put anything into the VPC; the message is a FailureReason."""


def check_network(
    context: LocalContext, role_arn: str | None, region: str, vpc: Resource | None
) -> None:
    """Raise `NetworkRefused` unless the role may do all that SageMaker does in a VPC in its name.

    Subnets and groups are taken to be the account's own. When AWS refuses, and in which words,
    is unverified; these are our own.
    """
    if vpc is None or role_arn is None:
        return
    session = context.sessions.assume(role_arn, SESSION_NAME)
    names = {
        "network-interface": ["*"],
        "subnet": vpc["Subnets"],
        "security-group": vpc["SecurityGroupIds"],
    }
    for action, kinds in NEEDED.items():
        arns = [
            arn_in(region, "ec2", context.account_id, f"{kind}/{name}")
            for kind in kinds
            for name in names[kind]
        ]
        for arn in arns or ["*"]:
            if not context.evaluator.allows(session, action, arn):
                raise NetworkRefused(
                    f"The role '{role_arn}' does not have {action} permission on {arn}, which "
                    "SageMaker needs to stand in the VPC."
                )
