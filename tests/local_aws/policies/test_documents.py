"""Policy documents: what is read, what is refused, whom and what a statement is about."""

from __future__ import annotations

from typing import Any

import pytest

from local_aws.policies.documents import MalformedPolicy, Policy
from local_aws.policies.principals import Principal

ROLE = "arn:aws:iam::1:role/r"
SESSION = "arn:aws:sts::1:assumed-role/r/s"
WHO = Principal(account="1", arn=SESSION, role_arn=ROLE)


def policy(**statement: Any) -> Policy:
    whole = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*", **statement}
    given = {name: value for name, value in whole.items() if value is not None}
    return Policy.parse({"Version": "2012-10-17", "Statement": given}, name="p")


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ({}, True),
        ({"Effect": "Deny"}, False),
        ({"Action": ["s3:PutObject", "s3:Get*"]}, True),
        ({"Action": None, "NotAction": "s3:PutObject"}, True),
        ({"Action": None, "NotAction": ["s3:*"]}, False),
        ({"Resource": ["arn:aws:s3:::b/x", "arn:aws:s3:::b/k"]}, True),
        ({"Resource": "arn:aws:s3:::other/*"}, False),
        ({"Resource": None, "NotResource": "arn:aws:s3:::other/*"}, True),
        ({"Resource": None, "NotResource": "arn:aws:s3:::b/*"}, False),
        ({"Resource": "arn:aws:s3:::${none}"}, False),
        ({"Resource": None, "NotResource": "arn:aws:s3:::${none}"}, False),
        ({"Condition": {"Bool": {"aws:SecureTransport": "true"}}}, True),
        ({"Condition": {"Bool": {"aws:SecureTransport": "false"}}}, False),
    ],
)
def test_a_statement_covers_what_it_says(statement: dict[str, Any], expected: bool) -> None:
    context = {"aws:securetransport": ("true",)}
    found = policy(**statement).allows("s3:GetObject", "arn:aws:s3:::b/k", context)
    assert found is expected


@pytest.mark.parametrize(
    ("principal", "names"),
    [
        ("*", {"*"}),
        ({"AWS": "*"}, {"*"}),
        ({"AWS": "1"}, {"1"}),
        ({"AWS": ["arn:aws:iam::1:root", "arn:aws:iam::2:root"]}, {"arn:aws:iam::1:root"}),
        ({"AWS": ROLE, "Service": "sns.amazonaws.com"}, {ROLE}),
        ({"AWS": SESSION}, {SESSION}),
        ({"AWS": "arn:aws:iam::1:role/other"}, set()),
        ({"Service": "sagemaker.amazonaws.com"}, set()),
    ],
)
def test_a_caller_is_known_by_its_names(principal: Any, names: set[str]) -> None:
    found = policy(Principal=principal).allowed_as(WHO, "s3:GetObject", "arn:aws:s3:::b/k", {})
    assert found == names


def test_a_service_is_no_account() -> None:
    service = Principal(account="1", service="sns.amazonaws.com")
    document = policy(Principal={"AWS": ["1", "arn:aws:iam::1:root"]})
    assert document.allowed_as(service, "s3:GetObject", "*", {}) == set()
    document = policy(Principal={"Service": "sns.amazonaws.com"})
    assert document.allowed_as(service, "s3:GetObject", "*", {}) == {"sns.amazonaws.com"}


@pytest.mark.parametrize(
    ("spared", "expected"), [(ROLE, False), (SESSION, False), ("arn:aws:iam::1:role/x", True)]
)
def test_not_principal_is_everyone_else(spared: str, expected: bool) -> None:
    document = policy(Effect="Deny", Principal=None, NotPrincipal={"AWS": spared})
    assert document.denies_to(WHO, "s3:GetObject", "*", {}) is expected


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ("{", "is no policy document"),
        ("[]", "is no policy document"),
        ({"Version": "2012-10-17"}, "Statement"),
        ({"Statement": [{"Effect": "Allow"}]}, "Action"),
        ({"Statement": [{"Effect": "Maybe", "Action": "*"}]}, "it is Allow or Deny"),
        ({"Statement": {"Effect": "Allow", "Action": "*", "Resorce": "*"}}, "Resorce"),
        (
            {"Statement": {"Effect": "Allow", "Action": "*", "Condition": {"Is": {"a": "b"}}}},
            "'Is' is no condition operator",
        ),
    ],
)
def test_what_is_no_policy_is_said_with_its_name(document: Any, why: str) -> None:
    with pytest.raises(MalformedPolicy, match="inline policy 'x'") as said:
        Policy.parse(document, name="inline policy 'x'")
    assert why in str(said.value)
