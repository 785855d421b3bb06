"""Judges what is done in a role's name by that role's policies, as they are deployed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from local_aws.arn import Arn
from local_aws.policies.documents import Policy, Statement
from local_aws.policies.evaluation import Call, Decision, Policies, decide
from local_aws.policies.principals import EVERYONE, Principal
from local_aws.protocol import AwsError

if TYPE_CHECKING:
    from local_aws.permissions.deployed import Attached
    from local_aws.permissions.identities import Identity
    from local_aws.permissions.service import DocumentOf

Given = Mapping[str, str | tuple[str, ...]]
"""Condition keys of one call; keys in any case."""


EVERYTHING = Policy(
    name="the user of the local AWS",
    statements=(Statement(effect="Allow", actions=("*",)),),
)
"""What the account's own user may do."""


NOBODY = Principal(account="anonymous")
"""Whoever sends a request without a signature."""


class AccessDenied(AwsError):
    """A caller may not do what it was about to do; the message is AWS's."""

    def __init__(
        self, message: str, *, code: str = "AccessDeniedException", status: int = 400
    ) -> None:
        super().__init__(code, message, status=status)


class PolicyEvaluator:
    """Says whether a role or user may do something now, and remembers that it was asked.

    Policies are read anew for each call, so a change holds from the next call
    on; on AWS it takes seconds to spread.
    """

    def __init__(self) -> None:
        self.trail = Trail()
        """What was judged until now."""
        self._accounts: set[str] = set()
        self._more: dict[tuple[str, str], DocumentOf] = {}

    def take_policies_from(self, account: str, service: str, document_of: DocumentOf) -> None:
        """Ask ``document_of`` for the policies of a service's resources in an account."""
        self._accounts.add(account)
        self._more[account, service] = document_of

    @property
    def has_several_accounts(self) -> bool:
        """Whether this local AWS has more than one account."""
        return len(self._accounts) > 1

    def is_of_another(self, account: str, action: str, resource: str) -> bool:
        """Whether this is done to a resource of another account of this local AWS."""
        return bool(self._other_owner(account, action, resource))

    def allows(
        self, who: Identity, action: str, resource: str, context: Given | None = None
    ) -> bool:
        """Whether it may: ``allows(session, "logs:PutLogEvents", "arn:aws:logs:…")``."""
        return self.decision(who, action, resource, context).allowed

    def require(self, who: Identity, action: str, resource: str) -> None:
        """Raise `AccessDenied`, in AWS's words, unless it may."""
        decision = self.decision(who, action, resource)
        if not decision.allowed:
            raise AccessDenied(denial(who.arn, action, resource, decision))

    def decision(
        self, who: Identity, action: str, resource: str, context: Given | None = None
    ) -> Decision:
        """The judgement on one call of a role or user, and why. Raises `MalformedPolicy`."""
        from local_aws.permissions import deployed

        attached = deployed.attached_to(who.principal_arn)
        principal = principal_of(who)
        call = Call(
            principal=principal,
            action=action,
            resource=resource,
            context=_context(principal, resource, _tags_of(attached), context or {}),
            owner=self._other_owner(principal.account, action, resource),
        )
        policies = deployed.policies_of(attached, resource, self._more)
        if attached is None:  # the caller is gone: nobody is there to be granted anything
            return decide(call, policies)
        return self._decide(call, policies)

    def decision_on_account(
        self, root_arn: str, action: str, resource: str, context: Given
    ) -> Decision:
        """The judgement on one call of an account's own user, and why. Raises `MalformedPolicy`."""
        from local_aws.permissions import deployed

        principal = account_principal(root_arn)
        call = Call(
            principal=principal,
            action=action,
            resource=resource,
            context=_context(principal, resource, {}, context),
            owner=self._other_owner(principal.account, action, resource),
        )
        policy = deployed.resource_policy(resource, self._more)
        return self._decide(call, Policies(identity=(EVERYTHING,), resource=policy))

    def assuming(
        self,
        caller: Identity | None,
        arn: str,
        role_arn: str,
        context: Given,
        action: str = "sts:AssumeRole",
    ) -> Decision:
        """Whether ``arn`` may assume a role: a role's session, a user, or the account (None).

        Its trust policy must name the caller, or the account and then the caller's policies.
        """
        from local_aws.permissions import deployed

        attached = None if caller is None else deployed.attached_to(caller.principal_arn)
        principal = account_principal(arn) if caller is None else principal_of(caller)
        own = (EVERYTHING,) if caller is None else ()
        assumed = deployed.role_of(role_arn)
        call = Call(
            principal=principal,
            action=action,
            resource=role_arn,
            context=_context(principal, role_arn, _tags_of(attached), context),
            owner=self._other_owner(principal.account, action, role_arn),
        )
        trust = None if assumed is None else assumed.trust
        return self._decide(
            call,
            Policies(
                identity=own if attached is None else attached.policies,
                boundary=None if attached is None else attached.boundary,
                resource=trust,
                resource_decides=True,
            ),
        )

    def trusts(self, role_arn: str, service: str, context: Given | None = None) -> bool:
        """Whether there is such a role and it lets ``service`` in: ``sagemaker.amazonaws.com``."""
        from local_aws.permissions import deployed

        role = deployed.role_of(role_arn)
        if role is None:
            return False
        account = Arn.parse(role_arn).account
        principal = Principal(account=account, service=service)
        given = {"aws:SourceAccount": account, **(context or {})}
        call = Call(
            principal=principal,
            action="sts:AssumeRole",
            resource=role_arn,
            context=_context(principal, role_arn, {}, given),
        )
        return self._decide(call, Policies(resource=role.trust, resource_decides=True)).allowed

    def lets_service(self, service: str, action: str, resource: str, context: Given) -> bool:
        """Whether the resource's own policy lets a service of AWS in: ``sns.amazonaws.com``."""
        from local_aws.permissions import deployed

        principal = Principal(account=Arn.parse(resource).account, service=service)
        call = Call(
            principal=principal,
            action=action,
            resource=resource,
            context=_context(
                principal, resource, {}, {"aws:PrincipalIsAWSService": "true", **context}
            ),
        )
        policy = deployed.resource_policy(resource, self._more)
        return self._decide(call, Policies(resource=policy, resource_decides=True)).allowed

    def forbids(self, principal: Principal, action: str, resource: str, context: Given) -> bool:
        """Whether the resource's own policy forbids this to a caller who may do all else."""
        from local_aws.permissions import deployed

        policy = deployed.resource_policy(resource, self._more)
        known = _context(principal, resource, {}, context)
        return policy is not None and policy.denies_to(principal, action, resource, known)

    def lets_everyone(self, action: str, resource: str, context: Given) -> bool:
        """Whether the resource's own policy, or a list of S3, lets in whoever has no key at all."""
        from local_aws.permissions import deployed

        policy = deployed.resource_policy(resource, self._more)
        known = _context(NOBODY, resource, {}, context)
        if policy is not None and policy.denies_to(NOBODY, action, resource, known):
            return False
        if deployed.is_public_by_list(action, resource):
            return True
        if policy is None or deployed.has_no_public_policy(resource):
            return False
        return EVERYONE in policy.allowed_as(NOBODY, action, resource, known)

    def _other_owner(self, account: str, action: str, resource: str) -> str:
        """The owner of another account's resource; a bucket's name that is taken is told so."""
        from local_aws.permissions import deployed

        if action == "s3:CreateBucket":
            return ""
        owner = deployed.owner_of(resource)
        return owner if owner in self._accounts and owner != account else ""

    def _decide(self, call: Call, policies: Policies) -> Decision:
        decision = decide(call, policies)
        self.trail.add(call, decision)
        return decision


def denial(
    arn: str, action: str, resource: str, decision: Decision, *, quoted: bool = False
) -> str:
    """AWS's message; source: IAM user guide, "Troubleshoot access denied error messages". S3
    alone sets the resource in quotation marks."""
    place = f'"{resource}"' if quoted else resource
    return (
        f"User: {arn} is not authorized to perform: {action} on resource: {place} "
        f"{decision.because(action)}"
    )


def principal_of(who: Identity) -> Principal:
    """A role's session, or a user, as policies know it."""
    own = who.principal_arn
    role_arn = own if ":role/" in own else ""
    return Principal(account=Arn.parse(own).account, arn=who.arn, role_arn=role_arn)


def account_principal(root_arn: str) -> Principal:
    """The account itself, which may do everything."""
    return Principal(account=Arn.parse(root_arn).account, arn=root_arn)


def _context(
    principal: Principal, resource: str, tags: Mapping[str, str], given: Given
) -> dict[str, tuple[str, ...]]:
    """The global condition keys that are known here, and those that the call itself has."""
    from local_aws.permissions import deployed

    now = datetime.now(UTC)
    owner = deployed.owner_of(resource) or principal.account
    known: dict[str, str] = {
        "aws:securetransport": "true",  # the loopback counts as TLS
        "aws:sourceip": "127.0.0.1",
        "aws:currenttime": now.isoformat(timespec="seconds"),
        "aws:epochtime": str(int(now.timestamp())),
        "aws:resourceaccount": owner,
        "s3:resourceaccount": owner,
        "aws:viaawsservice": "false",
        "aws:principalisawsservice": "false",
    }
    if not principal.service:
        known |= {
            "aws:principalaccount": principal.account,
            "aws:principalarn": principal.role_arn or principal.arn,
            "aws:principaltype": _type_of(principal),
        }
        if ":user/" in principal.arn:
            known["aws:username"] = principal.arn.rpartition("/")[2]
    known |= {f"aws:principaltag/{key.lower()}": value for key, value in tags.items()}
    context: dict[str, tuple[str, ...]] = {key: (value,) for key, value in known.items()}
    for key, value in given.items():
        context[key.lower()] = (value,) if isinstance(value, str) else value
    return context


def _tags_of(attached: Attached | None) -> Mapping[str, str]:
    """A role's or user's own tags."""
    return {} if attached is None else attached.tags


def _type_of(principal: Principal) -> str:
    if principal.role_arn:
        return "AssumedRole"
    return "User" if ":user/" in principal.arn else "Account"


MOST_ENTRIES = 10_000
"""Different judgements that are kept; the one not seen for longest goes first."""

_PASSING = frozenset({"aws:currenttime", "aws:epochtime"})


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A call that was judged, how, and how often it came again just so."""

    call: Call
    decision: Decision
    count: int = 1

    def as_json(self) -> dict[str, Any]:
        """As ``GET /_local/permissions`` answers it."""
        return {
            "principal": self.call.principal.arn or self.call.principal.service,
            "role": self.call.principal.role_arn,
            "action": self.call.action,
            "resource": self.call.resource,
            "allowed": self.decision.allowed,
            "reason": None if self.decision.allowed else self.decision.because(self.call.action),
            "count": self.count,
        }


@dataclass
class Trail:
    """The latest judgements, equal ones counted together."""

    _entries: OrderedDict[object, Judged] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, call: Call, decision: Decision) -> None:
        """Remember a judgement."""
        lasting = frozenset(item for item in call.context.items() if item[0] not in _PASSING)
        key = (call.principal, call.action, call.resource, lasting, decision)
        with self._lock:
            known = self._entries.pop(key, None)
            count = 1 if known is None else known.count + 1
            self._entries[key] = Judged(call=call, decision=decision, count=count)
            while len(self._entries) > MOST_ENTRIES:
                self._entries.popitem(last=False)

    def __iter__(self) -> Iterator[Judged]:
        """Every judgement that is kept, the latest last."""
        with self._lock:
            return iter(tuple(self._entries.values()))

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._entries.clear()
