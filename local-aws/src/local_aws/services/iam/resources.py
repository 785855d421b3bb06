"""IAM: roles, users, inline policies and managed policies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from local_aws.faults import Kind
from local_aws.resources.api import ApiProvider
from local_aws.resources.base import (
    Attributes,
    Cancelled,
    Made,
    Properties,
    Request,
    ResourceFailed,
)
from local_aws.resources.declared import Declared

_PRINCIPALS = (("Roles", "Role"), ("Users", "User"))
"""The properties that name principals, and what the API's operations call them."""


def _be_slow(request: Request, operation: str) -> None:
    """Wait as a fault says, so that what needs a policy and does not wait for it comes first."""
    slow = request.context.faults.strike((Kind.SLOW,), "iam", operation, request.logical_id)
    if slow is not None and request.stop.wait(slow.delay_seconds):
        raise Cancelled


class _Identity(ApiProvider):
    """What policies are given to: attached ones and those of its own."""

    service = "iam"
    kind: str
    """What the API's operations call it."""

    @override
    def create(self, request: Request) -> str:
        key = f"{self.kind}Name"
        name: str = request.properties.get(key) or request.name(64)
        self.call(request, self.create_operation, request.properties, **{key: name})
        return name

    @override
    def complete(self, request: Request) -> Attributes:
        self._bring_policies(request, request.previous, request.properties)
        found = self.call(request, f"Get{self.kind}", **self._named(request))[self.kind]
        return {"Arn": found["Arn"], f"{self.kind}Id": found[f"{self.kind}Id"]}

    @override
    def delete(self, request: Request) -> None:
        self._bring_policies(request, request.properties, {})
        self.discard(request, f"Delete{self.kind}", **self._named(request))

    def _named(self, request: Request) -> dict[str, str]:
        return {f"{self.kind}Name": request.physical_id}

    def _bring_policies(self, request: Request, old: Properties, new: Properties) -> None:
        """Make its policies, attached and inline, from the old ones the new ones."""
        name = self._named(request)
        before, after = old.get("ManagedPolicyArns") or [], new.get("ManagedPolicyArns") or []
        for arn in before:
            if arn not in after:
                self.discard(request, f"Detach{self.kind}Policy", **name, PolicyArn=arn)
        for arn in after:
            if arn not in before:
                self.call(request, f"Attach{self.kind}Policy", **name, PolicyArn=arn)
        inline_before, inline_after = _inline(old), _inline(new)
        for policy in inline_before.keys() - inline_after.keys():
            self.discard(request, f"Delete{self.kind}Policy", **name, PolicyName=policy)
        for policy, document in inline_after.items():
            if inline_before.get(policy) != document:
                self.call(
                    request,
                    f"Put{self.kind}Policy",
                    **name,
                    PolicyName=policy,
                    PolicyDocument=document,
                )

    def _bring_boundary(self, request: Request) -> None:
        put, drop = (f"{verb}{self.kind}PermissionsBoundary" for verb in ("Put", "Delete"))
        self.switch(request, "PermissionsBoundary", put, drop, **self._named(request))


class Role(_Identity):
    """``AWS::IAM::Role``: Ref is the name."""

    type_name = "AWS::IAM::Role"
    name_property = "RoleName"
    kind = "Role"
    create_operation = "CreateRole"
    reading = "GetRole RoleName Role"
    adopts = True
    tag_operations = ("TagRole", "UntagRole")
    also_supported = frozenset({"ManagedPolicyArns", "Policies"})

    @override
    def update(self, request: Request) -> Attributes:
        name = self._named(request)
        wanted = request.properties
        if request.changed("AssumeRolePolicyDocument"):
            self.call(
                request,
                "UpdateAssumeRolePolicy",
                **name,
                PolicyDocument=wanted["AssumeRolePolicyDocument"],
            )
        if request.changed("Description", "MaxSessionDuration"):
            self.call(
                request,
                "UpdateRole",
                **name,
                Description=wanted.get("Description", ""),
                MaxSessionDuration=wanted.get("MaxSessionDuration", 3600),
            )
        self._bring_boundary(request)
        self._bring_policies(request, request.previous, wanted)
        self.retag(request, **name)
        return dict(request.attributes)


class User(_Identity):
    """``AWS::IAM::User``: Ref is the name."""

    type_name = "AWS::IAM::User"
    name_property = "UserName"
    kind = "User"
    create_operation = "CreateUser"
    reading = "GetUser UserName User"
    tag_operations = ("TagUser", "UntagUser")
    also_supported = frozenset({"ManagedPolicyArns", "Policies"})

    @override
    def update(self, request: Request) -> Attributes:
        if request.changed("Path"):
            path = request.properties.get("Path", "/")
            self.call(request, "UpdateUser", **self._named(request), NewPath=path)
        self._bring_boundary(request)
        self.retag(request, **self._named(request))
        self._bring_policies(request, request.previous, request.properties)
        found = self.call(request, "GetUser", **self._named(request))["User"]
        return {**request.attributes, "Arn": found["Arn"]}


class Policy(ApiProvider):
    """``AWS::IAM::Policy``: one inline policy in each principal that it names."""

    type_name = "AWS::IAM::Policy"
    service = "iam"
    create_operation = "PutRolePolicy"
    id_attribute = "Id"
    also_supported = frozenset({"Roles", "Users"})

    @override
    def create(self, request: Request) -> str:
        self._put(request)
        short = f"{request.stack_name[:4]}-{request.logical_id[:4]}"
        return f"{short}-{request.name(40).rsplit('-', 1)[-1]}"

    @override
    def update(self, request: Request) -> Attributes:
        self._put(request)
        kept = _principals(request.properties)
        renamed = request.changed("PolicyName")
        gone = [each for each in _principals(request.previous) if renamed or each not in kept]
        self._remove(request, request.previous["PolicyName"], gone)
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        self._remove(request, request.properties["PolicyName"], _principals(request.properties))

    def _put(self, request: Request) -> None:
        _be_slow(request, "PutRolePolicy")
        principals = _principals(request.properties)
        if not principals:
            raise ResourceFailed(
                "At least one of [Groups,Roles,Users] must be non-empty.", code=None
            )
        for kind, name in principals:
            self.call(request, f"Put{kind}Policy", request.properties, **{f"{kind}Name": name})

    def _remove(self, request: Request, policy: str, principals: list[tuple[str, str]]) -> None:
        for kind, name in principals:
            self.discard(request, f"Delete{kind}Policy", PolicyName=policy, **{f"{kind}Name": name})


class InlinePolicy(Declared):
    """``AWS::IAM::RolePolicy`` and its like: one inline policy of one principal."""

    service = "iam"

    def __init__(self, kind: str) -> None:
        put = f"Put{kind}Policy"
        super().__init__(f"AWS::IAM::{kind}Policy", put, f"Delete{kind}Policy", replace=put)

    @override
    def create(self, request: Request) -> str:
        _be_slow(request, "PutRolePolicy")
        return super().create(request)


class AccessKey(ApiProvider):
    """``AWS::IAM::AccessKey``: Ref is its id; another user or Serial makes another."""

    type_name = "AWS::IAM::AccessKey"
    service = "iam"
    create_operation = "CreateAccessKey"
    also_supported = frozenset({"Serial", "Status"})

    @override
    def create(self, request: Request) -> Made:
        key = self.call(request, self.create_operation, request.properties)["AccessKey"]
        key_id = str(key["AccessKeyId"])
        self._bring_status(request, key_id)
        attributes = {"Id": key_id, "SecretAccessKey": key["SecretAccessKey"]}
        return Made(physical_id=key_id, attributes=attributes)

    @override
    def update(self, request: Request) -> Attributes:
        self._bring_status(request, request.physical_id)
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        user, key_id = request.properties["UserName"], request.physical_id
        self.discard(request, "DeleteAccessKey", UserName=user, AccessKeyId=key_id)

    def _bring_status(self, request: Request, key_id: str) -> None:
        given = {"Status": "Active", **request.properties}
        self.call(request, "UpdateAccessKey", given, AccessKeyId=key_id)


class ManagedPolicy(ApiProvider):
    """``AWS::IAM::ManagedPolicy``: Ref is the ARN."""

    type_name = "AWS::IAM::ManagedPolicy"
    name_property = "ManagedPolicyName"
    service = "iam"
    create_operation = "CreatePolicy"
    also_supported = frozenset({"ManagedPolicyName", "Roles", "Users"})

    @override
    def create(self, request: Request) -> str:
        answer = self.call(
            request,
            "CreatePolicy",
            request.properties,
            PolicyName=request.properties.get("ManagedPolicyName") or request.name(128),
        )
        return str(answer["Policy"]["Arn"])

    @override
    def complete(self, request: Request) -> Attributes:
        _be_slow(request, "AttachRolePolicy")
        self._attach(request, [], _principals(request.properties))
        policy = self.call(request, "GetPolicy", PolicyArn=request.physical_id)["Policy"]
        return {
            "PolicyArn": request.physical_id,
            "PolicyId": policy["PolicyId"],
            "DefaultVersionId": policy["DefaultVersionId"],
            "IsAttachable": True,
        }

    @override
    def update(self, request: Request) -> Attributes:
        if request.changed("PolicyDocument"):
            self._drop_old_versions(request)
            self.call(
                request,
                "CreatePolicyVersion",
                request.properties,
                PolicyArn=request.physical_id,
                SetAsDefault=True,
            )
        self._attach(request, _principals(request.previous), _principals(request.properties))
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        self._attach(request, _principals(request.properties), [])
        self._drop_old_versions(request)
        self.discard(request, "DeletePolicy", PolicyArn=request.physical_id)

    def _attach(
        self, request: Request, old: list[tuple[str, str]], new: list[tuple[str, str]]
    ) -> None:
        arn = request.physical_id
        for kind, name in [each for each in old if each not in new]:
            self.discard(request, f"Detach{kind}Policy", PolicyArn=arn, **{f"{kind}Name": name})
        for kind, name in [each for each in new if each not in old]:
            self.call(request, f"Attach{kind}Policy", PolicyArn=arn, **{f"{kind}Name": name})

    def _drop_old_versions(self, request: Request) -> None:
        """Keep the default version alone: IAM holds five at most and deletes none by itself."""
        arn = request.physical_id
        versions = self.call(request, "ListPolicyVersions", PolicyArn=arn)["Versions"]
        for version in versions:
            if not version["IsDefaultVersion"]:
                self.call(
                    request, "DeletePolicyVersion", PolicyArn=arn, VersionId=version["VersionId"]
                )


def _inline(properties: Properties) -> Mapping[str, Any]:
    policies = properties.get("Policies") or []
    return {policy["PolicyName"]: policy["PolicyDocument"] for policy in policies}


def _principals(properties: Properties) -> list[tuple[str, str]]:
    return [(kind, name) for key, kind in _PRINCIPALS for name in properties.get(key) or []]
