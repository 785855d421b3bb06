"""AssumeRole: what is asked wrongly.

How AWS refuses was recorded by LocalStack's suite.
"""

from __future__ import annotations

from typing import Any

import boto3
import pytest

from tests.local_aws.aws import REGION, Aws, policy
from tests.local_aws.permissions.callers import ACCOUNT, refusal


@pytest.fixture(scope="module")
def assumed(aws: Aws) -> str:
    """A role that the account may assume."""
    return role(aws, "assumed", ["sts:AssumeRole"])


def role(aws: Aws, name: str, actions: list[str], *may: dict[str, Any], **more: Any) -> str:
    trust = {"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": actions, **more}
    iam = aws.client("iam")
    arn: str = iam.create_role(RoleName=name, AssumeRolePolicyDocument=policy(trust))["Role"]["Arn"]
    if may:
        iam.put_role_policy(RoleName=name, PolicyName="own", PolicyDocument=policy(*may))
    return arn


def in_session(aws: Aws, service: str, answer: dict[str, Any]) -> Any:
    keys = answer["Credentials"]
    return boto3.client(
        service,
        REGION,
        endpoint_url=aws.url,
        aws_access_key_id=keys["AccessKeyId"],
        aws_secret_access_key=keys["SecretAccessKey"],
        aws_session_token=keys["SessionToken"],
    )


@pytest.mark.parametrize(
    "arn",
    [
        "nothing-that-is-an-arn",
        "arn::iam:::role/without-partition",
        "arn:aws::::role/without-service",
        "arn:aws:iam:role/with-too-few-parts",
        f"arn:aws:iam::{ACCOUNT}:",
    ],
)
def test_what_is_no_arn_is_no_role(aws: Aws, arn: str) -> None:
    refused = refusal(aws.client("sts").assume_role, RoleArn=arn, RoleSessionName="me")
    assert refused == (400, "ValidationError", f"{arn} is invalid")


def test_a_sessions_name_has_its_pattern(aws: Aws, assumed: str) -> None:
    refused = refusal(aws.client("sts").assume_role, RoleArn=assumed, RoleSessionName="me:too")
    assert refused[:2] == (400, "ValidationError")
    assert "Value 'me:too' at 'roleSessionName' failed to satisfy constraint" in refused[2]


def test_a_session_has_its_roles_id(aws: Aws, assumed: str) -> None:
    answer = aws.client("sts").assume_role(RoleArn=assumed, RoleSessionName="me")
    own = aws.client("iam").get_role(RoleName="assumed")["Role"]["RoleId"]
    assert answer["AssumedRoleUser"]["AssumedRoleId"] == f"{own}:me"
    assert in_session(aws, "sts", answer).get_caller_identity()["UserId"] == f"{own}:me"


@pytest.mark.parametrize(
    ("name", "value"),
    [("Tags", [{"Key": "Team", "Value": "a"}]), ("TransitiveTagKeys", ["Team"]), ("Policy", "{}")],
)
def test_what_a_session_would_be_narrowed_by_is_refused(
    aws: Aws, assumed: str, name: str, value: Any
) -> None:
    assume = aws.client("sts").assume_role
    refused = refusal(assume, RoleArn=assumed, RoleSessionName="me", **{name: value})
    assert refused == (400, "ValidationError", f"the local AWS does not follow {name} yet")


def test_a_role_that_trusts_who_get_caller_identity_names_lets_that_caller_in(aws: Aws) -> None:
    iam = aws.client("iam")
    iam.create_user(UserName="named")
    key = iam.create_access_key(UserName="named")["AccessKey"]
    sts = in_session(aws, "sts", {"Credentials": {**key, "SessionToken": None}})
    answer = aws.client("sts").assume_role(
        RoleArn=role(aws, "session", ["sts:AssumeRole"]), RoleSessionName="me"
    )
    for number, each in enumerate((sts, in_session(aws, "sts", answer), aws.client("sts"))):
        who = {"Principal": {"AWS": each.get_caller_identity()["Arn"]}}
        trusting = role(aws, f"trusting-{number}", ["sts:AssumeRole"], **who)
        assert each.assume_role(RoleArn=trusting, RoleSessionName="me")
