"""The gateway's door for permissions: requests in a role's name are judged before they are done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs

from sagemaker_serving.local.protocol import AwsError

from . import s3_needs
from .api_calls import ApiCall, read_call
from .documents import MalformedPolicy
from .judge import NOBODY, AccessDenied, Judge, denial, user_principal
from .needs import Need, is_open, needs_of
from .passed_roles import passed_roles, refuse_what_is_not_trusted
from .principals import Principal
from .sessions import TEMPORARY, RoleSession, RoleSessions
from .state_machines import refuse_unprepared_role
from .sts import Sts

_CREDENTIAL = re.compile(r"(?:Credential=|^AWS )([^/:,\s]+)[/:]")


class Gate:
    """Judges requests by whose access key signs them.

    A key of a role's session is judged by that role's policies and by those of
    what it calls. A session's key that is not known is refused; any other key
    is the user's own, who may do everything but what a bucket's policy denies
    to all. Whoever calls, a role that is handed to a service must let that
    service in.
    """

    def __init__(self, sessions: RoleSessions, judge: Judge, account: str) -> None:
        self._sessions = sessions
        self._judge = judge
        self._account = account
        self._sts = Sts(sessions, judge, account)

    def admit(self, environ: dict[str, Any], *, region: str, scope: str) -> str | None:
        """Let one WSGI request pass; returns the answer of STS, as XML, to what it answers itself.

        Raises `AccessDenied`, or the called service's own refusal.
        """
        key = access_key_of(environ)
        session = self._sessions.of(key)
        if session is None and key.startswith(TEMPORARY):
            raise _unknown_session(scope)
        if session is None and not _concerns_all(environ, scope):
            return None
        call = read_call(environ, region=region, scope=scope)
        try:
            if session is not None:
                self._judge_role(session, call, scope)
            elif call is not None:
                self._judge_user(user_principal(self._account) if key else NOBODY, call)
            if call is not None and call.service == "sts":
                return self._sts.answer(call, session)
            if call is not None:
                refuse_what_is_not_trusted(call, self._judge, self._account)
            if call is not None and call.service == "stepfunctions":
                refuse_unprepared_role(call, self._sessions, self._judge, self._account)
        except MalformedPolicy as malformed:
            raise AwsError("MalformedPolicyDocument", str(malformed)) from None
        return None

    def _judge_role(self, session: RoleSession, call: ApiCall | None, scope: str) -> None:
        if call is None:
            raise AccessDenied(f"User: {session.arn} asks {scope} for nothing that it offers")
        for need in [*needs_of(call, self._account), *self._to_pass(call)]:
            self._require(session, call, need)
        if call.service == "s3":
            absent = s3_needs.missing_object(call, self._account)
            if absent is not None:
                self._require(session, call, absent)

    def _require(self, session: RoleSession, call: ApiCall, need: Need) -> None:
        if is_open(need):
            return
        context = {"aws:RequestedRegion": call.region, **need.context}
        decision = self._judge.decision(session, need.action, need.resource, context)
        if not decision.allowed:
            message = denial(session.arn, need.action, need.resource, decision, quoted=need.quoted)
            code, status = _REFUSALS.get(call.service, ("AccessDeniedException", 400))
            raise AccessDenied(message, code=code, status=status)

    def _judge_user(self, user: Principal, call: ApiCall) -> None:
        if call.service != "s3" or call.operation in _OWNERS_OWN:
            return
        for need in needs_of(call, self._account):
            if need.action.startswith("s3:") and self._judge.forbids(
                user, need.action, need.resource, need.context
            ):
                raise AccessDenied("Access Denied", code="AccessDenied", status=403)

    def _to_pass(self, call: ApiCall) -> Sequence[Need]:
        return [
            Need("iam:PassRole", passed.role_arn, {"iam:passedtoservice": passed.service}, False)
            for passed in passed_roles(call)
        ]


_JUDGED_FOR_ALL = frozenset(
    {"", "s3", "sagemaker", "states", "lambda", "events", "scheduler", "cloudformation", "sts"}
)
"""What even the user's requests are looked at for: buckets' policies, and roles that are passed."""

_OWNERS_OWN = ("GetBucketPolicy", "PutBucketPolicy", "DeleteBucketPolicy")
"""What a bucket's owner may do whatever its policy says, so that nobody is locked out for good
(S3 user guide, "Bucket policies", read 2026-11-21)."""

_REFUSALS = {
    "s3": ("AccessDenied", 403),
    "sns": ("AuthorizationError", 403),
    "sqs": ("AccessDenied", 403),
    "sts": ("AccessDenied", 403),
    "iam": ("AccessDenied", 403),
    "cloudformation": ("AccessDenied", 403),
    "cloudwatch": ("AccessDenied", 403),
    "lambda": ("AccessDeniedException", 403),
    "scheduler": ("AccessDeniedException", 403),
}
"""By service: code and status of its refusal, where they are not AccessDeniedException and 400."""


def access_key_of(environ: dict[str, Any]) -> str:
    """The access key that signs a request, in its headers or in its URL; "" when none does."""
    found = _CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
    if found is not None:
        return str(found[1])
    query = parse_qs(environ.get("QUERY_STRING", ""))
    credential = query.get("X-Amz-Credential") or query.get("AWSAccessKeyId") or [""]
    return str(credential[0]).partition("/")[0]


def _unknown_session(scope: str) -> AwsError:
    """For a session of an earlier run: nobody knows any more what it may do."""
    if scope == "s3":
        return AwsError(
            "InvalidAccessKeyId",
            "The AWS Access Key Id you provided does not exist in our records.",
            status=403,
        )
    message = "The security token included in the request is invalid."
    return AwsError("UnrecognizedClientException", message, status=403)


def _concerns_all(environ: dict[str, Any], scope: str) -> bool:
    """Whether even the user's requests are looked at; predictions are not, for speed."""
    return scope in _JUDGED_FOR_ALL and not environ["PATH_INFO"].startswith("/endpoints/")
