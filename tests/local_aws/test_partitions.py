"""In China and GovCloud ARNs begin otherwise: what is deployed there is judged by its own ARNs."""

from __future__ import annotations

import json
from typing import Any

import boto3
import pytest

from local_aws.arn import Arn, arn_in
from tests.local_aws.aws import Aws, eventually, policy
from tests.local_aws.permissions.callers import ACCOUNT, allow, refusal

BEGINNINGS = {"cn-north-1": "arn:aws-cn", "us-gov-west-1": "arn:aws-us-gov"}

READS = {"Fn::Sub": "arn:${AWS::Partition}:s3:::${Open}/*"}
OWN_MACHINE = {
    "Fn::Sub": "arn:${AWS::Partition}:states:${AWS::Region}:${AWS::AccountId}:stateMachine:reader"
}
STATES = {
    "StartAt": "Read",
    "States": {
        "Read": {
            "Type": "Task",
            "Resource": "arn:${AWS::Partition}:states:::aws-sdk:s3:getObject",
            "Parameters": {"Bucket.$": "$.bucket", "Key": "key"},
            "ResultSelector": {"Body.$": "$.Body"},
            "End": True,
        }
    },
}
"""A machine that reads from the bucket that it is given."""


def role(principal: dict[str, Any], *statements: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A role of a template, trusted by a principal, with these statements."""
    trust = {"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}
    own = {"PolicyName": "own", "PolicyDocument": json.loads(policy(*statements))}
    return {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": json.loads(policy(trust)),
            "Policies": [own],
            **more,
        },
    }


ROOT = {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}
LOGS = "arn:${AWS::Partition}:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
TEMPLATE = {
    "Resources": {
        "Open": {"Type": "AWS::S3::Bucket"},
        "Closed": {"Type": "AWS::S3::Bucket"},
        "Guarded": {"Type": "AWS::S3::Bucket"},
        "Guard": {
            "Type": "AWS::S3::BucketPolicy",
            "Properties": {
                "Bucket": {"Ref": "Guarded"},
                "PolicyDocument": {
                    "Statement": {
                        "Effect": "Deny",
                        "Principal": {"AWS": ROOT},
                        "Action": "s3:PutObject",
                        "Resource": {"Fn::Sub": "${Guarded.Arn}/*"},
                    }
                },
            },
        },
        "Role": role(
            {"Service": "states.amazonaws.com"},
            {"Effect": "Allow", "Action": "s3:GetObject", "Resource": READS},
            ManagedPolicyArns=[{"Fn::Sub": LOGS}],
        ),
        "Caller": role(
            {"AWS": ROOT},
            {"Effect": "Allow", "Action": "states:StartExecution", "Resource": OWN_MACHINE},
        ),
        "Machine": {
            "Type": "AWS::StepFunctions::StateMachine",
            "Properties": {
                "StateMachineName": "reader",
                "RoleArn": {"Fn::GetAtt": "Role.Arn"},
                "DefinitionString": {"Fn::Sub": json.dumps(STATES)},
            },
        },
    },
    "Outputs": {
        "Open": {"Value": {"Ref": "Open"}},
        "OpenArn": {"Value": {"Fn::GetAtt": "Open.Arn"}},
        "Closed": {"Value": {"Ref": "Closed"}},
        "Guarded": {"Value": {"Ref": "Guarded"}},
        "Caller": {"Value": {"Fn::GetAtt": "Caller.Arn"}},
        "Machine": {"Value": {"Ref": "Machine"}},
    },
}


@pytest.fixture(scope="module", params=BEGINNINGS)
def region(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture(scope="module")
def deployed(aws: Aws, region: str) -> dict[str, str]:
    """The outputs of the stack, with an object in each bucket that takes one."""
    cloudformation = aws.client("cloudformation", region)
    cloudformation.create_stack(
        StackName="s", TemplateBody=json.dumps(TEMPLATE), Capabilities=["CAPABILITY_NAMED_IAM"]
    )

    def look() -> Any:
        stack = cloudformation.describe_stacks(StackName="s")["Stacks"][0]
        return None if stack["StackStatus"] == "CREATE_IN_PROGRESS" else stack

    stack = eventually(look)
    assert stack["StackStatus"] == "CREATE_COMPLETE", aws.client(
        "cloudformation", region
    ).describe_stack_events(StackName="s")["StackEvents"]
    outputs = {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}
    for bucket in ("Open", "Closed"):
        aws.client("s3", region).put_object(Bucket=outputs[bucket], Key="key", Body=b"content")
    return {**outputs, "StackId": stack["StackId"]}


@pytest.fixture(scope="module")
def session(aws: Aws, region: str, deployed: dict[str, str]) -> Any:
    """boto3 in the name of the role that may start the machine."""
    sts = aws.client("sts", region)
    answer = sts.assume_role(RoleArn=deployed["Caller"], RoleSessionName="me")["Credentials"]
    return boto3.session.Session(
        aws_access_key_id=answer["AccessKeyId"],
        aws_secret_access_key=answer["SecretAccessKey"],
        aws_session_token=answer["SessionToken"],
        region_name=region,
    )


def ended(aws: Aws, session: Any, region: str, machine: str, bucket: str) -> Any:
    states = session.client("stepfunctions", endpoint_url=aws.url)
    given = json.dumps({"bucket": bucket})
    execution = states.start_execution(stateMachineArn=machine, input=given)["executionArn"]

    def look() -> Any:
        told = aws.client("stepfunctions", region).describe_execution(executionArn=execution)
        return None if told["status"] == "RUNNING" else told

    return eventually(look)


def test_every_arn_begins_with_the_partition_of_its_region(
    deployed: dict[str, str], aws: Aws, region: str, session: Any
) -> None:
    identity = aws.client("sts", region).get_caller_identity()["Arn"]
    assumed = session.client("sts", endpoint_url=aws.url).get_caller_identity()["Arn"]
    arns = [value for value in deployed.values() if ":" in value]
    assert len(arns) == 4
    for arn in (*arns, identity, assumed):
        assert arn.startswith(f"{BEGINNINGS[region]}:")


def test_a_role_may_do_what_its_policy_names_by_the_partition_and_nothing_else(
    deployed: dict[str, str], aws: Aws, region: str, session: Any
) -> None:
    told = ended(aws, session, region, deployed["Machine"], deployed["Open"])
    assert (told["status"], told.get("cause")) == ("SUCCEEDED", None)
    refused = ended(aws, session, region, deployed["Machine"], deployed["Closed"])
    assert refused["status"] == "FAILED"
    place = f'on resource: "{BEGINNINGS[region]}:s3:::{deployed["Closed"]}/key"'
    assert place in refused["cause"]


def test_a_session_is_refused_by_the_arn_that_its_partition_has(
    deployed: dict[str, str], aws: Aws, region: str, session: Any
) -> None:
    sns = session.client("sns", endpoint_url=aws.url)
    status, _, message = refusal(sns.create_topic, Name="other")
    assert status == 403
    assert f"on resource: {BEGINNINGS[region]}:sns:{region}:{ACCOUNT}:other" in message


def test_what_a_buckets_policy_forbids_the_account_is_forbidden_in_each_partition(
    deployed: dict[str, str], aws: Aws, region: str
) -> None:
    put = aws.client("s3", region).put_object
    code = refusal(put, Bucket=deployed["Guarded"], Key="key", Body=b"content")[1]
    assert code == "AccessDenied"


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
