"""The decision on one call: which policies let it, which forbid it.

Sources: IAM user guide, "Policy evaluation logic" and, for a resource of another account,
"Cross-account policy evaluation logic"; for keys, KMS developer guide, "Key policies in AWS KMS". "
"No organizations, session policies or endpoint policies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from local_aws.policies.documents import Policy
from local_aws.policies.patterns import Context
from local_aws.policies.principals import EVERYONE, Principal

IDENTITY = "identity-based policy"
BOUNDARY = "permissions boundary"
RESOURCE = "resource-based policy"


@dataclass(frozen=True, kw_only=True)
class Call:
    """Who wants to do what to which resource; the context's keys are in lower case.

    ``owner`` is the account of the resource where that is another one than the caller's; else "".
    """

    principal: Principal
    action: str
    resource: str
    context: Context = field(default_factory=dict)
    owner: str = ""


@dataclass(frozen=True, kw_only=True)
class Policies:
    """What bears on a call: its caller's policies, and that of the resource.

    ``resource_decides``: without the resource's policy nothing is allowed, and
    the caller's own count only where that policy hands over to the account, as
    with KMS keys and with the trust policies of roles.
    """

    identity: Sequence[Policy] = ()
    boundary: Policy | None = None
    resource: Policy | None = None
    resource_decides: bool = False


@dataclass(frozen=True, kw_only=True)
class Decision:
    """Whether a call is allowed; if not, which kind of policy forbids or fails to allow it."""

    allowed: bool
    kind: str = ""
    explicit: bool = False

    def because(self, action: str) -> str:
        """Why not, as AWS's messages end ("Troubleshoot access denied error messages")."""
        if self.explicit:
            article = "an" if self.kind.startswith("i") else "a"
            return f"with an explicit deny in {article} {self.kind}"
        return f"because no {self.kind} allows the {action} action"


ALLOWED = Decision(allowed=True)


def decide(call: Call, policies: Policies) -> Decision:
    """Whether these policies allow the call. A deny wins; without an allow, it is denied."""
    what = (call.action, call.resource, call.context)
    if any(policy.denies(*what) for policy in policies.identity):
        return _denied(IDENTITY)
    if policies.boundary is not None and policies.boundary.denies(*what):
        return _denied(BOUNDARY)
    named: frozenset[str] = frozenset()
    if policies.resource is not None:
        if policies.resource.denies_to(call.principal, *what):
            return _denied(RESOURCE)
        named = policies.resource.allowed_as(call.principal, *what)
    return _without_a_deny(call, policies, named)


def _without_a_deny(call: Call, policies: Policies, named: frozenset[str]) -> Decision:
    what = (call.action, call.resource, call.context)
    who = call.principal
    if call.owner and not named:
        return _lacking(RESOURCE)
    # A boundary does not limit what a resource's policy gives to a session, or to everyone.
    if not call.owner and named & {who.arn, who.service, EVERYONE} - {""}:
        return ALLOWED
    bounded = policies.boundary is None or policies.boundary.allows(*what)
    if not call.owner and who.role_arn in named and who.role_arn:
        return ALLOWED if bounded else _lacking(BOUNDARY)
    if policies.resource_decides and not named:
        return _lacking(RESOURCE)
    if not any(policy.allows(*what) for policy in policies.identity):
        return _lacking(IDENTITY)
    return ALLOWED if bounded else _lacking(BOUNDARY)


def _denied(kind: str) -> Decision:
    return Decision(allowed=False, kind=kind, explicit=True)


def _lacking(kind: str) -> Decision:
    return Decision(allowed=False, kind=kind)
