"""What CloudWatch Logs refuses of log groups' keys and of resource policies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.local_aws.aws import REGION, Aws, policy
from tests.local_aws.permissions.callers import ACCOUNT, refusal

NOT_ALLOWED = "The specified KMS key does not exist or is not allowed to be used with Arn"


def key(aws: Aws, region: str, *services: str, **more: Any) -> str:
    """A key that the account and these services may use."""
    start = "arn:aws-cn" if region.startswith("cn-") else "arn:aws"
    root = {"AWS": f"{start}:iam::{ACCOUNT}:root"}
    own = {"Effect": "Allow", "Principal": root, "Action": "kms:*", "Resource": "*"}
    theirs = [
        {
            "Effect": "Allow",
            "Principal": {"Service": each},
            "Action": ["kms:Encrypt*", "kms:Decrypt*", "kms:ReEncrypt*", "kms:GenerateDataKey*"],
            "Resource": "*",
            **more,
        }
        for each in services
    ]
    made = aws.client("kms", region).create_key(Policy=policy(own, *theirs))
    return str(made["KeyMetadata"]["Arn"])


@pytest.mark.parametrize(
    ("region", "services", "taken"),
    [
        ("eu-west-1", ["logs.eu-west-1.amazonaws.com"], True),
        ("eu-west-1", [], False),  # the account's own statement is not enough
        ("eu-west-1", ["logs.us-east-1.amazonaws.com"], False),
        ("cn-north-1", ["logs.cn-north-1.amazonaws.com.cn"], True),
        ("cn-north-1", ["logs.cn-north-1.amazonaws.com"], False),
    ],
)
def test_a_groups_key_lets_the_service_of_its_region_in(
    aws: Aws, region: str, services: list[str], taken: bool
) -> None:
    logs, arn = aws.client("logs", region), key(aws, region, *services)
    name = f"/keys/{'-'.join([*services, 'none'])}"
    start = "arn:aws-cn" if region.startswith("cn-") else "arn:aws"
    if taken:
        logs.create_log_group(logGroupName=name, kmsKeyId=arn)
        return
    refused = f"{NOT_ALLOWED} '{start}:logs:{region}:{ACCOUNT}:log-group:{name}'"
    ask = logs.create_log_group
    assert refusal(ask, logGroupName=name, kmsKeyId=arn)[1:] == ("AccessDeniedException", refused)
    logs.create_log_group(logGroupName=name)
    ask = logs.associate_kms_key
    assert refusal(ask, logGroupName=name, kmsKeyId=arn)[1:] == ("AccessDeniedException", refused)


def test_a_key_may_be_for_some_groups_only(aws: Aws) -> None:
    mine = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:/mine/*"
    only = {"ArnLike": {"kms:EncryptionContext:aws:logs:arn": mine}}
    arn = key(aws, REGION, f"logs.{REGION}.amazonaws.com", Condition=only)
    logs = aws.client("logs")
    logs.create_log_group(logGroupName="/mine/one", kmsKeyId=arn)
    status, code, _ = refusal(logs.create_log_group, logGroupName="/yours", kmsKeyId=arn)
    assert (status, code) == (400, "AccessDeniedException")


def test_a_resource_policy_is_one_and_the_accounts(aws: Aws) -> None:
    logs = aws.client("logs")
    put = logs.put_resource_policy
    status, code, _ = refusal(put, policyName="p", policyDocument="{no policy")
    assert (status, code) == (400, "InvalidParameterException")
    group = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:g"
    open_to_all = json.dumps({"Version": "2012-10-17", "Statement": []})
    _, code, said = refusal(put, policyName="p", policyDocument=open_to_all, resourceArn=group)
    assert code == "InvalidParameterException"
    assert said.startswith("the local AWS does not keep resource policies of one log group")


def test_what_is_logged_goes_nowhere_else(aws: Aws) -> None:
    function = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:f"
    given = {"logGroupName": "g", "filterName": "f", "filterPattern": ""}
    put = aws.client("logs").put_subscription_filter
    _, code, said = refusal(put, **given, destinationArn=function)
    assert (code, "nowhere else" in said) == ("InvalidParameterException", True)


def test_a_group_that_is_there_gets_a_key_and_loses_it(aws: Aws) -> None:
    logs, arn = aws.client("logs"), key(aws, REGION, f"logs.{REGION}.amazonaws.com")
    logs.create_log_group(logGroupName="/keys/later")

    def group() -> Any:
        return logs.describe_log_groups(logGroupNamePrefix="/keys/later")["logGroups"][0]

    logs.associate_kms_key(logGroupName="/keys/later", kmsKeyId=arn)
    assert group()["kmsKeyId"] == arn
    logs.disassociate_kms_key(resourceIdentifier=group()["logGroupArn"])
    assert "kmsKeyId" not in group()
    missing = refusal(logs.disassociate_kms_key, logGroupName="/keys/missing")
    assert missing == (400, "ResourceNotFoundException", "The specified log group does not exist.")


def test_a_group_keeps_its_events_for_days_of_a_list(aws: Aws) -> None:
    logs = aws.client("logs")
    logs.create_log_group(logGroupName="/days")
    _, code, message = refusal(logs.put_retention_policy, logGroupName="/days", retentionInDays=2)
    assert (code, message.partition("[")[0]) == (
        "InvalidParameterException",
        "Invalid retention value. Valid values are: ",
    )
    logs.put_retention_policy(logGroupName="/days", retentionInDays=2192)
    (found,) = logs.describe_log_groups(logGroupNamePrefix="/days")["logGroups"]
    assert found["retentionInDays"] == 2192
