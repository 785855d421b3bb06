"""Whoever calls by an access key: the developer, a user of IAM, a role's session."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from local_aws.arn import Arn, arn_in
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


def account_of(caller: AnyCaller) -> str:
    """The account whose caller it is."""
    return caller.account if isinstance(caller, Developer) else Arn.parse(caller.arn).account


def find_holder(
    developers: Callable[[], Iterable[Developer]], sessions: RoleSessions
) -> Callable[[str], AnyCaller | None]:
    """What finds the holder of an access key by its id; None for a key that nobody has.

    ``developers`` are those of every account.
    """

    def holder(access_key_id: str) -> AnyCaller | None:
        known = list(developers())
        own = (each for each in known if each.access_key_id == access_key_id)
        users = (_user(each.account, access_key_id) for each in known)
        found = next(own, None) or sessions.of(access_key_id)
        return found or next((each for each in users if each is not None), None)

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
