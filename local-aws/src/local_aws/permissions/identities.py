"""Whoever calls by an access key: the developer, a user of IAM, a role's session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from local_aws.arn import arn_in
from local_aws.permissions.sessions import RoleSession, RoleSessions


class Identity(Protocol):
    """A caller that policies are attached to."""

    @property
    def arn(self) -> str:
        """As AWS's messages name the caller."""

    @property
    def principal_arn(self) -> str:
        """The ARN of the user or role whose policies count: ``aws:PrincipalArn``."""


@dataclass(frozen=True, kw_only=True)
class Developer:
    """Whoever runs the local AWS: the account itself, which may do everything."""

    account: str
    access_key_id: str
    secret_access_key: str = field(repr=False)
    session_token: str = ""
    expires_at: float | None = None


@dataclass(frozen=True, kw_only=True)
class User:
    """A user of IAM, by one of its access keys."""

    arn: str
    access_key_id: str
    secret_access_key: str = field(repr=False)
    session_token: str = ""
    expires_at: float | None = None

    @property
    def principal_arn(self) -> str:
        """Its own ARN."""
        return self.arn


AnyCaller = Developer | User | RoleSession


def arn_of(caller: AnyCaller, region: str) -> str:
    """As AWS's messages name who calls ``region``: the developer is the account's root there."""
    if isinstance(caller, Developer):
        return arn_in(region, "iam", caller.account, "root")
    return caller.arn


def find_holder(developer: Developer, sessions: RoleSessions) -> Callable[[str], AnyCaller | None]:
    """What finds the holder of an access key by its id; None for a key that nobody has."""

    def holder(access_key_id: str) -> AnyCaller | None:
        if access_key_id == developer.access_key_id:
            return developer
        return sessions.of(access_key_id) or _user(developer.account, access_key_id)

    return holder


def _user(account: str, access_key_id: str) -> User | None:
    """The user with that key, unless the key is turned off; the emulator keeps both."""
    from moto.backends import get_backend

    partitions = tuple(get_backend("iam")[account].values())
    users = (user for iam in partitions for user in tuple(iam.users.values()))
    for user in users:
        for key in tuple(user.access_keys):
            if key.access_key_id == access_key_id and key.status == "Active":
                return User(
                    arn=user.arn,
                    access_key_id=access_key_id,
                    secret_access_key=key.secret_access_key,
                )
    return None
