"""AssumeRole: what is asked wrongly, and the tags that a session has.

How AWS refuses was recorded by LocalStack's suite.
"""

from __future__ import annotations

from typing import Any

import boto3
import pytest

from tests.local_aws.aws import REGION, Aws, policy
from tests.local_aws.permissions.callers import ACCOUNT, allow, refusal

TAGGING = ["sts:AssumeRole", "sts:TagSession"]


@pytest.fixture(scope="module")
def tagged(aws: Aws) -> str:
    """A role that the account may assume, and tag."""
    return role(aws, "tagged", TAGGING)


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


def tags(**given: str) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in given.items()]


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


def test_a_sessions_name_has_its_pattern(aws: Aws, tagged: str) -> None:
    refused = refusal(aws.client("sts").assume_role, RoleArn=tagged, RoleSessionName="me:too")
    assert refused[:2] == (400, "ValidationError")
    assert "Value 'me:too' at 'roleSessionName' failed to satisfy constraint" in refused[2]


def test_a_session_has_its_roles_id(aws: Aws, tagged: str) -> None:
    answer = aws.client("sts").assume_role(RoleArn=tagged, RoleSessionName="me")
    own = aws.client("iam").get_role(RoleName="tagged")["Role"]["RoleId"]
    assert answer["AssumedRoleUser"]["AssumedRoleId"] == f"{own}:me"
    assert in_session(aws, "sts", answer).get_caller_identity()["UserId"] == f"{own}:me"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            {"Tags": tags(Team="a"), "TransitiveTagKeys": ["other"]},
            "The specified transitive tag key must be included in the requested tags.",
        ),
        (
            {"Tags": tags(Team="a", team="b")},
            "Duplicate tag keys found. Please note that Tag keys are case insensitive.",
        ),
    ],
)
def test_tags_that_contradict_themselves_are_refused(
    aws: Aws, tagged: str, asked: dict[str, Any], message: str
) -> None:
    assume = aws.client("sts").assume_role
    refused = refusal(assume, RoleArn=tagged, RoleSessionName="me", **asked)
    assert refused == (400, "InvalidParameterValue", message)


def test_a_transitive_tag_goes_on_to_the_next_role_and_cannot_be_changed(aws: Aws) -> None:
    may_go_on = allow(TAGGING)
    first = role(aws, "first", TAGGING, may_go_on)
    own = {"StringEquals": {"aws:PrincipalTag/Team": "a"}}
    second = role(aws, "second", TAGGING, allow("s3:ListBucket", Condition=own))
    answer = aws.client("sts").assume_role(
        RoleArn=first, RoleSessionName="me", Tags=tags(Team="a"), TransitiveTagKeys=["team"]
    )
    sts = in_session(aws, "sts", answer)
    next_one = sts.assume_role(RoleArn=second, RoleSessionName="me")
    in_session(aws, "s3", next_one).list_objects_v2(Bucket="models")
    for key in ("Team", "tEAM"):
        again = {"RoleArn": second, "RoleSessionName": "me", "Tags": tags(**{key: "b"})}
        assert refusal(sts.assume_role, **again)[1] == "InvalidParameterValue"
    without = aws.client("sts").assume_role(RoleArn=second, RoleSessionName="me")
    s3 = in_session(aws, "s3", without)
    assert refusal(s3.list_objects_v2, Bucket="models")[1] == "AccessDenied"


def test_tagging_a_session_must_be_trusted_and_is_judged_by_what_is_asked(aws: Aws) -> None:
    assume = aws.client("sts").assume_role
    untagged = role(aws, "untagged", ["sts:AssumeRole"])
    refused = refusal(assume, RoleArn=untagged, RoleSessionName="me", Tags=tags(Team="a"))
    assert refused[:2] == (403, "AccessDenied")
    assert "sts:TagSession" in refused[2]
    only = {"Condition": {"StringEquals": {"aws:RequestTag/Team": "a"}}}
    judged = role(aws, "judged", TAGGING, **only)
    assert assume(RoleArn=judged, RoleSessionName="me", Tags=tags(Team="a"))
    assert refusal(assume, RoleArn=judged, RoleSessionName="me", Tags=tags(Team="b"))[0] == 403


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
