"""Credentials that stand for a role, as STS hands them out."""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass, field, replace

from local_aws.arn import Arn

TEMPORARY = "ASIA"
"""How access keys of sessions begin (IAM user guide, "IAM identifiers")."""


@dataclass(frozen=True, kw_only=True)
class RoleSession:
    """A role that somebody has assumed: what signs its calls, and who it is."""

    role_arn: str
    session_name: str
    access_key_id: str
    secret_access_key: str = field(repr=False)
    session_token: str = field(repr=False)
    expires_at: float | None = None
    """When it ends, in seconds since the epoch; None for one that the local AWS uses itself."""
    of_service: bool = False
    """Whether a service acts by it, or code that it runs, and no client of STS."""

    @property
    def principal_arn(self) -> str:
        """The ARN of the role, whose policies are the session's."""
        return self.role_arn

    @property
    def arn(self) -> str:
        """``arn:aws:sts::<account>:assumed-role/<role>/<session>``, as AWS's messages name it."""
        own = Arn.parse(self.role_arn)
        name = own.resource.rpartition("/")[2]
        session = f"assumed-role/{name}/{self.session_name}"
        return str(own._replace(service="sts", resource=session))


class RoleSessions:
    """Every session of this local AWS, by its access key."""

    def __init__(self) -> None:
        self._by_key: dict[str, RoleSession] = {}
        self._by_role: dict[tuple[str, str], RoleSession] = {}
        self._lock = threading.Lock()

    def assume(self, role_arn: str, session_name: str) -> RoleSession:
        """The local AWS's own session in this role; the same pair gives the same credentials."""
        with self._lock:
            session = self._by_role.get((role_arn, session_name))
            if session is None:
                session = self._add(_new(role_arn, session_name, of_service=True))
                self._by_role[role_arn, session_name] = session
            return session

    def hand_out(
        self, role_arn: str, session_name: str, seconds: int, *, of_service: bool = False
    ) -> RoleSession:
        """A new session which ends in so many seconds: for a client of STS, or for a service."""
        now = time.time()
        with self._lock:
            for ended in [key for key, each in self._by_key.items() if _is_long_over(each, now)]:
                del self._by_key[ended]
            made = _new(role_arn, session_name, of_service=of_service)
            return self._add(replace(made, expires_at=now + seconds))

    def _add(self, session: RoleSession) -> RoleSession:
        self._by_key[session.access_key_id] = session
        return session

    def of(self, access_key_id: str) -> RoleSession | None:
        """Whose key it is; None for any that is no session's."""
        return self._by_key.get(access_key_id)


_REMEMBERED_SECONDS = 3600
"""How long a session that has ended is still told from one that never was."""


def _is_long_over(session: RoleSession, now: float) -> bool:
    return session.expires_at is not None and session.expires_at < now - _REMEMBERED_SECONDS


def _new(role_arn: str, session_name: str, *, of_service: bool) -> RoleSession:
    return RoleSession(
        role_arn=role_arn,
        session_name=session_name,
        access_key_id=TEMPORARY + secrets.token_hex(8).upper(),
        secret_access_key=secrets.token_urlsafe(30),
        session_token=secrets.token_urlsafe(60),
        of_service=of_service,
    )
