"""ECR: repositories, which the emulator keeps."""

from __future__ import annotations

from moto.backends import get_backend

from local_aws.arn import Arn
from local_aws.permissions.service import ServicePermissions
from local_aws.service import Service

from .resources import EcrRepository


def _policy(arn: Arn) -> str | None:
    repositories = get_backend("ecr")[arn.account][arn.region].repositories
    found = repositories.get(arn.resource.removeprefix("repository/"))
    return None if found is None else found.policy


class Ecr(Service):
    """ECR: repositories, which the emulator keeps."""

    name = "ecr"
    invalid = "InvalidParameterException"
    permissions = ServicePermissions(
        prefix="ecr", owner_parameter="registryId", document_of=_policy
    )
    warm_up = "describe_repositories"
    types = (EcrRepository(),)
