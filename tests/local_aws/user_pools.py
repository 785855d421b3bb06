"""A user pool of a stack in which somebody signs in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PASSWORD = "Correct-horse1"
RESOURCES: dict[str, Any] = {
    "Pool": {
        "Type": "AWS::Cognito::UserPool",
        "Properties": {"Policies": {"PasswordPolicy": {"MinimumLength": 9}}},
    },
    "Client": {
        "Type": "AWS::Cognito::UserPoolClient",
        "Properties": {
            "UserPoolId": {"Ref": "Pool"},
            "ExplicitAuthFlows": ["ALLOW_USER_PASSWORD_AUTH"],
        },
    },
    "Ada": {
        "Type": "AWS::Cognito::UserPoolUser",
        "Properties": {"UserPoolId": {"Ref": "Pool"}, "Username": "ada"},
    },
    "Readers": {
        "Type": "AWS::Cognito::UserPoolGroup",
        "Properties": {"UserPoolId": {"Ref": "Pool"}, "GroupName": "readers"},
    },
    "Member": {
        "Type": "AWS::Cognito::UserPoolUserToGroupAttachment",
        "Properties": {
            "UserPoolId": {"Ref": "Pool"},
            "GroupName": {"Ref": "Readers"},
            "Username": {"Ref": "Ada"},
        },
    },
}
OUTPUTS = {name: {"Value": {"Ref": name}} for name in ("Pool", "Client")}


@dataclass(frozen=True)
class Tokens:
    """What somebody who has signed in has."""

    identity: str
    access: str


def sign_in(cognito: Any, pool: str, client: str, user: str = "ada") -> Tokens:
    """Sign a user in, with a password that an administrator has set."""
    cognito.admin_set_user_password(
        UserPoolId=pool, Username=user, Password=PASSWORD, Permanent=True
    )
    answer = cognito.initiate_auth(
        ClientId=client,
        AuthFlow="USER_PASSWORD_AUTH",
        AuthParameters={"USERNAME": user, "PASSWORD": PASSWORD},
    )["AuthenticationResult"]
    return Tokens(answer["IdToken"], answer["AccessToken"])
