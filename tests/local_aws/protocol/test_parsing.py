"""Requests are read as botocore writes them: every operation of the API, there and back."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from botocore.serialize import create_serializer
from werkzeug.test import EnvironBuilder

from local_aws.credentials import ACCOUNT_ID
from local_aws.protocol.call import Call, read_call
from local_aws.protocol.models import service_model

FORM = "application/x-www-form-urlencoded"
SCOPES = {
    "cloudformation": "cloudformation",
    "lambda": "lambda",
    "sagemaker": "sagemaker",
    "stepfunctions": "states",
    "sts": "sts",
}
PROTOCOLS = {
    "cloudformation": "query",
    "lambda": "rest-json",
    "sagemaker": "json",
    "stepfunctions": "json",
    "sts": "query",
}


def sample(shape: Any, depth: int = 0) -> Any:
    """A value of the shape; optional members deep inside are left out."""
    match shape.type_name:
        case "structure":
            names = shape.members if depth < 3 else shape.required_members
            return {
                name: sample(shape.members[name], depth + 1)
                for name in names
                if shape.members[name].type_name != "timestamp"  # text or number, by its place
            }
        case "list":
            return [sample(shape.member, depth + 1)]
        case "map":
            return {"key": sample(shape.value, depth + 1)}
        case "integer" | "long":
            return 7
        case "float" | "double":
            return 0.5
        case "boolean":
            return True
        case "blob":
            return b"\x00\xff"
        case _:
            return "arn:aws:lambda:eu-west-1:123456789012:function:a name/of £:$LATEST"


def environ_of(service: str, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The request as botocore writes it."""
    protocol, model = PROTOCOLS[service], service_model(service).operation_model(operation)
    made = create_serializer(protocol, False).serialize_to_request(parameters, model)
    path, _, query = made["url_path"].partition("?")
    pairs = [
        (name, each)
        for name, value in (made["query_string"] or {}).items()
        for each in (value if isinstance(value, list) else [value])
    ]
    body: Any = made["body"] or b""
    builder = EnvironBuilder(
        path=quote(path, safe="/%"),
        method=made["method"],
        headers=[(name, str(value)) for name, value in made["headers"].items()],
        data=urlencode(body) if isinstance(body, dict) else body,
        query_string="&".join(each for each in (query, urlencode(pairs)) if each),
    )
    environ: dict[str, Any] = builder.get_environ()
    return environ


def as_json(value: Any) -> Any:
    """As a body in JSON has it: bytes in base64."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    return [as_json(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("service", SCOPES)
def test_what_botocore_sends_is_what_is_read(service: str) -> None:
    for operation in service_model(service).operation_names:
        _is_read_as_it_was_sent(service, operation)


def _is_read_as_it_was_sent(service: str, operation: str) -> None:
    shape = service_model(service).operation_model(operation).input_shape
    wanted = {} if shape is None else sample(shape)
    for name, member in () if shape is None else shape.members.items():
        if member.serialization.get("location") == "uri":
            wanted[name] = wanted[name].replace("/", "") if isinstance(wanted[name], str) else 7
    environ = environ_of(service, operation, wanted)
    call = read_call(environ, account=ACCOUNT_ID, region="eu-west-1", scope=SCOPES[service])
    assert call is not None
    assert (call.service, call.operation, call.malformed) == (service, operation, None)
    payload = None if shape is None else shape.serialization.get("payload")
    for name, value in wanted.items():
        raw = name == payload and shape.members[name].type_name == "blob"
        seen = call.parameters[name]
        if shape.members[name].serialization.get("location") == "uri":
            assert str(seen) == str(value)
        else:
            assert seen == (value if raw else as_json(value))


def call_to(service: str, body: str | bytes, **headers: str) -> Call:
    content_type = FORM if service == "cloudformation" else "application/x-amz-json-1.1"
    builder = EnvironBuilder("/", method="POST", data=body, content_type=content_type)
    builder.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    call = read_call(
        builder.get_environ(), account=ACCOUNT_ID, region="eu-west-1", scope=SCOPES[service]
    )
    assert call is not None
    return call


@pytest.mark.parametrize("body", ["{", "[]", "1", b"\xff"])
@pytest.mark.parametrize(
    ("service", "target"),
    [
        ("sagemaker", "SageMaker.CreateModel"),
        ("stepfunctions", "AWSStepFunctions.StartExecution"),
    ],
)
def test_a_body_that_is_no_object_is_malformed(
    service: str, target: str, body: str | bytes
) -> None:
    call = call_to(service, body, X_Amz_Target=target)
    assert call.operation == target.partition(".")[2]
    assert call.malformed is not None
    assert call.malformed.code == "SerializationException"


def test_a_document_keeps_what_it_says() -> None:
    said = {"ModelName": 1, "Other": [None], "Tags": "x", "VpcConfig": {"Subnets": {"a": 1}}}
    call = call_to("sagemaker", json.dumps(said), X_Amz_Target="SageMaker.CreateModel")
    assert call.parameters == said


def test_members_that_are_null_are_absent() -> None:
    said = {"ModelName": None, "Other": None, "PrimaryContainer": {"Image": None, "Mode": "a"}}
    call = call_to("sagemaker", json.dumps(said), X_Amz_Target="SageMaker.CreateModel")
    assert call.parameters == {"PrimaryContainer": {"Mode": "a"}}


@pytest.mark.parametrize("query", ["MaxItems=many", "MaxItems=1.5"])
def test_a_text_in_a_numbers_place_is_named(query: str) -> None:
    environ = EnvironBuilder("/2015-03-31/functions", query_string=query).get_environ()
    call = read_call(environ, account=ACCOUNT_ID, region="eu-west-1", scope="lambda")
    assert call is not None
    assert call.malformed is not None
    assert "at 'MaxItems' is not a number" in call.malformed.message
    form = call_to("cloudformation", "Action=CreateStack&TimeoutInMinutes=soon")
    assert form.malformed is not None
    assert form.malformed.message == "TimeoutInMinutes is 'soon', not a number"


def test_a_form_keeps_order_and_empty_lists() -> None:
    members = "&".join(f"Capabilities.member.{n}={n}" for n in range(12, 0, -1))
    call = call_to(
        "cloudformation",
        f"Action=CreateStack&StackName=s&{members}&NotificationARNs=&DisableRollback=false"
        "&Parameters.member.2.ParameterKey=B&Parameters.member.2.UsePreviousValue=true"
        "&Parameters.member.1.ParameterKey=A&Parameters.member.1.ParameterValue=",
    )
    assert call.parameters == {
        "StackName": "s",
        "Capabilities": [str(n) for n in range(1, 13)],
        "NotificationARNs": [],
        "DisableRollback": False,
        "Parameters": [
            {"ParameterKey": "A", "ParameterValue": ""},
            {"ParameterKey": "B", "UsePreviousValue": True},
        ],
    }


def test_a_member_that_is_a_value_and_has_members_is_malformed() -> None:
    call = call_to("cloudformation", "Action=CreateStack&StackName=x&StackName.y=1")
    assert call.malformed is not None
    assert call.malformed.code == "MalformedQueryString"
