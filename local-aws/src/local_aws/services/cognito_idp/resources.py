"""User pools and what is in them, made by the service's own API."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from typing_extensions import override

from local_aws.resources.api import ApiProvider, given
from local_aws.resources.base import Attributes, Properties, Provider, Request


class UserPool(ApiProvider):
    """``AWS::Cognito::UserPool``: Ref is its id."""

    type_name = "AWS::Cognito::UserPool"
    service = "cognito-idp"
    create_operation = "CreateUserPool"
    name_property = "UserPoolName"
    deletes = ("DeleteUserPool", "UserPoolId")
    also_supported = frozenset({"UserPoolName"})
    without_effect = frozenset(
        {
            *("EmailAuthenticationMessage", "EmailAuthenticationSubject", "EnabledMfas"),
            *("LambdaConfig", "WebAuthnFactorConfiguration", "WebAuthnRelyingPartyID"),
            "WebAuthnUserVerification",
        }
    )

    @override
    def create(self, request: Request) -> str:
        wanted = request.properties
        name = wanted.get("UserPoolName") or request.name(128)
        pool: str = self.call(request, "CreateUserPool", wanted, PoolName=name)["UserPool"]["Id"]
        return pool

    @override
    def complete(self, request: Request) -> Attributes:
        pool = self.call(request, "DescribeUserPool", UserPoolId=request.physical_id)["UserPool"]
        provider = f"cognito-idp.{request.region}.amazonaws.com/{pool['Id']}"
        return {
            "Arn": pool["Arn"],
            "ProviderName": provider,
            "ProviderURL": f"https://{provider}",
            "UserPoolId": pool["Id"],
        }

    @override
    def update(self, request: Request) -> Attributes:
        pool = {"UserPoolId": request.physical_id}
        name = request.properties.get("UserPoolName")
        self.call(request, "UpdateUserPool", request.properties, PoolName=name, **pool)
        old = [each["Name"] for each in request.previous.get("Schema", ())]
        added = [each for each in request.properties.get("Schema", ()) if each["Name"] not in old]
        if added:
            self.call(request, "AddCustomAttributes", CustomAttributes=added, **pool)
        return self.complete(request)


class _InPool(ApiProvider):
    """What is in a pool: ``stem`` is how its operations are called, ``named`` what names it."""

    service = "cognito-idp"
    named: str
    operations: tuple[str, str | None, str]
    """What makes it, what changes it (None: nothing does), and what takes it away."""

    def __init__(self) -> None:
        self.create_operation = self.operations[0]

    @override
    def create(self, request: Request) -> str:
        self.call(request, self.create_operation, self.wanted(request))
        return str(request.properties[self.named])

    @override
    def update(self, request: Request) -> Attributes:
        if self.operations[1] is not None:
            self.call(request, self.operations[1], self.wanted(request), **self.place(request))
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        self.discard(request, self.operations[2], **self.place(request))

    def wanted(self, request: Request) -> Properties:
        """What the operations are given."""
        return request.properties

    def place(self, request: Request) -> dict[str, Any]:
        """The arguments that name it."""
        return {"UserPoolId": request.properties["UserPoolId"], self.named: request.physical_id}


class Client(_InPool):
    """``AWS::Cognito::UserPoolClient``: Ref is its id."""

    type_name = "AWS::Cognito::UserPoolClient"
    named = "ClientId"
    name_property = "ClientName"
    operations = ("CreateUserPoolClient", "UpdateUserPoolClient", "DeleteUserPoolClient")

    @override
    def create(self, request: Request) -> str:
        answer = self.call(request, "CreateUserPoolClient", self.wanted(request))
        return str(answer["UserPoolClient"]["ClientId"])

    @override
    def complete(self, request: Request) -> Attributes:
        asked = self.call(request, "DescribeUserPoolClient", **self.place(request))
        found = asked["UserPoolClient"]
        return {"Name": found["ClientName"], **given(found, ("ClientId", "ClientSecret"))}

    @override
    def wanted(self, request: Request) -> Properties:
        return {"ClientName": request.name(128), **request.properties}


class Group(_InPool):
    """``AWS::Cognito::UserPoolGroup``: Ref is its name."""

    type_name = "AWS::Cognito::UserPoolGroup"
    named = "GroupName"
    name_property = "GroupName"
    operations = ("CreateGroup", "UpdateGroup", "DeleteGroup")

    @override
    def create(self, request: Request) -> str:
        name = str(request.properties.get("GroupName") or request.name(128))
        self.call(request, "CreateGroup", request.properties, GroupName=name)
        return name


class User(_InPool):
    """``AWS::Cognito::UserPoolUser``: Ref is its name. Every change is a new one."""

    type_name = "AWS::Cognito::UserPoolUser"
    named = "Username"
    name_property = "Username"
    operations = ("AdminCreateUser", None, "AdminDeleteUser")
    without_effect = frozenset(
        {"ClientMetadata", "DesiredDeliveryMediums", "ForceAliasCreation", "ValidationData"}
    )

    @override
    def create(self, request: Request) -> str:
        name = str(request.properties.get("Username") or request.name(128))
        self.call(request, "AdminCreateUser", request.properties, Username=name)
        return name


class Membership(_InPool):
    """``AWS::Cognito::UserPoolUserToGroupAttachment``: a user is of a group."""

    type_name = "AWS::Cognito::UserPoolUserToGroupAttachment"
    named = "GroupName"
    operations = ("AdminAddUserToGroup", None, "AdminRemoveUserFromGroup")

    @override
    def create(self, request: Request) -> str:
        self.call(request, self.create_operation, request.properties)
        return "|".join(
            str(request.properties[name]) for name in ("UserPoolId", "GroupName", "Username")
        )

    @override
    def place(self, request: Request) -> dict[str, Any]:
        return dict(request.properties)


def providers() -> Iterable[Provider]:
    """Every type of user pools that is carried out."""
    return (UserPool(), Client(), Group(), User(), Membership())
