"""IAM's answers, as LocalStack's suite recorded them of AWS."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import Aws, policy
from tests.local_aws.permissions.callers import ACCOUNT, Caller, allow, refusal

TRUST = policy(
    {
        "Effect": "Allow",
        "Principal": {"Service": "lambda.amazonaws.com"},
        "Action": "sts:AssumeRole",
        "Condition": {"StringEquals": {"aws:SourceArn": "arn%3Aaws%3Alambda"}},
    }
)


def test_a_roles_creation_tells_less_than_reading_it(aws: Aws) -> None:
    iam = aws.client("iam")
    made = iam.create_role(RoleName="told", AssumeRolePolicyDocument=TRUST)["Role"]
    assert {"MaxSessionDuration", "RoleLastUsed"} & made.keys() == set()
    read = iam.get_role(RoleName="told")["Role"]
    assert (read["MaxSessionDuration"], read["RoleLastUsed"]) == (3600, {})
    [listed] = [each for each in iam.list_roles()["Roles"] if each["RoleName"] == "told"]
    assert listed["MaxSessionDuration"] == 3600
    assert "RoleLastUsed" not in listed


def test_documents_come_back_as_they_were_given_whatever_reads_them(aws: Aws) -> None:
    iam = aws.client("iam")
    iam.create_role(RoleName="encoded", AssumeRolePolicyDocument=TRUST)
    arn = iam.create_policy(
        PolicyName="encoded", PolicyDocument=policy(allow("s3:*", "arn:aws:s3:::a%3Ab"))
    )
    version = {"PolicyArn": arn["Policy"]["Arn"], "VersionId": "v1"}
    read = iam.get_policy_version(**version)["PolicyVersion"]["Document"]
    assert read["Statement"][0]["Resource"] == "arn:aws:s3:::a%3Ab"
    iam.create_instance_profile(InstanceProfileName="encoded")
    iam.add_role_to_instance_profile(InstanceProfileName="encoded", RoleName="encoded")
    [profile] = iam.list_instance_profiles_for_role(RoleName="encoded")["InstanceProfiles"]
    [listed] = [each for each in iam.list_roles()["Roles"] if each["RoleName"] == "encoded"]
    for role in (*profile["Roles"], listed):
        [condition] = role["AssumeRolePolicyDocument"]["Statement"][0]["Condition"].values()
        assert condition == {"aws:SourceArn": "arn%3Aaws%3Alambda"}


@pytest.mark.parametrize(
    ("service", "operation", "parameters"),
    [
        ("iam", "get_role", {"RoleName": "absent"}),
        ("sns", "get_topic_attributes", {"TopicArn": f"arn:aws:sns:eu-west-1:{ACCOUNT}:absent"}),
    ],
)
def test_an_error_in_xml_says_its_message_once(
    aws: Aws, service: str, operation: str, parameters: dict[str, Any]
) -> None:
    with pytest.raises(ClientError) as refused:
        getattr(aws.client(service), operation)(**parameters)
    assert refused.value.response["Error"].keys() == {"Type", "Code", "Message"}


@pytest.mark.parametrize("kind", ["role", "user", "group"])
def test_what_is_no_arn_is_no_policy(aws: Aws, kind: str) -> None:
    attach = getattr(aws.client("iam"), f"attach_{kind}_policy")
    name = {f"{kind.capitalize()}Name": "model"}
    refused = refusal(attach, PolicyArn="a-policys-name-is-no-arn", **name)
    assert refused == (400, "ValidationError", "Invalid ARN:  Could not be parsed!")


def test_a_users_boundary_is_told_and_bounds_it(aws: Aws) -> None:
    iam = aws.client("iam")
    made = iam.create_policy(PolicyName="bound", PolicyDocument=policy(allow("s3:GetObject")))
    arn = made["Policy"]["Arn"]
    bounded = {"PermissionsBoundaryType": "Policy", "PermissionsBoundaryArn": arn}
    user = iam.create_user(UserName="bounded", PermissionsBoundary=arn)["User"]
    assert user["PermissionsBoundary"] == bounded
    iam.put_user_policy(UserName="bounded", PolicyName="p", PolicyDocument=policy(allow("s3:*")))
    key = iam.create_access_key(UserName="bounded")["AccessKey"]
    assert _may_list(aws, key) is False
    iam.delete_user_permissions_boundary(UserName="bounded")
    assert "PermissionsBoundary" not in iam.get_user(UserName="bounded")["User"]
    assert _may_list(aws, key) is True
    iam.put_user_permissions_boundary(UserName="bounded", PermissionsBoundary=arn)
    assert iam.get_user(UserName="bounded")["User"]["PermissionsBoundary"] == bounded
    absent = f"arn:aws:iam::{ACCOUNT}:policy/absent"
    put = iam.put_user_permissions_boundary
    assert refusal(put, UserName="bounded", PermissionsBoundary=absent)[1] == "NoSuchEntity"


def test_who_names_no_user_asks_for_itself(aws: Aws) -> None:
    """IAM API reference, GetUser: "it defaults to the user making the request"."""
    iam = aws.client("iam")
    root = iam.get_user()["User"]
    assert root.pop("CreateDate") is not None
    assert root == {"UserId": ACCOUNT, "Arn": f"arn:aws:iam::{ACCOUNT}:root"}
    made = iam.create_user(UserName="itself")["User"]
    iam.put_user_policy(UserName="itself", PolicyName="p", PolicyDocument=policy(allow("iam:*")))
    key = iam.create_access_key(UserName="itself")["AccessKey"]
    assert _client(aws, "iam", key).get_user()["User"]["Arn"] == made["Arn"]


@pytest.mark.parametrize("operation", ["get_user", "list_access_keys", "create_access_key"])
def test_a_roles_session_is_no_user(aws: Aws, operation: str) -> None:
    iam = Caller(aws, allow("iam:*")).client("iam")
    message = "Must specify userName when calling with non-User credentials"
    assert refusal(getattr(iam, operation)) == (400, "ValidationError", message)


def _may_list(aws: Aws, key: dict[str, str]) -> bool:
    try:
        _client(aws, "s3", key).list_objects_v2(Bucket="models")
    except ClientError as refused:
        return str(refused.response["Error"]["Code"]) != "AccessDenied"
    return True


def _client(aws: Aws, service: str, key: dict[str, str]) -> Any:
    import boto3

    return boto3.client(
        service,
        "eu-west-1",
        endpoint_url=aws.url,
        aws_access_key_id=key["AccessKeyId"],
        aws_secret_access_key=key["SecretAccessKey"],
    )


@pytest.mark.parametrize(("kind", "most"), [("role", 10_240), ("user", 2_048), ("group", 5_120)])
def test_inline_policies_have_a_length_together_white_space_aside(
    aws: Aws, kind: str, most: int
) -> None:
    iam, name = aws.client("iam"), {f"{kind.title()}Name": f"long-{kind}"}
    more = {"AssumeRolePolicyDocument": TRUST} if kind == "role" else {}
    getattr(iam, f"create_{kind}")(**name, **more)
    put = getattr(iam, f"put_{kind}_policy")

    def of(characters: int) -> str:
        empty = policy(allow("s3:GetObject", "arn:aws:s3:::")).replace(" ", "")
        resource = "arn:aws:s3:::" + "a" * (characters - len(empty))
        return policy(allow("s3:GetObject", resource))

    put(**name, PolicyName="half", PolicyDocument=of(most // 2))
    put(**name, PolicyName="rest", PolicyDocument=of(most - most // 2))
    put(**name, PolicyName="half", PolicyDocument=of(most // 2))
    with pytest.raises(ClientError) as refused:
        put(**name, PolicyName="half", PolicyDocument=of(most // 2 + 1))
    assert refused.value.response["Error"]["Code"] == "LimitExceeded"
    said = f"Maximum policy size of {most} bytes exceeded for {kind} long-{kind}"
    assert refused.value.response["Error"]["Message"] == said
