"""Policies of buckets, topics, queues and functions: whom they let in, and whom they refuse."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest

from tests.local_aws.aws import REGION, Aws, policy
from tests.local_aws.permissions.callers import ACCOUNT, Caller, allow, numbers, refusal, unsigned


@pytest.fixture
def shared(aws: Aws) -> str:
    name = f"shared-{next(numbers)}"
    place = {"LocationConstraint": REGION}
    aws.s3.create_bucket(Bucket=name, CreateBucketConfiguration=place)
    aws.s3.put_object(Bucket=name, Key="key", Body=b"body")
    return name


def bucket_policy(aws: Aws, bucket: str, effect: str, principal: Any, **more: Any) -> None:
    resources = [f"arn:aws:s3:::{bucket}", f"arn:aws:s3:::{bucket}/*"]
    statement = {
        "Effect": effect,
        "Principal": principal,
        "Action": "s3:GetObject",
        "Resource": resources,
        **more,
    }
    aws.s3.put_bucket_policy(Bucket=bucket, Policy=policy(statement))


def test_a_buckets_policy_lets_a_role_in(aws: Aws, shared: str, nobody: Caller) -> None:
    read = nobody.client("s3").get_object
    assert refusal(read, Bucket=shared, Key="key")[0] == 403
    bucket_policy(aws, shared, "Allow", {"AWS": nobody.arn})
    assert read(Bucket=shared, Key="key")["Body"].read() == b"body"
    bucket_policy(aws, shared, "Allow", {"AWS": f"arn:aws:iam::{ACCOUNT}:root"})
    assert refusal(read, Bucket=shared, Key="key")[0] == 403


def test_a_buckets_deny_holds_for_everyone_whom_it_means(aws: Aws, shared: str) -> None:
    caller = Caller(aws, allow("s3:*"))
    bucket_policy(
        aws, shared, "Deny", "*", Condition={"StringNotEquals": {"aws:PrincipalArn": caller.arn}}
    )
    caller.client("s3").get_object(Bucket=shared, Key="key")
    other = Caller(aws, allow("s3:*")).client("s3").get_object
    message = refusal(other, Bucket=shared, Key="key")[2]
    assert message.endswith("with an explicit deny in a resource-based policy")
    assert refusal(aws.s3.get_object, Bucket=shared, Key="key")[:2] == (403, "AccessDenied")
    assert unsigned(aws, f"/{shared}/key") == 403


def test_what_a_bucket_opens_to_all_needs_no_signature(aws: Aws, shared: str) -> None:
    assert unsigned(aws, f"/{shared}/key") == 403
    bucket_policy(aws, shared, "Allow", "*")
    assert unsigned(aws, f"/{shared}/key") == 200


def test_a_deny_holds_for_who_has_no_signature_too(aws: Aws, shared: str) -> None:
    aws.s3.put_object(Bucket=shared, Key="secret", Body=b"body")
    every = {"Principal": "*", "Action": "s3:GetObject"}
    aws.s3.put_bucket_policy(
        Bucket=shared,
        Policy=policy(
            {"Effect": "Allow", "Resource": f"arn:aws:s3:::{shared}/*", **every},
            {"Effect": "Deny", "Resource": f"arn:aws:s3:::{shared}/secret", **every},
        ),
    )
    assert unsigned(aws, f"/{shared}/key") == 200
    assert unsigned(aws, f"/{shared}/secret") == 403


def test_topics_queues_and_functions_have_policies_too(aws: Aws, nobody: Caller) -> None:
    topic = aws.client("sns").create_topic(Name="open")["TopicArn"]
    message = {"TopicArn": topic, "Message": "m"}
    assert refusal(nobody.client("sns").publish, **message)[1] == "AuthorizationError"
    let_in = {
        "Effect": "Allow",
        "Principal": {"AWS": nobody.arn},
        "Action": "sns:Publish",
        "Resource": topic,
    }
    aws.client("sns").set_topic_attributes(
        TopicArn=topic, AttributeName="Policy", AttributeValue=policy(let_in)
    )
    nobody.client("sns").publish(**message)
    queue = aws.client("sqs").create_queue(QueueName="open")["QueueUrl"]
    message = {"QueueUrl": queue, "MessageBody": "m"}
    assert refusal(nobody.client("sqs").send_message, **message)[1] == "AccessDenied"
    let_in |= {"Action": "sqs:SendMessage", "Resource": f"arn:aws:sqs:{REGION}:{ACCOUNT}:open"}
    aws.client("sqs").set_queue_attributes(QueueUrl=queue, Attributes={"Policy": policy(let_in)})
    nobody.client("sqs").send_message(**message)


def test_a_functions_policy_lets_a_role_in(aws: Aws, nobody: Caller) -> None:
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("index.py", "def handler(event, context): ...")
    function = aws.client("lambda").create_function(
        FunctionName="open",
        Role=Caller(aws).arn,
        Code={"ZipFile": zipped.getvalue()},
        Handler="index.handler",
        Runtime="python3.11",
    )["FunctionArn"]
    look = nobody.client("lambda").get_function_configuration
    assert refusal(look, FunctionName="open")[:2] == (403, "AccessDeniedException")
    aws.client("lambda").add_permission(
        FunctionName="open",
        StatementId="one",
        Action="lambda:GetFunctionConfiguration",
        Principal=nobody.arn,
    )
    assert look(FunctionName="open")["FunctionArn"] == function
    assert refusal(look, FunctionName="other")[1] == "AccessDeniedException"


def test_a_condition_that_is_not_understood_is_said_and_not_guessed(aws: Aws, shared: str) -> None:
    caller = Caller(aws, allow("s3:*"))
    bucket_policy(aws, shared, "Allow", "*", Condition={"StringAlmost": {"aws:username": "x"}})
    for client in (caller.client("s3"), aws.s3):
        _, code, message = refusal(client.get_object, Bucket=shared, Key="key")
        assert code == "MalformedPolicyDocument"
        assert message.startswith(f"policy of arn:aws:s3:::{shared}/key: 'StringAlmost' is no")
    aws.s3.delete_bucket_policy(Bucket=shared)
    caller.client("s3").get_object(Bucket=shared, Key="key")
