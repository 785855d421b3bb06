"""Instances, which run nothing."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import override

from local_aws.context import LocalContext
from local_aws.resources.base import Provider, Request, ResourceFailed
from local_aws.schemas import Place

from .part import Part

_CARRIED_OUT = (
    *("AvailabilityZone", "BlockDeviceMappings.DeviceName", "BlockDeviceMappings.Ebs.VolumeSize"),
    *("BlockDeviceMappings.Ebs.VolumeType", "IamInstanceProfile", "ImageId", "InstanceType"),
    *("KeyName", "PrivateIpAddress", "SecurityGroupIds", "SourceDestCheck", "SubnetId", "Tags"),
    "UserData",
)
"""What the emulator keeps of an instance's properties."""


def instances() -> Iterable[Provider]:
    """What stands in a network."""
    yield Instance(
        "AWS::EC2::Instance",
        "RunInstances",
        "TerminateInstances",
        id_argument="InstanceId",
        describe="DescribeInstances",
        attributes={
            "AvailabilityZone": "Instances.0.Placement.AvailabilityZone",
            "PrivateDnsName": "Instances.0.PrivateDnsName",
            "PrivateIp": "Instances.0.PrivateIpAddress",
            "PublicDnsName": "Instances.0.PublicDnsName",
            "PublicIp": "Instances.0.PublicIpAddress",
            "VpcId": "Instances.0.VpcId",
        },
        modify=("ModifyInstanceAttribute",),
        defaults={"SourceDestCheck": True},
        unchangeable=("IamInstanceProfile", "SecurityGroupIds"),
    )


class Instance(Part):
    """``AWS::EC2::Instance``: one at a time."""

    without_effect = frozenset(
        {
            *("BlockDeviceMappings.Ebs.DeleteOnTermination", "BlockDeviceMappings.Ebs.Iops"),
            *("CreditSpecification", "DisableApiTermination", "EbsOptimized", "Monitoring"),
            "InstanceInitiatedShutdownBehavior",
        }
    )

    @override
    def supports(self, context: LocalContext, region: str, place: Place) -> bool:
        name = f"{'.'.join(place)}."
        return any(
            name.startswith(f"{each}.") or f"{each}.".startswith(name) for each in _CARRIED_OUT
        )

    @override
    def arguments(self, request: Request) -> Mapping[str, Any]:
        given = dict(request.properties)
        zone, profile = (
            given.pop(name, None) for name in ("AvailabilityZone", "IamInstanceProfile")
        )
        if "UserData" in given:
            given["UserData"] = _decoded(given["UserData"])
        return {
            **given,
            "MinCount": 1,
            "MaxCount": 1,
            "Placement": zone and {"AvailabilityZone": zone},
            "IamInstanceProfile": profile and {"Name": profile},
        }


def _decoded(user_data: str) -> bytes:
    """What boto3 encodes again, as it does with that of no other operation."""
    try:
        return b64decode(user_data, validate=True)
    except ValueError:
        what = "Invalid BASE64 encoding of user data."
        raise ResourceFailed(what, code="InvalidRequest") from None
