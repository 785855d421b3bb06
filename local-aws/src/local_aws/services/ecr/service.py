"""ECR: repositories, which the emulator keeps."""

from __future__ import annotations

from collections.abc import Iterable

from local_aws.permissions.service import ServicePermissions
from local_aws.resources.base import Provider
from local_aws.service import Service

from .resources import EcrRepository, RegistryPolicy


class Ecr(Service):
    """ECR: repositories, which the emulator keeps."""

    name = "ecr"
    invalid = "InvalidParameterException"
    permissions = ServicePermissions(
        prefix="ecr",
        resources={
            "repositoryName": "repository/{}",
            "repositoryNames": "repository/{}",
            "resourceArn": "{}",
        },
    )
    warm_up = "describe_repositories"

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return (EcrRepository(), RegistryPolicy())
