"""STS: credentials for those who may assume a role, and who one is with them.

Sources: STS API reference, AssumeRole and GetCallerIdentity; how wrong ARNs and
names are refused was recorded by LocalStack's suite.

A session has the tags that are asked for, and those that go on from role to role. Keys are told
apart whatever their case. Source: IAM user guide, "Pass session tags in AWS STS";
the refusals were recorded by LocalStack's suite.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.credentials import ACCOUNT_ID
from local_aws.permissions.deployed import role_of
from local_aws.permissions.evaluator import AccessDenied, denial
from local_aws.permissions.identities import AnyCaller, Developer, account_of, arn_of
from local_aws.permissions.service import Refusal, ServicePermissions
from local_aws.permissions.sessions import RoleSession
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.service import Action, Limit, Service

MIN_SECONDS, DEFAULT_SECONDS, MAX_SECONDS = 900, 3600, 43200
"""How long a session lasts (STS API reference, AssumeRole)."""

MEMBERS_ROLE = "role/OrganizationAccountAccessRole"
"""By which the first account's developer gets into any other."""

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

    limits = (
        Limit(
            "further accounts",
            "made when the first account's developer takes `OrganizationAccountAccessRole` of one; "
            "there is no Organizations API, and none is closed but by `local up --fresh`",
        ),
    )

    def __init__(self, context: LocalContext) -> None:
        self._context = context
        self._sessions = context.sessions
        self._evaluator = context.evaluator

    def actions(self) -> Mapping[str, Action]:
        """Every action that is not the emulator's, by the operation's name."""
        return {
            "AssumeRole": self._assume_role,
            "GetCallerIdentity": self._identity,
            **dict.fromkeys(_NOT_OFFERED, _refuse),
        }

    def _identity(self, call: Call) -> dict[str, Any] | None:
        """None for a user of IAM, whose id the emulator knows."""
        if not isinstance(call.caller, RoleSession | Developer):
            return None
        caller = call.caller
        return {
            "UserId": _user_id(caller),
            "Account": account_of(caller),
            "Arn": arn_of(caller, call.region),
        }

    def _assume_role(self, call: Call) -> dict[str, Any]:
        caller: AnyCaller = call.caller
        role, name = str(call.parameters["RoleArn"]), str(call.parameters["RoleSessionName"])
        for unknown in ("Policy", "PolicyArns", "Tags", "TransitiveTagKeys"):
            if call.parameters.get(unknown):
                raise AwsError("ValidationError", f"the local AWS does not follow {unknown} yet")
        parts = Arn.parse(role)
        if not (parts.partition and parts.service and parts.resource and role.startswith("arn:")):
            raise AwsError("ValidationError", f"{role} is invalid")
        if parts.resource == MEMBERS_ROLE:
            with self._context.accounts.lock:
                self._open_account(caller, parts, call.region)
        context: dict[str, str | tuple[str, ...]] = {"sts:RoleSessionName": name}
        if call.parameters.get("ExternalId"):
            context["sts:ExternalId"] = str(call.parameters["ExternalId"])
        own = arn_of(caller, call.region)
        who = None if isinstance(caller, Developer) else caller
        decision = self._evaluator.assuming(who, own, role, context, "sts:AssumeRole")
        if not decision.allowed:
            said = denial(own, "sts:AssumeRole", role, decision)
            raise AccessDenied(said, code="AccessDenied", status=403)
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

    def _open_account(self, caller: AnyCaller, role: Arn, region: str) -> None:
        """Make the account that a role is of, and the role, for the first account's developer.

        So AWS Organizations makes the role in each account that it makes: administrators of the
        first account, which manages the others, may take it (AWS Organizations user guide,
        "Accessing a member account that has OrganizationAccountAccessRole").
        """
        manages = isinstance(caller, Developer) and caller.account == ACCOUNT_ID
        is_account = re.fullmatch(r"\d{12}", role.account) is not None
        if not manages or not is_account or role.account == ACCOUNT_ID or role_of(str(role)):
            return
        iam = self._context.open_account(role.account).client("iam", region)
        name = MEMBERS_ROLE.partition("/")[2]
        managers = {"AWS": str(role._replace(account=ACCOUNT_ID, resource="root"))}
        statement = {"Effect": "Allow", "Principal": managers, "Action": "sts:AssumeRole"}
        iam.create_role(
            RoleName=name,
            AssumeRolePolicyDocument=json.dumps(
                {"Version": "2012-10-17", "Statement": [statement]}
            ),
        )
        everything = role._replace(account="aws", resource="policy/AdministratorAccess")
        iam.attach_role_policy(RoleName=name, PolicyArn=str(everything))


def _refuse(call: Call) -> NoReturn:
    raise AwsError(
        "ValidationError", f"the local AWS does not offer {call.operation}; use AssumeRole"
    )


def _user_id(caller: RoleSession | Developer) -> str:
    """``<role's id>:<session>``; the developer's is the account's."""
    if isinstance(caller, Developer):
        return caller.account
    role = role_of(caller.role_arn)
    return f"{'' if role is None else role.role_id}:{caller.session_name}"
