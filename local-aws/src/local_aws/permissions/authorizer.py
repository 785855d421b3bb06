"""Requests are judged before they are done: by the caller's policies, and by those of resources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from local_aws.permissions.evaluator import (
    AccessDenied,
    PolicyEvaluator,
    account_principal,
    denial,
)
from local_aws.permissions.identities import AnyCaller, Developer, User, arn_of
from local_aws.permissions.need import Need
from local_aws.permissions.service import Refusal, ServicePermissions, permissions_of
from local_aws.permissions.sessions import RoleSession
from local_aws.policies.documents import MalformedPolicy
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call


class Authorizer:
    """Judges requests by who has signed them.

    A role's session, or a user of IAM, is judged by the policies attached to it and by those of
    what it calls. The developer may do everything but what a resource's policy denies to all.
    Whoever has not signed may do what is open to everyone. Whoever calls, a role that is handed
    to a service must let that service in. ``known`` is what services say of their calls, by
    boto3's names.
    """

    def __init__(self, evaluator: PolicyEvaluator, known: Mapping[str, ServicePermissions]) -> None:
        self._policies = evaluator
        self._known = known

    def judges(self, who: AnyCaller | None, service: str) -> bool:
        """Whether requests of ``who`` to a service are looked at.

        The developer's are where a role may be handed over, a policy forbid something to all, or
        another account be meant: its predictions are not, for speed.
        """
        own = permissions_of(service, self._known)
        return (
            not isinstance(who, Developer)
            or own.judges_owner
            or own.passed_role is not None
            or self._policies.has_several_accounts
        )

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
                self._judge_developer(who, call)
            if call is not None:
                self._refuse_what_is_not_trusted(call)
        except MalformedPolicy as malformed:
            raise AwsError("MalformedPolicyDocument", str(malformed)) from None

    def _judge(self, who: User | RoleSession, call: Call | None, scope: str) -> None:
        if call is None:
            raise AccessDenied(f"User: {who.arn} asks {scope} for nothing that it offers")
        own = permissions_of(call.service, self._known)
        for need in (
            *own.needs(call),
            *self._to_pass(call, own),
            *own.needs_if_absent(call),
        ):
            self._require(who, call, need, own.denied)

    def _judge_nobody(self, call: Call | None) -> None:
        """Only resources' policies speak of nobody; other open operations are open to all."""
        if call is None:
            raise _access_denied()
        own = permissions_of(call.service, self._known)
        if not own.judges_owner:
            return
        needs = [
            *own.needs(call),
            *own.needs_if_absent(call),
        ]
        if not all(
            self._policies.lets_everyone(need.action, need.resource, need.context) for need in needs
        ):
            raise _access_denied()

    def _require(self, who: AnyCaller, call: Call, need: Need, denied: Refusal) -> None:
        context = {"aws:RequestedRegion": call.region, **need.context}
        asked = (need.action, need.resource, context)
        arn = arn_of(who, call.region)
        if isinstance(who, Developer):
            decision = self._policies.decision_on_account(arn, *asked)
        else:
            decision = self._policies.decision(who, *asked)
        if not decision.allowed:
            message = denial(arn, need.action, need.resource, decision, quoted=need.quoted)
            raise AccessDenied(message, code=denied.code, status=denied.status)

    def _judge_developer(self, who: Developer, call: Call) -> None:
        own = permissions_of(call.service, self._known)
        developer = account_principal(arn_of(who, call.region))
        for need in own.needs(call) if self._policies.has_several_accounts else ():
            if self._policies.is_of_another(who.account, need.action, need.resource):
                self._require(who, call, need, own.denied)
        if not own.judges_owner or call.operation in _OWNERS_OWN:
            return
        for need in own.needs(call):
            if need.action.startswith(f"{own.prefix}:") and self._policies.forbids(
                developer, need.action, need.resource, need.context
            ):
                raise _access_denied()

    def _to_pass(self, call: Call, own: ServicePermissions) -> Iterator[Need]:
        rule = own.passed_role
        if rule is not None:
            for arn in rule.of(call):
                given = {"iam:passedtoservice": rule.principal}
                yield Need("iam:PassRole", arn, given, quoted=False)

    def _refuse_what_is_not_trusted(self, call: Call) -> None:
        """Raise the service's own error for a role that is not there or does not trust it.

        The service says for which resource it acts, in ``aws:SourceArn``. No role can be handed to
        a service in another account (serverless/serverless#3374 quotes the refusal).
        """
        own = permissions_of(call.service, self._known)
        rule = own.passed_role
        if rule is None:
            return
        for arn in rule.of(call):
            if self._policies.is_of_another(call.account, "iam:PassRole", arn):
                what = "Cross-account pass role is not allowed."
                raise AccessDenied(what, code=own.denied.code, status=own.denied.status)
            given = {"aws:SourceArn": own.needs(call)[0].resource}
            accepted = [rule.principal]
            if rule.regional:
                name = rule.principal.partition(".")[0]
                accepted.append(f"{name}.{call.region}.amazonaws.com")
            if not any(self._policies.trusts(arn, service, given) for service in accepted):
                raise rule.refusal(arn)


def _access_denied() -> AccessDenied:
    return AccessDenied("Access Denied", code="AccessDenied", status=403)


_OWNERS_OWN = ("GetBucketPolicy", "PutBucketPolicy", "DeleteBucketPolicy")
"""What a bucket's owner may do whatever its policy says, so that nobody is locked out for good
(S3 user guide, "Bucket policies")."""
