"""Each request in a role's name is done as the operation that it was judged as, or not at all."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.local_aws.aws import REGION, Aws
from tests.local_aws.permissions.callers import Caller, allow

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/x-amz-json-1.1"}
READS = (
    *("iam:ListRoles", "s3:ListAllMyBuckets", "s3:GetBucketLocation", "sns:ListTopics"),
    *("sqs:ListQueues", "ssm:GetParameter"),
)
KEY = "service/x/operation/ListBuckets"
"""An object's key that looks as paths of Smithy RPC do."""


def send(
    caller: Caller, service: str, method: str, path: str, body: bytes, headers: dict[str, str]
) -> tuple[int, bytes]:
    """Status and body of what a request is answered that is signed as it stands."""
    keys = caller.session
    signer = (S3SigV4Auth if service == "s3" else SigV4Auth)(
        Credentials(keys.access_key_id, keys.secret_access_key, keys.session_token), service, REGION
    )
    request = AWSRequest(method, caller.aws.url + path, headers, body)
    signer.add_auth(request)
    connection = http.client.HTTPConnection("localhost", urlsplit(caller.aws.url).port)
    connection.request(method, path, body, dict(request.headers.items()))
    answer = connection.getresponse()
    return answer.status, answer.read()


@pytest.fixture(scope="module")
def reader(aws: Aws) -> Caller:
    """A role that may read a few things and change nothing."""
    aws.s3.put_object(Bucket="models", Key=KEY, Body=b"secret")
    aws.client("ssm").put_parameter(Name="/kept", Value="here", Type="String")
    return Caller(aws, allow(list(READS)))


def held(aws: Aws) -> list[Any]:
    """All that the requests below would change."""
    return [
        [user["UserName"] for user in aws.client("iam").list_users()["Users"]],
        aws.client("sns").list_topics()["Topics"],
        aws.client("sqs").list_queues().get("QueueUrls"),
        aws.client("ssm").get_parameter(Name="/kept")["Parameter"]["Value"],
        aws.s3.get_object(Bucket="models", Key=KEY)["Body"].read(),
    ]


@pytest.mark.parametrize(
    ("service", "method", "path", "body", "headers", "status"),
    [
        ("iam", "POST", "/?Action=ListRoles", b"Action=CreateUser&UserName=x", FORM, 400),
        ("iam", "POST", "/", b"Action=ListRoles&Action=CreateUser&UserName=x", FORM, 400),
        ("iam", "POST", "/", b"Action=CreateUser&Action=ListRoles&UserName=x", FORM, 400),
        ("iam", "POST", "/?Action=ListRoles&Action=CreateUser&UserName=x", b"", FORM, 400),
        ("iam", "POST", f"/{KEY}", b"Action=CreateUser&UserName=x", FORM, 403),
        ("sns", "POST", "/?Action=ListTopics", b"Action=CreateTopic&Name=x", FORM, 400),
        (
            "sqs",
            "POST",
            "/?Action=ListQueues",
            b'{"QueueName": "x"}',
            {**JSON, "X-Amz-Target": "AmazonSQS.CreateQueue"},
            403,
        ),
        ("s3", "GET", f"/models/{KEY}", b"", {}, 403),
        ("s3", "PUT", f"/models/{KEY}", b"other", {}, 403),
        ("s3", "GET", "/models?location&list-type=2", b"", {}, 400),
    ],
)
def test_two_operations_in_one_request_are_neither_the_one_nor_the_other(
    aws: Aws,
    reader: Caller,
    service: str,
    method: str,
    path: str,
    body: bytes,
    headers: dict[str, str],
    status: int,
) -> None:
    before = held(aws)
    assert send(reader, service, method, path, body, headers)[0] == status
    assert held(aws) == before


@pytest.mark.parametrize(
    ("path", "document"),
    [
        ("/?Action=DeleteParameter", {"Name": "/kept"}),
        ("/", {"Name": "/kept", "Note": "&Action=DeleteParameter&Name=/kept"}),
    ],
)
def test_a_json_call_is_what_its_target_names(
    aws: Aws, reader: Caller, path: str, document: dict[str, str]
) -> None:
    headers = {**JSON, "X-Amz-Target": "AmazonSSM.GetParameter"}
    status, body = send(reader, "ssm", "POST", path, json.dumps(document).encode(), headers)
    assert (status, json.loads(body)["Parameter"]["Value"]) == (200, "here")
    assert held(aws)[3] == "here"


def test_a_query_names_nothing_that_a_json_document_names(aws: Aws, reader: Caller) -> None:
    aws.client("ssm").put_parameter(Name="/other", Value="not asked for", Type="String")
    headers = {**JSON, "X-Amz-Target": "AmazonSSM.GetParameter"}
    _, body = send(reader, "ssm", "POST", "/?Name=%2Fother", b'{"Name": "/kept"}', headers)
    assert json.loads(body)["Parameter"]["Value"] == "here"


@pytest.mark.parametrize("value", ["1&Action=DeleteParameter&Name=/kept", "a=b&Name=/kept"])
def test_a_text_that_looks_as_a_form_does_is_kept_as_it_is(
    aws: Aws, reader: Caller, value: str
) -> None:
    ssm = aws.client("ssm")
    ssm.put_parameter(Name="/text", Value=value, Type="String", Overwrite=True)
    assert ssm.get_parameter(Name="/text")["Parameter"]["Value"] == value
    assert held(reader.aws)[3] == "here"
