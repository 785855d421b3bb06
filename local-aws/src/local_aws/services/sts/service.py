"""STS: credentials for those who may assume a role, and who one is with them.

Source: STS API reference, AssumeRole and GetCallerIdentity, read 2026-11-21.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, NoReturn

from local_aws.context import LocalContext
from local_aws.permissions.evaluator import AccessDenied, denial
from local_aws.permissions.identities import AnyCaller, Developer, arn_of
from local_aws.permissions.service import Refusal, ServicePermissions
from local_aws.permissions.sessions import RoleSession
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.protocol.validation import require_members
from local_aws.service import Action, Service

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


class Sts(Service):
    """The actions of STS that are about roles; every other one is the emulator's."""

    name = "sts"
    warm_up = "get_caller_identity"
    permissions = ServicePermissions(
        prefix="sts",
        resources={"RoleArn": "{}"},
        condition_keys={"sts:rolesessionname": "RoleSessionName", "sts:externalid": "ExternalId"},
        # AssumeRole is judged here, with the trust.
        open=frozenset({"GetCallerIdentity", "GetSessionToken", "AssumeRole"}),
        denied=Refusal(code="AccessDenied", status=403),
        throttled=Refusal(code="Throttling", message="Rate exceeded"),
    )

    def __init__(self, context: LocalContext) -> None:
        self._sessions = context.sessions
        self._evaluator = context.evaluator
        self._account = context.account_id

    def actions(self) -> Mapping[str, Action]:
        """Every action that is not the emulator's, by the operation's name."""
        return {
            "AssumeRole": self._assume_role,
            "GetCallerIdentity": self._identity,
            **dict.fromkeys(_NOT_OFFERED, _refuse),
        }

    def check(self, call: Call) -> None:
        """Raise `AwsError` ValidationError when a member that must be given is not."""
        require_members(call.model.input_shape, call.parameters, "ValidationError")

    def _identity(self, call: Call) -> dict[str, Any] | None:
        """None for a user of IAM, whose id the emulator knows."""
        if not isinstance(call.caller, RoleSession | Developer):
            return None
        caller = call.caller
        return {
            "UserId": _user_id(caller),
            "Account": self._account,
            "Arn": arn_of(caller, call.region),
        }

    def _assume_role(self, call: Call) -> dict[str, Any]:
        caller: AnyCaller = call.caller
        role, name = str(call.parameters["RoleArn"]), str(call.parameters["RoleSessionName"])
        for unknown in ("Policy", "PolicyArns"):
            if call.parameters.get(unknown):
                raise AwsError("ValidationError", f"the local AWS does not follow {unknown} yet")
        context = {"sts:RoleSessionName": name}
        if call.parameters.get("ExternalId"):
            context["sts:ExternalId"] = str(call.parameters["ExternalId"])
        own = arn_of(caller, call.region)
        who = None if isinstance(caller, Developer) else caller
        decision = self._evaluator.assuming(who, own, role, context)
        if not decision.allowed:
            raise AccessDenied(
                denial(own, "sts:AssumeRole", role, decision),
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
        return {
            "AssumedRoleUser": {"AssumedRoleId": _user_id(session), "Arn": session.arn},
            "Credentials": {
                "AccessKeyId": session.access_key_id,
                "SecretAccessKey": session.secret_access_key,
                "SessionToken": session.session_token,
                "Expiration": datetime.now(UTC) + timedelta(seconds=seconds),
            },
        }


def _refuse(call: Call) -> NoReturn:
    raise AwsError(
        "ValidationError", f"the local AWS does not offer {call.operation}; use AssumeRole"
    )


def _user_id(caller: RoleSession | Developer) -> str:
    """``AROA…:<session>``, the role's part made from its ARN; the developer's is the account's."""
    if isinstance(caller, Developer):
        return caller.account
    session = caller
    return (
        f"AROA{sha256(session.role_arn.encode()).hexdigest()[:17].upper()}:{session.session_name}"
    )
