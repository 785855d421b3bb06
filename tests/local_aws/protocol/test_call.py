"""What a request asks for, told from the request alone."""

from __future__ import annotations

from typing import Any

import pytest
from werkzeug.test import EnvironBuilder

from local_aws.credentials import ACCOUNT_ID
from local_aws.protocol.call import Call, read_call
from local_aws.protocol.models import (
    _BY_PATH,
    _BY_SCOPE,
    _BY_TARGET,
    service_model,
    service_names,
    service_of,
)

FORM = "application/x-www-form-urlencoded"
SHARED = {**_BY_PATH, **_BY_TARGET}


def environ(method: str, path: str, **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = EnvironBuilder(method=method, path=path, **more).get_environ()
    return made


def call(scope: str, method: str, path: str, **more: Any) -> Call:
    found = read_call(
        environ(method, path, **more), account=ACCOUNT_ID, region="eu-west-1", scope=scope
    )
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("scope", "method", "path", "more", "service", "operation", "parameters"),
    [
        ("s3", "GET", "/b/k/x", {}, "s3", "GetObject", {"Bucket": "b", "Key": "k/x"}),
        ("s3", "GET", "/b?list-type=2", {}, "s3", "ListObjectsV2", {"Bucket": "b"}),
        ("s3", "PUT", "/k", {"base_url": "http://b.localhost:1"}, "s3", "PutObject",
         {"Bucket": "b", "Key": "k"}),
        ("sagemaker", "POST", "/endpoints/e/invocations", {"data": b"x"}, "sagemaker-runtime",
         "InvokeEndpoint", {"EndpointName": "e"}),
        ("states", "POST", "/",
         {"data": b'{"stateMachineArn": "a"}',
          "headers": {"X-Amz-Target": "AWSStepFunctions.StartExecution"}}, "stepfunctions",
         "StartExecution", {"stateMachineArn": "a"}),
        ("sns", "POST", "/", {"data": b"Action=Publish&TopicArn=t&Message=m", "content_type": FORM},
         "sns", "Publish", {"TopicArn": "t", "Message": "m"}),
        ("monitoring", "POST", "/service/GraniteServiceVersion20100801/operation/PutMetricData",
         {"data": b"\xa0"}, "cloudwatch", "PutMetricData", {}),
        ("s3", "GET", "/b/service/x/operation/ListBuckets", {}, "s3", "GetObject",
         {"Bucket": "b", "Key": "service/x/operation/ListBuckets"}),
        ("ssm", "POST", "/?Action=DeleteParameter",
         {"data": b'{"Name": "/x"}', "headers": {"X-Amz-Target": "AmazonSSM.GetParameter"}}, "ssm",
         "GetParameter", {"Name": "/x"}),
        ("sagemaker", "POST", "/",
         {"data": b"{", "headers": {"X-Amz-Target": "SageMaker.CreateModel"}}, "sagemaker",
         "CreateModel", {}),
    ],
)  # fmt: skip
def test_a_call_is_known_by_its_target_action_or_path(
    scope: str,
    method: str,
    path: str,
    more: dict[str, Any],
    service: str,
    operation: str,
    parameters: dict[str, Any],
) -> None:
    found = call(scope, method, path, **more)
    assert (found.service, found.operation) == (service, operation)
    assert found.parameters == parameters


@pytest.mark.parametrize(
    ("scope", "path", "data"),
    [
        ("iam", "/?Action=ListRoles", b"Action=CreateUser"),
        ("iam", "/", b"Action=ListRoles&Action=CreateUser"),
        ("iam", "/", b"Action=ListRoles&Path=/a&Path=/b"),
        ("iam", "/", b"Action=ListRoles&Tags=a&Tags.member.1=b"),
        ("s3", "/b?acl&policy", b""),
    ],
)
def test_what_is_said_twice_is_malformed(scope: str, path: str, data: bytes) -> None:
    assert call(scope, "POST", path, data=data, content_type=FORM).malformed is not None


@pytest.mark.parametrize("query", ["acl", "list-type=2", "uploadId=1&partNumber=2", "location"])
def test_one_subresource_of_s3_is_read_beside_its_parameters(query: str) -> None:
    assert call("s3", "GET", f"/b?{query}&prefix=a").malformed is None


@pytest.mark.parametrize("scope", _BY_SCOPE)
def test_a_service_is_known_by_the_name_that_it_is_signed_for(scope: str) -> None:
    metadata = service_model(service_of(scope)).metadata
    assert scope in (metadata.get("signingName"), metadata["endpointPrefix"])


@pytest.mark.parametrize(
    ("scope", "service"),
    [(scope, service) for scope, others in SHARED.items() for service in (scope, *others)],
)
def test_services_of_one_scope_are_told_apart(scope: str, service: str) -> None:
    if service not in service_names():
        return  # execute-api is the APIs that were made, and no model has them
    model = service_model(service)
    assert scope in (model.metadata.get("signingName"), model.metadata["endpointPrefix"])
    for name in model.operation_names:
        path = model.operation_model(name).http["requestUri"]
        target = f"{model.metadata.get('targetPrefix', '')}.{name}"
        assert service_of(scope, path, target) == service


@pytest.mark.parametrize("scope", ["nothing", "lambda"])
def test_what_no_service_offers_is_no_call(scope: str) -> None:
    assert (
        read_call(
            environ("GET", "/what/is/this"), account=ACCOUNT_ID, region="eu-west-1", scope=scope
        )
        is None
    )


@pytest.mark.parametrize(
    ("scope", "path", "content_type"),
    [
        ("sns", "/", FORM),
        ("states", "/", "application/x-amz-json-1.0"),
        ("s3", "/bucket/key", FORM),
        ("s3", "/bucket/key", "application/octet-stream"),
        ("sagemaker", "/endpoints/e/invocations", FORM),
    ],
)
def test_the_body_is_left_for_those_who_answer(scope: str, path: str, content_type: str) -> None:
    body = b"Action=Publish&Message=" + b"m" * 1000
    request = environ("PUT", path, data=body, content_type=content_type)
    read_call(request, account=ACCOUNT_ID, region="eu-west-1", scope=scope)
    assert request["wsgi.input"].read() == body


def test_a_request_without_the_query_that_it_needs_is_read_by_its_path() -> None:
    """AWS names what is missing: ``Value null at 'tagKeys'`` (recorded of Lambda by LocalStack's
    suite, 2025)."""
    arn = "arn:aws:lambda:eu-west-1:123456789012:function:f"
    read = call("lambda", "DELETE", f"/2017-03-31/tags/{arn}")
    assert (read.operation, read.parameters) == ("UntagResource", {"Resource": arn})
    tags = call("apigateway", "DELETE", "/v2/tags/a")
    assert (tags.service, tags.operation) == ("apigatewayv2", "UntagResource")
