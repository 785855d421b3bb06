"""The decision on a call: a deny wins, an allow is needed, a key's own policy comes first."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_aws.policies.documents import Policy, Statement
from local_aws.policies.evaluation import Call, Policies, decide
from local_aws.policies.principals import Principal, Principals

ROLE = "arn:aws:iam::1:role/r"
SESSION = "arn:aws:sts::1:assumed-role/r/s"
ROOT = "arn:aws:iam::1:root"
CALL = Call(
    principal=Principal(account="1", arn=SESSION, role_arn=ROLE),
    action="s3:GetObject",
    resource="arn:aws:s3:::b/k",
)


def policy(effect: str, *names: str, action: str = "s3:GetObject") -> Policy:
    assert effect in ("Allow", "Deny")
    statement = Statement(
        effect="Allow" if effect == "Allow" else "Deny",
        actions=(action,),
        principals=Principals(frozenset(names)) if names else None,
    )
    return Policy(name="p", statements=(statement,))


ALLOW, DENY = policy("Allow"), policy("Deny")
OTHER = policy("Allow", action="s3:PutObject")
LACKING = "because no {} allows the s3:GetObject action"


@pytest.mark.parametrize(
    ("policies", "reason"),
    [
        (Policies(), LACKING.format("identity-based policy")),
        (Policies(identity=[OTHER]), LACKING.format("identity-based policy")),
        (Policies(identity=[OTHER, ALLOW]), None),
        (Policies(identity=[ALLOW, DENY]), "with an explicit deny in an identity-based policy"),
        (Policies(identity=[ALLOW], boundary=ALLOW), None),
        (Policies(identity=[ALLOW], boundary=OTHER), LACKING.format("permissions boundary")),
        (Policies(identity=[ALLOW], boundary=DENY),
         "with an explicit deny in a permissions boundary"),
        (Policies(resource=policy("Allow", "*")), None),
        (Policies(resource=policy("Allow", SESSION), boundary=OTHER), None),
        (Policies(resource=policy("Allow", ROLE)), None),
        (Policies(resource=policy("Allow", ROLE), boundary=OTHER),
         LACKING.format("permissions boundary")),
        (Policies(resource=policy("Allow", ROOT)), LACKING.format("identity-based policy")),
        (Policies(resource=policy("Allow", ROOT), identity=[ALLOW]), None),
        (Policies(resource=policy("Deny", "*"), identity=[ALLOW]),
         "with an explicit deny in a resource-based policy"),
        (Policies(resource=policy("Deny", "arn:aws:iam::1:role/x"), identity=[ALLOW]), None),
        (Policies(identity=[ALLOW], resource_decides=True),
         LACKING.format("resource-based policy")),
        (Policies(identity=[ALLOW], resource=policy("Allow", "arn:aws:iam::1:role/x"),
          resource_decides=True), LACKING.format("resource-based policy")),
        (Policies(identity=[ALLOW], resource=policy("Allow", ROOT), resource_decides=True), None),
        (Policies(resource=policy("Allow", ROOT), resource_decides=True),
         LACKING.format("identity-based policy")),
        (Policies(resource=policy("Allow", ROLE), resource_decides=True), None),
    ],
)  # fmt: skip
def test_who_decides_within_one_account(policies: Policies, reason: str | None) -> None:
    decision = decide(CALL, policies)
    assert decision.allowed is (reason is None)
    if reason is not None:
        assert decision.because(CALL.action) == reason


STATEMENTS = st.builds(
    Statement,
    effect=st.sampled_from(["Allow", "Deny"]),
    actions=st.tuples(st.sampled_from(["*", "s3:*", "s3:GetObject", "sns:Publish"])),
    not_actions=st.booleans(),
    resources=st.tuples(st.sampled_from(["*", "arn:aws:s3:::b/*", "arn:aws:s3:::b/k", "arn:x"])),
    not_resources=st.booleans(),
    principals=st.builds(
        Principals,
        st.frozensets(st.sampled_from(["*", ROLE, SESSION, ROOT, "other"]), min_size=1),
        st.booleans(),
    ),
)
DOCUMENTS = st.builds(
    Policy, name=st.just("p"), statements=st.lists(STATEMENTS, max_size=3).map(tuple)
)
EVERYTHING = st.builds(
    Policies,
    identity=st.lists(DOCUMENTS, max_size=2),
    boundary=st.none() | DOCUMENTS,
    resource=st.none() | DOCUMENTS,
    resource_decides=st.booleans(),
)


@given(EVERYTHING)
def test_a_deny_always_wins(policies: Policies) -> None:
    for denied in (
        replace(policies, identity=[*policies.identity, DENY]),
        replace(policies, boundary=DENY),
        replace(policies, resource=policy("Deny", "*")),
    ):
        decision = decide(CALL, denied)
        assert not decision.allowed
        assert decision.explicit


@given(EVERYTHING, DOCUMENTS)
def test_one_more_allow_takes_nothing_away(policies: Policies, more: Policy) -> None:
    allows = tuple(each for each in more.statements if each.effect == "Allow")
    more = replace(more, statements=allows)
    if decide(CALL, policies).allowed:
        wider = replace(policies, identity=[*policies.identity, more])
        assert decide(CALL, wider).allowed
        if policies.resource is not None:
            statements = (*policies.resource.statements, *allows)
            wider = replace(policies, resource=replace(more, statements=statements))
            assert decide(CALL, wider).allowed


@given(EVERYTHING)
def test_without_any_allow_nothing_is_allowed(policies: Policies) -> None:
    def without(document: Policy) -> Policy:
        denials = tuple(each for each in document.statements if each.effect == "Deny")
        return replace(document, statements=denials)

    resource = policies.resource
    bare = replace(
        policies,
        identity=[without(each) for each in policies.identity],
        resource=None if resource is None else without(resource),
    )
    assert not decide(CALL, bare).allowed


@given(EVERYTHING)
def test_a_boundary_gives_nothing(policies: Policies) -> None:
    if decide(CALL, policies).allowed:
        assert decide(CALL, replace(policies, boundary=None)).allowed
