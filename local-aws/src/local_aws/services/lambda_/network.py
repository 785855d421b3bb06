"""The network that a function is in: nothing is routed, but what it names is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from local_aws.services.lambda_.limits import invalid


def vpc_config(ec2: Any, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """A function's VpcConfig, as Lambda answers it. ``ec2`` is a client of the function's region.

    Security groups are looked for first, and nothing given takes the function out of its network.
    Raises AwsError InvalidParameterValueException (all recorded by LocalStack's suite, 2025).
    """
    subnets, groups = wanted.get("SubnetIds") or [], wanted.get("SecurityGroupIds") or []
    found: list[dict[str, Any]] = []
    operation = "DescribeSecurityGroups"
    try:
        if groups:
            ec2.describe_security_groups(GroupIds=groups)
        operation = "DescribeSubnets"
        if subnets:
            found = ec2.describe_subnets(SubnetIds=subnets)["Subnets"]
    except ClientError as error:
        said = error.response["Error"]
        raise invalid(
            f"Error occurred while {operation}. EC2 Error Code: {said['Code']}. EC2 Error Message: "
            f"{said['Message']}"
        ) from None
    return {
        "SubnetIds": subnets,
        "SecurityGroupIds": groups,
        "VpcId": found[0]["VpcId"] if found else "",
        "Ipv6AllowedForDualStack": wanted.get("Ipv6AllowedForDualStack", False),
    }
