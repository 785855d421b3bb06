"""Who may not call the local AWS is refused, whichever way is tried, and changes nothing."""

from __future__ import annotations

import json
import threading
from typing import Any
from urllib.parse import urlencode

import boto3
import pytest
from botocore import UNSIGNED
from botocore.config import Config
from botocore.exceptions import ClientError

from local_aws.gateway import Gateway
from tests.local_aws.authentication.ways import FORM, STACK, WAYS, Door
from tests.local_aws.aws import REGION, Aws, gateway_of, policy
from tests.local_aws.stand_in import StandIn


@pytest.fixture(scope="module")
def door(aws: Aws) -> Door:
    aws.s3.put_object(Bucket="models", Key="mine", Body=b"secret")
    aws.config("e", {"v": aws.model("m")})
    aws.endpoint("e", "e")
    return Door(aws)


def seen(aws: Aws) -> Any:
    """Everything that one of the ways could have made, changed or taken away."""
    return (
        [bucket["Name"] for bucket in aws.s3.list_buckets()["Buckets"]],
        [entry["Key"] for entry in aws.s3.list_objects_v2(Bucket="models")["Contents"]],
        [model["ModelName"] for model in aws.sagemaker.list_models()["Models"]],
        aws.client("cloudformation").list_stacks()["StackSummaries"],
        aws.client("sqs").list_queues().get("QueueUrls"),
        [user["UserName"] for user in aws.client("iam").list_users()["Users"]],
        json.load(aws.page("/_local/faults")),
        [endpoint["name"] for endpoint in aws.status()["endpoints"]],
    )


@pytest.mark.parametrize("name", WAYS)
def test_who_has_no_right_gets_nothing_and_changes_nothing(door: Door, name: str) -> None:
    before = seen(door.aws)
    status = WAYS[name](door)
    assert 400 <= status < 500
    assert seen(door.aws) == before


def test_who_has_the_right_does_the_same(door: Door) -> None:
    """Each way fails for want of the right, not for another reason."""
    assert door.create_model(door.signed()) == 200
    door.aws.sagemaker.delete_model(ModelName="intruder")
    body = urlencode(STACK).encode()
    signed = door.signed("cloudformation", body=body, Content_Type=FORM)
    assert door.send("POST", "/", signed, body) == 200
    cloudformation = door.aws.client("cloudformation")
    cloudformation.get_waiter("stack_create_complete").wait(
        StackName="intruder", WaiterConfig={"Delay": 1}
    )
    cloudformation.delete_stack(StackName="intruder")
    cloudformation.get_waiter("stack_delete_complete").wait(
        StackName="intruder", WaiterConfig={"Delay": 1}
    )
    assert door.send("GET", door.presigned("get_object")) == 200
    assert door.send("PUT", door.presigned("put_object", Params={"Key": "x"}), body=b"x") == 200
    door.aws.s3.delete_object(Bucket="models", Key="x")


def test_what_is_public_needs_no_signature(door: Door) -> None:
    aws = door.aws
    aws.s3.create_bucket(Bucket="open", CreateBucketConfiguration={"LocationConstraint": REGION})
    aws.s3.put_object(Bucket="open", Key="listed", Body=b"x", ACL="public-read")
    aws.s3.put_object(Bucket="open", Key="mine", Body=b"x")
    assert [door.send("GET", f"/open/{key}") for key in ("listed", "mine")] == [200, 403]
    everyone = {"Effect": "Allow", "Principal": "*", "Resource": "arn:aws:s3:::open/*"}
    aws.s3.put_bucket_policy(Bucket="open", Policy=policy({**everyone, "Action": "s3:GetObject"}))
    assert [door.send("GET", f"/open/{key}") for key in ("listed", "mine")] == [200, 200]
    assert door.send("PUT", "/open/new", body=b"x") == 403
    assert door.send("GET", "/open?list-type=2") == 403
    aws.s3.put_public_access_block(
        Bucket="open",
        PublicAccessBlockConfiguration={"IgnorePublicAcls": True, "RestrictPublicBuckets": True},
    )
    assert [door.send("GET", f"/open/{key}") for key in ("listed", "mine")] == [403, 403]


@pytest.mark.parametrize(
    ("operation", "code"),
    [("assume_role_with_web_identity", "ValidationError"), ("get_caller_identity", None)],
)
def test_operations_without_authentication_reach_their_service(
    door: Door, operation: str, code: str | None
) -> None:
    """AssumeRoleWithWebIdentity is not offered here; it is STS that says so."""
    client = boto3.client(
        "sts",
        region_name=REGION,
        endpoint_url=door.aws.url,
        config=Config(signature_version=UNSIGNED),
    )
    given = {"RoleArn": "arn:aws:iam::123456789012:role/m", "RoleSessionName": "session"}
    arguments = {**given, "WebIdentityToken": "token"} if code else {}
    with pytest.raises(ClientError) as refused:
        getattr(client, operation)(**arguments)
    assert refused.value.response["Error"]["Code"] == (code or "MissingAuthenticationToken")


def test_credentials_are_kept_and_are_this_users_alone(tmp_path: Any) -> None:
    def started() -> tuple[Gateway, Any]:
        gateway = gateway_of(tmp_path / "aws", launch=StandIn.start)
        return gateway, gateway.context.credentials

    first, credentials = started()
    kept = tmp_path / "aws" / "credentials.json"
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert credentials.secret_access_key not in repr(first.context)
    assert started()[1] == credentials, "shells that were set up go on to work"
    kept.chmod(0o644)
    assert started()[1] != credentials, "others may have read them"
    kept.write_bytes(b"damaged")
    assert started()[1].access_key_id.startswith("AKIA")


def test_many_who_may_not_come_in_hinder_nobody(door: Door) -> None:
    refused: list[int] = []
    threads = [
        threading.Thread(target=lambda: refused.append(door.send("GET", "/models/mine")))
        for _ in range(50)
    ]
    for thread in threads:
        thread.start()
    assert door.create_model(door.signed(body=b"{}"), b"{}") == 400
    for thread in threads:
        thread.join()
    assert refused == [403] * 50
