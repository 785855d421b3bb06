"""The gateway's door for permissions: requests are judged before they are done."""

from __future__ import annotations

from collections.abc import Sequence

from sagemaker_serving.local.permissions import s3_needs
from sagemaker_serving.local.permissions.documents import MalformedPolicy
from sagemaker_serving.local.permissions.evaluator import (
    AccessDenied,
    PolicyEvaluator,
    account_principal,
    denial,
)
from sagemaker_serving.local.permissions.identities import AnyCaller, Developer, Identity
from sagemaker_serving.local.permissions.need import Need
from sagemaker_serving.local.permissions.needs import is_open, needs_of
from sagemaker_serving.local.permissions.passed_roles import (
    passed_roles,
    refuse_what_is_not_trusted,
)
from sagemaker_serving.local.permissions.sessions import RoleSessions
from sagemaker_serving.local.permissions.state_machines import refuse_unprepared_role
from sagemaker_serving.local.protocol import AwsError
from sagemaker_serving.local.protocol.call import Call


class Authorizer:
    """Judges requests by who has signed them.

    A role's session, or a user of IAM, is judged by the policies attached to it and by those of
    what it calls. The developer may do everything but what a bucket's policy denies to all.
    Whoever has not signed may do what is open to everyone. Whoever calls, a role that is handed
    to a service must let that service in.
    """

    def __init__(self, sessions: RoleSessions, evaluator: PolicyEvaluator, account: str) -> None:
        self._sessions = sessions
        self._policies = evaluator
        self._account = account

    def judges(self, who: AnyCaller | None, *, scope: str, path: str) -> bool:
        """Whether requests of ``who`` to a service are looked at.

        The developer's predictions are not, for speed.
        """
        if not isinstance(who, Developer):
            return True
        return scope in _JUDGED_FOR_ALL and not path.startswith("/endpoints/")

    def authorize(self, call: Call | None, who: AnyCaller | None, *, scope: str) -> None:
        """Let one call pass; None is a request that asks for nothing that there is.

        ``who`` has signed it, None stands for nobody. Raises `AccessDenied`, or the called
        service's own refusal.
        """
        if call is not None and call.malformed is not None:
            raise call.malformed  # before what could be read of it is judged
        try:
            if who is None:
                self._judge_nobody(call)
            elif not isinstance(who, Developer):
                self._judge(who, call, scope)
            elif call is not None:
                self._judge_developer(call)
            if call is None or call.service == "sts":
                return
            refuse_what_is_not_trusted(call, self._policies, self._account)
            if call.service == "stepfunctions":
                refuse_unprepared_role(call, self._sessions, self._policies, self._account)
        except MalformedPolicy as malformed:
            raise AwsError("MalformedPolicyDocument", str(malformed)) from None

    def _judge(self, who: Identity, call: Call | None, scope: str) -> None:
        if call is None:
            raise AccessDenied(f"User: {who.arn} asks {scope} for nothing that it offers")
        for need in [*needs_of(call, self._account), *self._to_pass(call), *self._absent(call)]:
            self._require(who, call, need)

    def _judge_nobody(self, call: Call | None) -> None:
        """Only S3 asks policies about nobody; the others' open operations are open to all."""
        if call is not None and call.service != "s3":
            return
        needs = [] if call is None else [*needs_of(call, self._account), *self._absent(call)]
        if not needs or not all(
            self._policies.lets_everyone(need.action, need.resource, need.context) for need in needs
        ):
            raise AccessDenied("Access Denied", code="AccessDenied", status=403)

    def _require(self, who: Identity, call: Call, need: Need) -> None:
        if is_open(need):
            return
        context = {"aws:RequestedRegion": call.region, **need.context}
        decision = self._policies.decision(who, need.action, need.resource, context)
        if not decision.allowed:
            message = denial(who.arn, need.action, need.resource, decision, quoted=need.quoted)
            code, status = _REFUSALS.get(call.service, ("AccessDeniedException", 400))
            raise AccessDenied(message, code=code, status=status)

    def _judge_developer(self, call: Call) -> None:
        developer = account_principal(self._account)
        if call.service != "s3" or call.operation in _OWNERS_OWN:
            return
        for need in needs_of(call, self._account):
            if need.action.startswith("s3:") and self._policies.forbids(
                developer, need.action, need.resource, need.context
            ):
                raise AccessDenied("Access Denied", code="AccessDenied", status=403)

    def _absent(self, call: Call) -> Sequence[Need]:
        """What one needs beside to be told that an object is not there."""
        absent = s3_needs.missing_object(call, self._account) if call.service == "s3" else None
        return [] if absent is None else [absent]

    def _to_pass(self, call: Call) -> Sequence[Need]:
        return [
            Need("iam:PassRole", passed.role_arn, {"iam:passedtoservice": passed.service}, False)
            for passed in passed_roles(call)
        ]


_JUDGED_FOR_ALL = frozenset(
    {"s3", "sagemaker", "states", "lambda", "events", "scheduler", "cloudformation"}
)
"""What even the developer's requests are looked at for: buckets' policies, and passed roles."""

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
