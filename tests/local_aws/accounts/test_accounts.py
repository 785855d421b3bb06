"""One local AWS has several accounts, and what one has is no other's."""

from __future__ import annotations

import json
from typing import Any

from tests.local_aws.accounts.members import HOME, OTHER, THIRD, client, client_of, refused
from tests.local_aws.aws import Aws, policy


def test_an_account_is_made_when_its_administrators_role_is_first_taken(aws: Aws) -> None:
    told = client(aws, "sts").get_caller_identity()
    assert told["Account"] == OTHER
    assert told["Arn"] == f"arn:aws:sts::{OTHER}:assumed-role/OrganizationAccountAccessRole/test"
    assert aws.client("sts").get_caller_identity()["Account"] == HOME


def test_only_the_first_accounts_developer_makes_accounts(aws: Aws) -> None:
    role = "arn:aws:iam::999999999999:role/OrganizationAccountAccessRole"
    taken = {"RoleArn": role, "RoleSessionName": "test"}
    assert refused(client(aws, "sts").assume_role, **taken)[0] == "AccessDenied"
    assert "999999999999" not in aws.status()["accounts"]


def test_a_role_of_an_account_that_is_not_here_cannot_be_assumed(aws: Aws) -> None:
    role = "arn:aws:iam::999999999999:role/deploy"
    code, _ = refused(aws.client("sts").assume_role, RoleArn=role, RoleSessionName="test")
    assert code == "AccessDenied"


def test_what_one_account_has_is_no_other_accounts(aws: Aws) -> None:
    for account, value in ((HOME, "here"), (OTHER, "there")):
        client(aws, "ssm", account).put_parameter(Name="/same", Value=value, Type="String")
        client(aws, "sqs", account).create_queue(QueueName="same")
        client(aws, "sns", account).create_topic(Name="same")
        client(aws, "logs", account).create_log_group(logGroupName="same")
        client(aws, "dynamodb", account).create_table(
            TableName="same",
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        table = client(aws, "dynamodb", account).describe_table(TableName="same")["Table"]
        assert table["TableArn"].split(":")[4] == account
        groups = client(aws, "logs", account).describe_log_groups()["logGroups"]
        assert [each["arn"].split(":")[4] for each in groups if each["logGroupName"] == "same"] == [
            account
        ]
    for account, value in ((HOME, "here"), (OTHER, "there")):
        parameter = client(aws, "ssm", account).get_parameter(Name="/same")["Parameter"]
        assert (parameter["Value"], parameter["ARN"].split(":")[4]) == (value, account)
        assert account in client(aws, "sqs", account).get_queue_url(QueueName="same")["QueueUrl"]
    client(aws, "dynamodb").put_item(TableName="same", Item={"id": {"S": "1"}})
    assert aws.client("dynamodb").scan(TableName="same")["Count"] == 0


def test_stacks_of_the_same_name_are_each_accounts_own(aws: Aws) -> None:
    template = {
        "Resources": {"Queue": {"Type": "AWS::SQS::Queue"}},
        "Outputs": {
            "Arn": {"Value": {"Fn::GetAtt": ["Queue", "Arn"]}},
            "Account": {"Value": {"Ref": "AWS::AccountId"}},
        },
    }
    for account in (HOME, OTHER):
        stacks = client(aws, "cloudformation", account)
        stacks.create_stack(StackName="same", TemplateBody=json.dumps(template))
        stacks.get_waiter("stack_create_complete").wait(
            StackName="same", WaiterConfig={"Delay": 0.1, "MaxAttempts": 100}
        )
        (stack,) = stacks.describe_stacks(StackName="same")["Stacks"]
        told = {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}
        assert told["Account"] == account
        assert [part.split(":")[4] for part in (stack["StackId"], told["Arn"])] == [account] * 2
    assert [each["name"] for each in aws.status()["accounts"][OTHER]["stacks"]] == ["same"]


def test_the_name_of_a_bucket_is_taken_in_every_account(aws: Aws) -> None:
    where = {"CreateBucketConfiguration": {"LocationConstraint": "eu-west-1"}}
    client(aws, "s3").create_bucket(Bucket="taken", **where)
    code, _ = refused(aws.s3.create_bucket, Bucket="taken", **where)
    assert code == "BucketAlreadyExists"
    assert "taken" not in [each["Name"] for each in aws.s3.list_buckets()["Buckets"]]


def test_a_users_key_is_of_the_users_account(aws: Aws) -> None:
    iam = client(aws, "iam", THIRD)
    iam.create_user(UserName="somebody")
    key = iam.create_access_key(UserName="somebody")["AccessKey"]
    told = client_of(aws, "sts", key).get_caller_identity()
    assert (told["Account"], told["Arn"]) == (THIRD, f"arn:aws:iam::{THIRD}:user/somebody")


def trusting(account: str, who: str = "root") -> str:
    return policy(
        {
            "Effect": "Allow",
            "Principal": {"AWS": f"arn:aws:iam::{account}:{who}"},
            "Action": "sts:AssumeRole",
        }
    )


def test_a_role_of_another_account_needs_its_trust_and_the_callers_own_policy(aws: Aws) -> None:
    iam, home = client(aws, "iam"), aws.client("iam")
    arn = f"arn:aws:iam::{OTHER}:role/guarded"
    iam.create_role(RoleName="guarded", AssumeRolePolicyDocument=trusting(THIRD))
    taken: dict[str, Any] = {"RoleArn": arn, "RoleSessionName": "test"}
    home.create_user(UserName="caller")
    key = home.create_access_key(UserName="caller")["AccessKey"]
    sts = client_of(aws, "sts", key)
    assert "no resource-based policy" in refused(sts.assume_role, **taken)[1]
    trust = trusting(HOME, "user/caller")
    iam.update_assume_role_policy(RoleName="guarded", PolicyDocument=trust)
    assert "no identity-based policy" in refused(sts.assume_role, **taken)[1]
    home.put_user_policy(
        UserName="caller",
        PolicyName="own",
        PolicyDocument=policy({"Effect": "Allow", "Action": "sts:AssumeRole", "Resource": arn}),
    )
    got = sts.assume_role(**taken)["Credentials"]
    assert client_of(aws, "sts", got).get_caller_identity()["Account"] == OTHER


def test_no_service_is_handed_a_role_of_another_account(aws: Aws) -> None:
    client(aws, "sts").get_caller_identity()
    code, message = refused(
        aws.client("events").put_targets,
        Rule="none",
        Targets=[
            {
                "Id": "1",
                "Arn": f"arn:aws:events:eu-west-1:{OTHER}:event-bus/default",
                "RoleArn": f"arn:aws:iam::{OTHER}:role/OrganizationAccountAccessRole",
            }
        ],
    )
    assert (code, message) == ("AccessDeniedException", "Cross-account pass role is not allowed.")
