"""ECR: repositories, which the emulator keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from local_aws.permissions.service import ServicePermissions, first
from local_aws.protocol.call import Call
from local_aws.resources.base import Provider
from local_aws.service import Service

from .resources import EcrRepository, RegistryPolicy


def _repositories(call: Call) -> Iterator[str]:
    named = call.parameters.get("repositoryNames") or [call.parameters.get("repositoryName")]
    yield from (f"repository/{name}" for name in named if name is not None)
    arn = first(call.parameters, "resourceArn")
    if arn is not None:
        yield arn


class Ecr(Service):
    """ECR: repositories, which the emulator keeps."""

    name = "ecr"
    invalid = "InvalidParameterException"
    permissions = ServicePermissions(prefix="ecr", resources=_repositories)
    warm_up = "describe_repositories"

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return (EcrRepository(), RegistryPolicy())
