"""Requests in a role's name at the gateway: judged by what is deployed, refused as AWS does."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.auth import HmacV1Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from local_aws.permissions.sessions import TEMPORARY
from tests.local_aws.aws import REGION, Aws, policy
from tests.local_aws.permissions.callers import ACCOUNT, Caller, allow, refusal, unsigned


def test_a_look_at_an_object_needs_what_reading_it_does(aws: Aws, nobody: Caller) -> None:
    look = {"Bucket": "models", "Key": "model.tar.gz"}
    assert refusal(nobody.client("s3").head_object, **look)[:2] == (403, "403")
    Caller(aws, allow("s3:GetObject")).client("s3").head_object(**look)


def test_what_is_absent_is_said_only_to_those_who_may_list(aws: Aws) -> None:
    absent = {"Bucket": "models", "Key": "absent"}
    blind = Caller(aws, allow("s3:GetObject"))
    status, code, message = refusal(blind.client("s3").get_object, **absent)
    assert (status, code) == (403, "AccessDenied")
    assert 's3:ListBucket on resource: "arn:aws:s3:::models"' in message
    seeing = Caller(aws, allow(["s3:GetObject", "s3:ListBucket"]))
    assert refusal(seeing.client("s3").get_object, **absent)[1] == "NoSuchKey"


def test_a_prefix_that_a_condition_names_may_be_listed_and_no_other(aws: Aws) -> None:
    condition = {"StringLike": {"s3:prefix": "in/*"}}
    client = Caller(aws, allow("s3:ListBucket", "*", Condition=condition)).client("s3")
    client.list_objects_v2(Bucket="models", Prefix="in/deeper")
    assert refusal(client.list_objects_v2, Bucket="models", Prefix="out/")[1] == "AccessDenied"
    assert refusal(client.list_objects_v2, Bucket="models")[1] == "AccessDenied"


def test_metrics_go_into_the_namespace_of_a_condition_only(aws: Aws) -> None:
    condition = {"StringEquals": {"cloudwatch:namespace": "mine"}}
    caller = Caller(aws, allow("cloudwatch:PutMetricData", "*", Condition=condition))
    data = [{"MetricName": "m", "Value": 1.0}]
    caller.client("cloudwatch").put_metric_data(Namespace="mine", MetricData=data)
    put = caller.client("cloudwatch").put_metric_data
    assert refusal(put, Namespace="other", MetricData=data)[1] == "AccessDenied"


def test_a_deny_wins_and_is_named(aws: Aws) -> None:
    deny = {"Effect": "Deny", "Action": "s3:Get*", "Resource": "*"}
    caller = Caller(aws, allow("s3:*"), deny)
    read = caller.client("s3").get_object
    message = refusal(read, Bucket="models", Key="model.tar.gz")[2]
    assert message.endswith("with an explicit deny in an identity-based policy")


def test_attached_policies_count_as_inline_ones_do(aws: Aws, nobody: Caller) -> None:
    iam = aws.client("iam")
    document = policy(allow("s3:GetObject", "arn:aws:s3:::models/*"))
    made = iam.create_policy(PolicyName="reads", PolicyDocument=document)["Policy"]["Arn"]
    caller = Caller(aws)
    read = caller.client("s3").get_object
    assert refusal(read, Bucket="models", Key="model.tar.gz")[0] == 403
    iam.attach_role_policy(RoleName=caller.name, PolicyArn=made)
    read(Bucket="models", Key="model.tar.gz")
    iam.detach_role_policy(RoleName=caller.name, PolicyArn=made)
    assert refusal(read, Bucket="models", Key="model.tar.gz")[0] == 403


def test_a_boundary_limits_what_a_role_may(aws: Aws) -> None:
    iam = aws.client("iam")
    document = policy(allow("s3:ListBucket"))
    boundary = iam.create_policy(PolicyName="bound", PolicyDocument=document)["Policy"]["Arn"]
    caller = Caller(aws, allow("s3:*"))
    iam.put_role_permissions_boundary(RoleName=caller.name, PermissionsBoundary=boundary)
    caller.client("s3").list_objects_v2(Bucket="models")
    read = caller.client("s3").get_object
    message = refusal(read, Bucket="models", Key="model.tar.gz")[2]
    assert message.endswith("because no permissions boundary allows the s3:GetObject action")


def test_a_boundary_that_is_gone_lets_nothing(aws: Aws) -> None:
    iam, caller = aws.client("iam"), Caller(aws, allow("s3:*"))
    made = iam.create_policy(PolicyName="gone", PolicyDocument=policy(allow("s3:*")))["Policy"]
    iam.put_role_permissions_boundary(RoleName=caller.name, PermissionsBoundary=made["Arn"])
    caller.client("s3").list_buckets()
    iam.delete_policy(PolicyArn=made["Arn"])
    assert refusal(caller.client("s3").list_buckets)[:2] == (403, "AccessDenied")


@pytest.mark.parametrize("signature", ["s3v4", "s3"])
def test_a_presigned_url_may_what_its_signer_may(aws: Aws, nobody: Caller, signature: str) -> None:
    reader = Caller(aws, allow("s3:GetObject"))
    for caller, expected in ((reader, 200), (nobody, 403)):
        client = boto3.client(
            "s3",
            region_name=REGION,
            endpoint_url=aws.url,
            aws_access_key_id=caller.session.access_key_id,
            aws_secret_access_key=caller.session.secret_access_key,
            aws_session_token=caller.session.session_token,
            config=boto3.session.Config(signature_version=signature),
        )
        place = {"Bucket": "models", "Key": "model.tar.gz"}
        url = client.generate_presigned_url("get_object", Params=place)
        assert unsigned(aws, url.removeprefix(aws.url)) == expected


def test_requests_signed_in_the_old_way_are_refused(aws: Aws) -> None:
    caller = Caller(aws, allow("s3:GetObject"))
    keys = Credentials(
        caller.session.access_key_id,
        caller.session.secret_access_key,
        caller.session.session_token,
    )
    request = AWSRequest("GET", f"{aws.url}/models/model.tar.gz")
    request.headers["x-amz-security-token"] = keys.token
    HmacV1Auth(keys).add_auth(request)
    connection = http.client.HTTPConnection("localhost", urlsplit(aws.url).port or 0)
    connection.request("GET", "/models/model.tar.gz", headers=dict(request.headers.items()))
    assert connection.getresponse().status == 400


def test_a_role_that_is_gone_may_nothing(aws: Aws) -> None:
    caller = Caller(aws, allow("s3:*"))
    caller.client("s3").list_objects_v2(Bucket="models")
    aws.client("iam").delete_role_policy(RoleName=caller.name, PolicyName="own")
    aws.client("iam").delete_role(RoleName=caller.name)
    assert refusal(caller.client("s3").list_objects_v2, Bucket="models")[1] == "AccessDenied"


def test_a_user_of_iam_may_what_its_own_policies_and_its_groups_say(aws: Aws) -> None:
    iam = aws.client("iam")
    iam.create_user(UserName="reader")
    keys = iam.create_access_key(UserName="reader")["AccessKey"]
    client = boto3.client(
        "s3",
        region_name=REGION,
        endpoint_url=aws.url,
        aws_access_key_id=keys["AccessKeyId"],
        aws_secret_access_key=keys["SecretAccessKey"],
    )
    status, code, message = refusal(client.list_objects_v2, Bucket="models")
    assert (status, code) == (403, "AccessDenied")
    assert message == (
        f"User: arn:aws:iam::{ACCOUNT}:user/reader is not authorized to perform: s3:ListBucket on "
        'resource: "arn:aws:s3:::models" because no identity-based policy allows the '
        "s3:ListBucket action"
    )
    listing = policy(allow("s3:ListBucket"))
    iam.put_user_policy(UserName="reader", PolicyName="own", PolicyDocument=listing)
    client.list_objects_v2(Bucket="models")
    iam.create_group(GroupName="readers")
    reading = policy(allow("s3:GetObject"))
    iam.put_group_policy(GroupName="readers", PolicyName="own", PolicyDocument=reading)
    refusal(client.get_object, Bucket="models", Key="model.tar.gz")
    iam.add_user_to_group(GroupName="readers", UserName="reader")
    client.get_object(Bucket="models", Key="model.tar.gz")
    iam.update_access_key(UserName="reader", AccessKeyId=keys["AccessKeyId"], Status="Inactive")
    assert refusal(client.list_objects_v2, Bucket="models")[1] == "InvalidAccessKeyId"


def test_a_session_is_over_when_its_time_is(aws: Aws) -> None:
    caller = Caller(aws, allow("s3:ListBucket"))
    session = aws.gateway.context.sessions.hand_out(caller.arn, "short", seconds=0)
    client = aws.gateway.context.client_as(session, "s3", REGION)
    assert refusal(client.list_objects_v2, Bucket="models")[:2] == (400, "ExpiredToken")


def test_what_was_judged_can_be_read(aws: Aws) -> None:
    caller = Caller(aws, allow("s3:GetObject"))
    client = caller.client("s3")
    for _ in range(3):
        client.get_object(Bucket="models", Key="model.tar.gz")
    refusal(client.list_objects_v2, Bucket="models")
    with aws.page("/_local/permissions") as answer:
        judged = [entry for entry in json.load(answer) if entry["role"] == caller.arn]
    arn = "arn:aws:s3:::models"
    assert judged == [
        {
            "principal": caller.session.arn,
            "role": caller.arn,
            "action": "s3:GetObject",
            "resource": f"{arn}/model.tar.gz",
            "allowed": True,
            "reason": None,
            "count": 3,
        },
        {
            "principal": caller.session.arn,
            "role": caller.arn,
            "action": "s3:ListBucket",
            "resource": arn,
            "allowed": False,
            "reason": "because no identity-based policy allows the s3:ListBucket action",
            "count": 1,
        },
    ]


@pytest.mark.parametrize(
    ("service", "operation", "status", "code"),
    [
        ("s3", "list_buckets", 403, "InvalidAccessKeyId"),
        ("sagemaker", "list_models", 400, "UnrecognizedClientException"),
        ("lambda", "list_functions", 403, "UnrecognizedClientException"),
        ("iam", "list_roles", 403, "InvalidClientTokenId"),
        ("ec2", "describe_vpcs", 401, "AuthFailure"),
    ],
)
def test_a_session_that_nobody_knows_is_refused(
    aws: Aws, service: str, operation: str, status: int, code: str
) -> None:
    client = boto3.client(
        service,
        region_name=REGION,
        endpoint_url=aws.url,
        aws_access_key_id=f"{TEMPORARY}OFANEARLIERRUN",
        aws_secret_access_key="secret",
        aws_session_token="token",
    )
    assert refusal(getattr(client, operation))[:2] == (status, code)
