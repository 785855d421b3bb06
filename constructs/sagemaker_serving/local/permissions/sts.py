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
from .judge import AccessDenied, Judge, denial
from .sessions import RoleSession, RoleSessions

DEFAULT_SECONDS = 3600

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

    def answer(self, call: ApiCall, caller: RoleSession | None) -> str | None:
        """The answer as XML; None for what the emulator answers. Raises `AwsError`."""
        if call.operation == "AssumeRole":
            return self._assume_role(call, caller)
        if call.operation == "GetCallerIdentity" and caller is not None:
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

    def _assume_role(self, call: ApiCall, caller: RoleSession | None) -> str:
        role, name = str(call.parameters["RoleArn"]), str(call.parameters["RoleSessionName"])
        for unknown in ("Policy", "PolicyArns"):
            if call.parameters.get(unknown):
                raise AwsError("ValidationError", f"the local AWS does not follow {unknown} yet")
        context = {"sts:RoleSessionName": name}
        if call.parameters.get("ExternalId"):
            context["sts:ExternalId"] = str(call.parameters["ExternalId"])
        decision = self._judge.assuming(caller, self._account, role, context)
        if not decision.allowed:
            arn = caller.arn if caller is not None else f"arn:aws:iam::{self._account}:root"
            raise AccessDenied(
                denial(arn, "sts:AssumeRole", role, decision), code="AccessDenied", status=403
            )
        session = self._sessions.assume(role, name)
        seconds = int(call.parameters.get("DurationSeconds") or DEFAULT_SECONDS)
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


def _user_id(session: RoleSession) -> str:
    """``AROA…:<session>``; the role's part is made from its ARN."""
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
