"""SSM: parameters, which the emulator keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from local_aws.permissions.service import ServicePermissions, first
from local_aws.protocol.call import Call
from local_aws.resources.base import Provider
from local_aws.service import Service

from .resources import SsmParameter


def _parameters(call: Call) -> Iterator[str]:
    several = call.parameters.get("Names")
    one = first(call.parameters, "Name", "Path")
    for name in several if isinstance(several, list) else [one]:
        if name is not None:
            yield name if name.startswith("arn:") else f"parameter/{name.lstrip('/')}"


class Ssm(Service):
    """SSM: parameters, which the emulator keeps."""

    name = "ssm"
    permissions = ServicePermissions(prefix="ssm", resources=_parameters)
    warm_up = "describe_parameters"

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return (SsmParameter(),)
