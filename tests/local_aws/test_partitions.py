"""In China and GovCloud ARNs begin otherwise: what is deployed there is judged by its own ARNs."""

from __future__ import annotations

import json

import boto3
import pytest

from local_aws.arn import Arn, arn_in
from tests.local_aws.aws import Aws, policy
from tests.local_aws.permissions.callers import ACCOUNT, allow, refusal
from tests.local_aws.stacks import Deployments

BEGINNINGS = {"cn-north-1": "arn:aws-cn", "us-gov-west-1": "arn:aws-us-gov"}
ROOT = {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}
OPEN = {"Fn::Sub": "arn:${AWS::Partition}:s3:::${Open}/*"}
LOGS = "arn:${AWS::Partition}:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
TEMPLATE = {
    "Resources": {
        "Open": {"Type": "AWS::S3::Bucket"},
        "Role": {
            "Type": "AWS::IAM::Role",
            "Properties": {
                "AssumeRolePolicyDocument": json.loads(
                    policy(
                        {"Effect": "Allow", "Principal": {"AWS": ROOT}, "Action": "sts:AssumeRole"}
                    )
                ),
                "ManagedPolicyArns": [{"Fn::Sub": LOGS}],
                "Policies": [
                    {
                        "PolicyName": "own",
                        "PolicyDocument": json.loads(
                            policy({"Effect": "Allow", "Action": "s3:PutObject", "Resource": OPEN})
                        ),
                    }
                ],
            },
        },
    },
    "Outputs": {
        "Open": {"Value": {"Ref": "Open"}},
        "OpenArn": {"Value": {"Fn::GetAtt": "Open.Arn"}},
        "Role": {"Value": {"Fn::GetAtt": "Role.Arn"}},
    },
}


@pytest.mark.parametrize("region", BEGINNINGS)
def test_a_role_may_do_what_its_policy_names_by_the_partition_and_nothing_else(
    aws: Aws, region: str
) -> None:
    stacks = Deployments(aws.client("cloudformation", region))
    stack = stacks.create("s", TEMPLATE)
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    stack_id, outputs = stack["StackId"], stacks.outputs("s")
    sts = aws.client("sts", region)
    answer = sts.assume_role(RoleArn=outputs["Role"], RoleSessionName="me")
    keys = answer["Credentials"]
    session = boto3.session.Session(
        aws_access_key_id=keys["AccessKeyId"],
        aws_secret_access_key=keys["SecretAccessKey"],
        aws_session_token=keys["SessionToken"],
        region_name=region,
    )
    own = sts.get_caller_identity()["Arn"]
    for arn in (stack_id, outputs["OpenArn"], own, answer["AssumedRoleUser"]["Arn"]):
        assert arn.startswith(f"{BEGINNINGS[region]}:")
    session.client("s3", endpoint_url=aws.url).put_object(Bucket=outputs["Open"], Key="key")
    status, _, message = refusal(session.client("sns", endpoint_url=aws.url).create_topic, Name="t")
    assert status == 403
    assert f"on resource: {BEGINNINGS[region]}:sns:{region}:{ACCOUNT}:t" in message


def test_a_buckets_policy_counts_for_whoever_signs_for_another_partition(aws: Aws) -> None:
    aws.s3.create_bucket(
        Bucket="at-home", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
    )
    deny = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:PutObject",
        "Resource": "arn:aws:s3:::at-home/*",
    }
    aws.s3.put_bucket_policy(Bucket="at-home", Policy=policy(deny))
    put = aws.client("s3", "cn-north-1").put_object
    assert refusal(put, Bucket="at-home", Key="key", Body=b"content")[1] == "AccessDenied"


def test_a_user_of_another_partition_is_known_by_its_key(aws: Aws) -> None:
    iam = aws.client("iam", "cn-north-1")
    iam.create_user(UserName="li")
    iam.put_user_policy(UserName="li", PolicyName="own", PolicyDocument=policy(allow("sns:*")))
    key = iam.create_access_key(UserName="li")["AccessKey"]
    session = boto3.session.Session(
        aws_access_key_id=key["AccessKeyId"],
        aws_secret_access_key=key["SecretAccessKey"],
        region_name="cn-north-1",
    )
    sns = session.client("sns", endpoint_url=aws.url)
    assert sns.create_topic(Name="t")["TopicArn"] == arn_in("cn-north-1", "sns", ACCOUNT, "t")


@pytest.mark.parametrize(
    ("region", "service", "account", "arn"),
    [
        ("eu-west-1", "sqs", ACCOUNT, f"arn:aws:sqs:eu-west-1:{ACCOUNT}:x"),
        ("cn-north-1", "iam", ACCOUNT, f"arn:aws-cn:iam::{ACCOUNT}:x"),
        ("us-gov-west-1", "s3", "", "arn:aws-us-gov:s3:::x"),
    ],
)
def test_an_arn_is_written_and_taken_apart(
    region: str, service: str, account: str, arn: str
) -> None:
    assert arn_in(region, service, account, "x") == arn
    assert str(Arn.parse(arn)) == arn
    assert Arn.parse(arn).service == service


def test_what_is_no_arn_has_no_parts() -> None:
    assert set(Arn.parse("*")) == {""}
    assert Arn.parse("arn:aws:s3").service == "s3"
