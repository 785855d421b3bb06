"""Requests are read as botocore writes them: every operation of the API, there and back."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from botocore.serialize import create_serializer
from werkzeug import Request
from werkzeug.test import EnvironBuilder

from sagemaker_serving.local.api_models import service_model
from sagemaker_serving.local.lambda_functions.rest import read_call, write_answer
from sagemaker_serving.local.protocol import AwsError

OPERATIONS = service_model("lambda").operation_names


def sample(shape: Any, depth: int = 0) -> Any:
    """A value of the shape; members of structures that are deep inside are left out."""
    match shape.type_name:
        case "structure":
            names = shape.required_members if depth else shape.members
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


def request_of(operation: str, parameters: dict[str, Any]) -> Request:
    model = service_model("lambda").operation_model(operation)
    made = create_serializer("rest-json", False).serialize_to_request(parameters, model)
    path, _, query = made["url_path"].partition("?")
    given = made["query_string"]
    pairs = [
        (name, each)
        for name, value in given.items()
        for each in (value if isinstance(value, list) else [value])
    ]
    builder = EnvironBuilder(
        path=quote(path, safe="/%"),
        method=made["method"],
        headers=[(name, str(value)) for name, value in made["headers"].items()],
        data=made["body"] or b"",
        query_string="&".join(each for each in (query, urlencode(pairs)) if each),
    )
    return Request(builder.get_environ())


def as_json(value: Any) -> Any:
    """As a body in JSON has it: bytes in base64."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    return [as_json(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_botocore_sends_is_what_is_read(operation: str) -> None:
    shape = service_model("lambda").operation_model(operation).input_shape
    wanted = {} if shape is None else sample(shape)
    for name, member in () if shape is None else shape.members.items():
        if member.serialization.get("location") == "uri":
            wanted[name] = wanted[name].replace("/", "") if isinstance(wanted[name], str) else 7
    call = read_call("lambda", request_of(operation, wanted))
    assert call.operation == operation
    payload = None if shape is None else shape.serialization.get("payload")
    for name, value in wanted.items():
        raw = name == payload and shape.members[name].type_name == "blob"
        seen = call.parameters[name]
        if shape.members[name].serialization.get("location") == "uri":
            assert str(seen) == str(value)
        else:
            assert seen == (value if raw else as_json(value))


def test_an_answer_has_its_members_in_their_places() -> None:
    output = {"StatusCode": 202, "FunctionError": "Unhandled", "Payload": b"{}", "Other": 1}
    response = write_answer("lambda", "Invoke", output)
    assert response.status_code == 202
    assert response.headers["X-Amz-Function-Error"] == "Unhandled"
    assert response.data == b"{}"
    assert write_answer("lambda", "TagResource", {}).status_code == 204


@pytest.mark.parametrize("body", ["{", "[]"])
def test_a_body_that_is_no_object_is_refused(body: str) -> None:
    environ = EnvironBuilder("/2015-03-31/functions", method="POST", data=body).get_environ()
    with pytest.raises(AwsError) as refused:
        read_call("lambda", Request(environ))
    assert refused.value.code == "SerializationException"


def test_a_path_that_nothing_has_is_refused() -> None:
    with pytest.raises(AwsError) as refused:
        read_call("lambda", Request(EnvironBuilder("/2015-03-31/nothing").get_environ()))
    assert (refused.value.status, refused.value.code) == (404, "UnknownOperationException")
