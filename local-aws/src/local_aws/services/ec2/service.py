"""EC2's networks, which the emulator answers."""

from __future__ import annotations

from collections.abc import Iterable

from local_aws.resources.base import Provider
from local_aws.service import Service

from .resources import SecurityGroup, Subnet, Vpc


class Ec2(Service):
    """EC2's networks, which the emulator answers."""

    name = "ec2"

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation, beside those that the emulator makes itself."""
        return (SecurityGroup(), Subnet(), Vpc())
