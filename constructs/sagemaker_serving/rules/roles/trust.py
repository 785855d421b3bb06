"""Rules on whom a role trusts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from local_aws.policies.documents import Policy
from local_aws.policies.patterns import Context, matches
from local_aws.policies.principals import Principal
from local_aws.template.regions import URL_SUFFIXES
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts.roles import RoleTrustFacts
from sagemaker_serving.rules.roles.reading import most_permissive

_SOURCE = "IAM user guide, pass a role to a service; each service's page on its role"
_ASSUMING: tuple[str, str, Context] = ("sts:AssumeRole", "*", {})


@rule(
    source=_SOURCE,
    example="ExecutionRoleArn: !GetAtt Role.Arn   # whose Principal is ec2.amazonaws.com",
)
def role_trust(facts: RoleTrustFacts) -> Iterator[Finding]:
    """A role trusts the service that it is given to.

    The service refuses a role that it cannot assume, and the deploy fails. Trust under a condition
    counts as trust. Roles of other stacks pass unjudged.
    """
    if facts.trust.value is None:
        return
    policy = most_permissive(facts.trust.value)
    if policy is None:
        return
    trusted = _trusted(policy)
    region = facts.region.text
    means = [facts.service, *(name for name in trusted if _may_be(name, facts.service, region))]
    callers = [Principal(account="", service=name) for name in means]
    denied = policy.denies_to(callers[0], *_ASSUMING)
    if not denied and any(policy.allowed_as(caller, *_ASSUMING) for caller in callers):
        return
    said = "denies it that" if denied else f"trusts {', '.join(trusted) or 'nobody'}"
    yield facts.trust.finding(
        f"the role {facts.role} is given to {facts.service}, which has to assume it, and {said}; "
        f"allow {facts.service} sts:AssumeRole, or give another role"
    )


def _trusted(policy: Policy) -> list[str]:
    """Whom the policy lets assume the role, by their names in it."""
    return sorted(
        name
        for statement in policy.statements
        if statement.effect == "Allow" and statement.principals is not None
        if statement.covers(*_ASSUMING)
        for name in statement.principals.named
    )


def _may_be(named: str, service: str, region: str | None) -> bool:
    """Whether a principal, perhaps with ``*`` for what is unknown, is the service in ``region``.

    A service has a name in each partition, and some have one in each region.
    """
    name = service.removesuffix(".amazonaws.com")
    told = re.findall(r"[a-z]{2,4}(?:-[a-z]+)+-[0-9]", named) if region is None else [region]
    return any(
        matches(named, ".".join((name, *within, suffix)))
        for suffix in URL_SUFFIXES
        for within in ((), *((one,) for one in told or ["*"]))
    )
