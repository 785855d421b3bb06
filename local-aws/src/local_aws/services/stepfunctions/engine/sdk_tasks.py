"""How ``aws-sdk:*`` tasks of Step Functions ask AWS's APIs, and write what they answer."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError
from botocore.response import StreamingBody

from local_aws.protocol import AwsError
from local_aws.protocol.validation import require_members


def as_request(value: Any, shape: Any) -> Any:
    """A task's parameters as boto3 takes them.

    Members may begin with a capital whatever the API's own spelling. A JSON value stands for
    its text where the API wants text, and for its bytes where it wants a body; so does a text
    that becomes a body, quotes and all, as on AWS.
    """
    kind = getattr(shape, "type_name", "")
    if isinstance(value, dict) and kind == "structure":
        names = {name.casefold(): name for name in shape.members}
        known = {key: names.get(key.casefold(), key) for key in value}
        return {
            known[key]: as_request(member, shape.members.get(known[key]))
            for key, member in value.items()
        }
    if isinstance(value, dict) and kind == "map":
        return {key: as_request(member, shape.value) for key, member in value.items()}
    if isinstance(value, list) and kind == "list":
        return [as_request(member, shape.member) for member in value]
    if kind == "blob" and not isinstance(value, bytes):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    if kind == "string" and not isinstance(value, str):
        return json.dumps(value)
    return value


def without_nulls(value: Any, shape: Any) -> Any:
    """A task's parameters without the members that are null: AWS's SDKs do not send them."""
    kind = getattr(shape, "type_name", "")
    if isinstance(value, dict) and kind == "structure":
        members = {name.casefold(): member for name, member in shape.members.items()}
        return {
            name: without_nulls(member, members.get(name.casefold()))
            for name, member in value.items()
            if member is not None
        }
    if isinstance(value, dict) and kind == "map":
        return {key: without_nulls(member, shape.value) for key, member in value.items()}
    if isinstance(value, list) and kind == "list":
        return [without_nulls(member, shape.member) for member in value]
    return value


def require(parameters: Mapping[str, Any], operation: Any) -> None:
    """Raise the service's ClientError unless all is given that its operation requires.

    SQS has a code and words of its own; recorded by LocalStack's suite, 2023.
    """
    shape = operation.input_shape
    try:
        require_members(shape, as_request(parameters, shape), "ValidationException")
    except AwsError as refused:
        code, message = refused.code, refused.message
        if operation.service_model.service_name == "sqs":
            given = {name.casefold() for name in parameters}
            absent = next(name for name in shape.required_members if name.casefold() not in given)
            code = "MissingParameter"
            message = f"The request must contain the parameter {absent}."
        answer = {
            "Error": {"Code": code, "Message": message},
            "ResponseMetadata": {"HTTPStatusCode": refused.status, "RequestId": str(uuid.uuid4())},
        }
        raise ClientError(answer, operation.name) from None


def as_json(value: Any, shape: Any) -> Any:
    """An answer of boto3 as a state's output has it.

    Members begin with a capital whatever the API's own spelling, times are ISO
    8601 in UTC, bodies are text. Keys of maps are data and stay as they are.
    """
    kind = getattr(shape, "type_name", "")
    if isinstance(value, dict) and kind == "structure":
        return {
            key[:1].upper() + key[1:]: as_json(member, shape.members.get(key))
            for key, member in value.items()
        }
    if isinstance(value, dict):
        return {
            key: as_json(member, getattr(shape, "value", None)) for key, member in value.items()
        }
    if isinstance(value, list):
        return [as_json(member, getattr(shape, "member", None)) for member in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, (StreamingBody, bytes)):
        content = value if isinstance(value, bytes) else value.read()
        return content.decode("utf-8", "replace")
    return value
