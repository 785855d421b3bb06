"""STS: credentials for those who may assume a role, and who one is with them.

Source: STS API reference, AssumeRole and GetCallerIdentity, read 2026-11-21.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from xml.sax.saxutils import escape

from sagemaker_serving.local.protocol import AwsError

from .api_calls import ApiCall
from .identities import AnyCaller, Developer
from .judge import AccessDenied, Judge, denial
from .sessions import RoleSession, RoleSessions

MIN_SECONDS, DEFAULT_SECONDS, MAX_SECONDS = 900, 3600, 43200
"""How long a session lasts (STS API reference, AssumeRole, read 2026-11-21)."""

_NOT_OFFERED = (
    "AssumeRoleWithSAML",
    "AssumeRoleWithWebIdentity",
    "AssumeRoot",
    "GetFederationToken",
    "GetSessionToken",
)
"""The emulator's answers to these are credentials that nobody could judge."""


class Sts:
    """The actions of STS that are about roles; every other one is the emulator's."""

    def __init__(self, sessions: RoleSessions, judge: Judge, account: str) -> None:
        self._sessions = sessions
        self._judge = judge
        self._account = account

    def answer(self, call: ApiCall, caller: AnyCaller | None) -> str | None:
        """The answer as XML; None for what the emulator answers. Raises `AwsError`."""
        if call.operation == "AssumeRole" and caller is not None:
            return self._assume_role(call, caller)
        if call.operation == "GetCallerIdentity" and isinstance(caller, RoleSession | Developer):
            identity = {
                "UserId": _user_id(caller),
                "Account": self._account,
                "Arn": caller.arn,
            }
            return _response(call.operation, _elements(identity))
        if call.operation in _NOT_OFFERED:
            raise AwsError(
                "ValidationError", f"the local AWS does not offer {call.operation}; use AssumeRole"
            )
        return None

    def _assume_role(self, call: ApiCall, caller: AnyCaller) -> str:
        role, name = str(call.parameters["RoleArn"]), str(call.parameters["RoleSessionName"])
        for unknown in ("Policy", "PolicyArns"):
            if call.parameters.get(unknown):
                raise AwsError("ValidationError", f"the local AWS does not follow {unknown} yet")
        context = {"sts:RoleSessionName": name}
        if call.parameters.get("ExternalId"):
            context["sts:ExternalId"] = str(call.parameters["ExternalId"])
        who = None if isinstance(caller, Developer) else caller
        decision = self._judge.assuming(who, self._account, role, context)
        if not decision.allowed:
            raise AccessDenied(
                denial(caller.arn, "sts:AssumeRole", role, decision),
                code="AccessDenied",
                status=403,
            )
        seconds = int(call.parameters.get("DurationSeconds") or DEFAULT_SECONDS)
        if not MIN_SECONDS <= seconds <= MAX_SECONDS:
            raise AwsError(
                "ValidationError",
                f"1 validation error detected: Value '{seconds}' at 'durationSeconds' failed to "
                f"satisfy constraint: Member must have value from {MIN_SECONDS} to {MAX_SECONDS}",
            )
        session = self._sessions.hand_out(role, name, seconds)
        expires = datetime.now(UTC) + timedelta(seconds=seconds)
        credentials = {
            "AccessKeyId": session.access_key_id,
            "SecretAccessKey": session.secret_access_key,
            "SessionToken": session.session_token,
            "Expiration": expires.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        user = {"AssumedRoleId": _user_id(session), "Arn": session.arn}
        return _response(
            call.operation,
            f"<AssumedRoleUser>{_elements(user)}</AssumedRoleUser>"
            f"<Credentials>{_elements(credentials)}</Credentials>",
        )


def _user_id(caller: RoleSession | Developer) -> str:
    """``AROA…:<session>``, the role's part made from its ARN; the developer's is the account's."""
    if isinstance(caller, Developer):
        return caller.account
    session = caller
    return (
        f"AROA{sha256(session.role_arn.encode()).hexdigest()[:17].upper()}:{session.session_name}"
    )


def _elements(values: Mapping[str, str]) -> str:
    return "".join(f"<{name}>{escape(value)}</{name}>" for name, value in values.items())


def _response(operation: str, result: str) -> str:
    return (
        f'<{operation}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/">'
        f"<{operation}Result>{result}</{operation}Result>"
        f"<ResponseMetadata><RequestId>{uuid.uuid4()}</RequestId></ResponseMetadata>"
        f"</{operation}Response>"
    )
