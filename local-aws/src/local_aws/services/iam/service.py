"""IAM: users, roles and policies, which the emulator keeps."""

from __future__ import annotations

import re
from collections.abc import Iterable

from local_aws.permissions.documents import MalformedPolicy
from local_aws.permissions.service import Refusal, ServicePermissions
from local_aws.permissions.trust import refuse_untrustworthy
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.resources.base import Provider
from local_aws.service import Service

from . import moto
from .resources import Group, ManagedPolicy, Policy, Role, User

_TRUST = {
    "CreateRole": "AssumeRolePolicyDocument",
    "UpdateAssumeRolePolicy": "PolicyDocument",
}
"""The members that are trust policies."""

_SERVICE = re.compile(r"[\w-]+(\.[\w-]+)*\.amazonaws\.com(\.cn)?")


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

    def __init__(self, account: str) -> None:
        self._account = account

    def check(self, call: Call) -> None:
        """Raise `AwsError`, too, for a trust policy that can be none, and for what is no ARN of a
        policy."""
        super().check(call)
        given = call.parameters
        for name in ("PolicyArn", "PermissionsBoundary"):
            if name in given and not given[name].startswith("arn:"):
                raise AwsError("ValidationError", "Invalid ARN:  Could not be parsed!")
        trust = _TRUST.get(call.operation)
        if trust is not None:
            try:
                refuse_untrustworthy(given[trust], self._account)
            except MalformedPolicy as malformed:
                raise AwsError("MalformedPolicyDocument", str(malformed)) from None
        linked = given.get("AWSServiceName", "")
        if call.operation == "CreateServiceLinkedRole" and not _SERVICE.fullmatch(linked):
            raise AwsError("InvalidInput", f"{linked} is not a valid AWS service name")

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return (Group(), ManagedPolicy(), Policy(), Role(), User())

    def start(self) -> None:
        """Change the emulator."""
        moto.apply()
