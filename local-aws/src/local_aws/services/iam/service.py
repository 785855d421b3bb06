"""IAM: users, roles and policies, which the emulator keeps."""

from __future__ import annotations

from collections.abc import Iterable

from local_aws.permissions.service import Refusal, ServicePermissions
from local_aws.resources.base import Provider
from local_aws.service import Service

from . import moto
from .resources import Group, ManagedPolicy, Policy, Role, User


class Iam(Service):
    """IAM: users, roles and policies, which the emulator keeps."""

    name = "iam"
    permissions = ServicePermissions(
        prefix="iam",
        resources={"RoleName": "role/{}", "PolicyArn": "{}", "PolicyName": "policy/{}"},
        condition_keys={
            "iam:policyarn": "PolicyArn",
            "iam:permissionsboundary": "PermissionsBoundary",
        },
        denied=Refusal(code="AccessDenied", status=403),
        throttled=Refusal(code="Throttling", message="Rate exceeded"),
    )
    warm_up = "list_roles"

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return (Group(), ManagedPolicy(), Policy(), Role(), User())

    def start(self) -> None:
        """Change the emulator."""
        moto.apply()
