"""IAM: users, roles and policies, which the emulator keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from moto.backends import get_backend

from local_aws.permissions.identities import Developer, arn_of
from local_aws.permissions.service import Refusal, ServicePermissions, first
from local_aws.permissions.sessions import RoleSession
from local_aws.permissions.trust import refuse_untrustworthy
from local_aws.policies.documents import MalformedPolicy
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.service import Action, Limit, Service
from local_aws.template.regions import region_names

from . import moto
from .resources import AccessKey, InlinePolicy, ManagedPolicy, Policy, Role, User

_TRUST = {
    "CreateRole": "AssumeRolePolicyDocument",
    "UpdateAssumeRolePolicy": "PolicyDocument",
}
"""The members that are trust policies."""

_MOST_INLINE = {"Role": 10_240, "User": 2_048, "Group": 5_120}
"""Characters of all inline policies together, without white space (IAM user guide, "IAM and AWS STS
quotas")."""

_SERVICE = re.compile(r"[\w-]+(\.[\w-]+)*\.amazonaws\.com(\.cn)?")


_NAMED = {
    "RoleName": ("role", "roles"),
    "UserName": ("user", "users"),
    "GroupName": ("group", "groups"),
    "InstanceProfileName": ("instance-profile", "instance_profiles"),
    "PolicyName": ("policy", "managed_policies"),
}
"""By the member that names it, a kind and where the emulator keeps it."""


def _kept(call: Call) -> Any:
    return get_backend("iam")[call.account][region_names(call.region)["AWS::Partition"]]


def _refuse_too_long(call: Call) -> None:
    """Refuses an inline policy that is too long beside the others, in IAM's words, as
    aws/aws-cdk#12403 and danvk/mapsnap#483 have them."""
    given = call.parameters
    for kind, most in _MOST_INLINE.items():
        name = given.get(f"{kind}Name")
        if call.operation != f"Put{kind}Policy":
            continue
        documents = {given["PolicyName"]: given["PolicyDocument"]}
        for each in getattr(_kept(call), f"{kind.lower()}s").values():
            if each.name == name:
                documents = {**each.policies, **documents}
        if sum(len("".join(each.split())) for each in documents.values()) > most:
            what = f"Maximum policy size of {most} bytes exceeded for {kind.lower()} {name}"
            raise AwsError("LimitExceeded", what, status=409)


def _with_paths(call: Call) -> Iterator[str]:
    """What a call names; the ARN of what is there has its path, which only making it tells."""
    iam = _kept(call)
    for member, (kind, kept) in _NAMED.items():
        name = first(call.parameters, member)
        if name is not None:
            there = (each.arn for each in getattr(iam, kept).values() if each.name == name)
            yield next(there, f"{kind}{call.parameters.get('Path', '/')}{name}")


class Iam(Service):
    """IAM: users, roles and policies, which the emulator keeps."""

    name = "iam"
    limits = (
        Limit(
            "your own calls",
            "all are allowed, but for what the policy of a bucket denies to everyone",
        ),
        Limit("policies and tags of sessions", "refused by name"),
        Limit(
            "groups, passwords of users",
            "made by calls; those of a stack are only kept, or refused",
        ),
        Limit(
            "policies of organizations, VPC endpoints and access points",
            "not judged",
        ),
        Limit(
            "condition keys that [permissions](local-aws-apps.md#permissions) does not list",
            "count as absent from the call",
        ),
        Limit("whether a service that a trust policy names exists", "not known"),
    )
    permissions = ServicePermissions(
        prefix="iam",
        resources=_with_paths,
        condition_keys={
            "iam:policyarn": "PolicyArn",
            "iam:permissionsboundary": "PermissionsBoundary",
        },
        denied=Refusal(code="AccessDenied", status=403),
        throttled=Refusal(code="Throttling", message="Rate exceeded"),
    )
    warm_up = "list_roles"
    types = (
        *(InlinePolicy(kind) for kind in ("Role", "User")),
        *(ManagedPolicy(), Policy(), Role(), User(), AccessKey()),
    )

    def __init__(self) -> None:
        self._made_at = datetime.now(UTC)

    def check(self, call: Call) -> None:
        """Raise `AwsError`, too, for a trust policy that can be none, and for what is no ARN of a
        policy."""
        super().check(call)
        given = call.parameters
        for name in ("PolicyArn", "PermissionsBoundary"):
            if name in given and not given[name].startswith("arn:"):
                raise AwsError("ValidationError", "Invalid ARN:  Could not be parsed!")
        _refuse_too_long(call)
        trust = _TRUST.get(call.operation)
        if trust is not None:
            try:
                refuse_untrustworthy(given[trust], call.account)
            except MalformedPolicy as malformed:
                raise AwsError("MalformedPolicyDocument", str(malformed)) from None
        if isinstance(call.caller, RoleSession) and _is_about_the_caller(call):
            what = "Must specify userName when calling with non-User credentials"
            raise AwsError("ValidationError", what)
        linked = given.get("AWSServiceName", "")
        if call.operation == "CreateServiceLinkedRole" and not _SERVICE.fullmatch(linked):
            raise AwsError("InvalidInput", f"{linked} is not a valid AWS service name")

    def actions(self) -> Mapping[str, Action]:
        """Who asks for itself is known here; the emulator knows the users."""
        return {"GetUser": self._get_user}

    def _get_user(self, call: Call) -> dict[str, Any] | None:
        """The account's root has no name (IAM API reference, GetUser: "defaults to the user making
        the request"). None for a user of IAM."""
        if not (isinstance(call.caller, Developer) and _is_about_the_caller(call)):
            return None
        root = arn_of(call.caller, call.region)
        return {"User": {"UserId": call.account, "Arn": root, "CreateDate": self._made_at}}

    def start(self) -> None:
        """Change the emulator."""
        moto.apply()


def _is_about_the_caller(call: Call) -> bool:
    """Whether a user that may be named is not, and so is who calls."""
    shape = None if call.model is None else call.model.input_shape
    optional = shape is not None and "UserName" in shape.members.keys() - shape.required_members
    return optional and not call.parameters.get("UserName")
