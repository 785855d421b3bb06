"""Answers in the protocol of the service that was called: outputs, and errors.

Outputs are written by the emulator's serializers, by botocore's models. Errors are AWS's own to
the letter, code, status and further members, and are written here: the serializers want an
operation, which a request that is refused may not have, and take status and members from the
error's model, which most codes of refusals do not have.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from moto.core.serialize import SerializationContext, get_serializer_class
from moto.core.utils import get_value
from werkzeug import Request, Response

from local_aws.protocol import AwsError, Family, family_of, openai_route
from local_aws.protocol.call import Call
from local_aws.protocol.models import service_model, service_names, service_of

JSON = "application/x-amz-json-1.1"
XML = "text/xml"

_CONTENT_TYPES = {"json": JSON, "rest-json": "application/json", "query": XML, "rest-xml": XML}
"""What an answer is that does not say it itself."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_answer(call: Call, output: Mapping[str, Any]) -> Response:
    """``output`` as the answer to ``call``; members that are None are left out.

    What XML 1.0 has no way to carry (a log's colour codes) becomes U+FFFD.
    """
    model = call.model
    serializer = get_serializer_class(call.service, call.protocol)(
        model, context=SerializationContext(call.request_id)
    )
    serializer.get_value = _picked  # it would describe each member's place first, for nobody
    written = serializer.serialize(output)
    body = written["body"]
    if call.protocol in ("query", "rest-xml") and isinstance(body, str):
        body = carried_by_xml(body).replace("\r", "&#13;")
    response = Response(body, _status_of(model, output, written["status_code"]))
    response.headers.update({"Content-Type": _CONTENT_TYPES[call.protocol], **written["headers"]})
    response.headers["x-amzn-RequestId"] = call.request_id
    if response.status_code == 204:
        response.data = b""
        del response.headers["Content-Type"]
    return response


def carried_by_xml(text: str) -> str:
    """``text`` with U+FFFD for what XML 1.0 has no way to carry."""
    return _NOT_XML.sub("\ufffd", text)


def _status_of(model: Any, output: Mapping[str, Any], usually: int) -> int:
    """The status, which an operation may have among its members: Invoke has."""
    members = {} if model.output_shape is None else model.output_shape.members
    said = (
        output.get(name)
        for name, member in members.items()
        if member.serialization.get("location") == "statusCode"
    )
    return next((int(status) for status in said if status is not None), usually)


def _picked(output: Any, key: str, shape: Any) -> Any:
    """A member's value; times may be seconds since the epoch."""
    value = output.get(key) if isinstance(output, dict) else get_value(output, key, None)
    if isinstance(value, int | float) and shape.type_name == "timestamp":
        return datetime.fromtimestamp(value, UTC)
    return value


def error_answer(request: Request, service: str, error: AwsError) -> Response:
    """The error in the protocol of the service that was called."""
    if openai_route(request.path) is not None:
        return _openai_error(error)
    family = family_of(request.environ, service)
    if family is Family.JSON:
        body = json.dumps({"__type": error.code, "message": error.message})
        return Response(body, error.status, content_type=JSON, headers=[request_id()])
    if family is Family.REST_JSON:
        return Response(
            json.dumps(_rest_json_error(error, service)),
            error.status,
            mimetype="application/json",
            headers=[("x-amzn-ErrorType", error.code), request_id()],
        )
    body, content_type = (
        _XML[family](error, service),
        "application/xml" if family is Family.S3 else XML,
    )
    return Response(body, error.status, content_type=content_type)


def _openai_error(error: AwsError) -> Response:
    """OpenAI's envelope, which the route has for refusals of its own, too.

    Codes of validation and of the model as stdapi.ai measured them on an endpoint; what is not
    allowed is written by their pattern, unverified.
    """
    code = re.sub("(?<=[a-z])(?=[A-Z])", "_", error.code.removesuffix("Exception")).lower()
    kind = "server_error" if code == "model_error" or error.status >= 500 else _OPENAI_USERS
    content = {"error": {"message": error.message, "type": kind, "code": code}}
    return Response(
        json.dumps(content, separators=(",", ":")),
        error.status,
        mimetype="application/json",
        headers=[request_id()],
    )


_OPENAI_USERS = "invalid_request_error"


def _rest_json_error(error: AwsError, service: str) -> dict[str, object]:
    """The error's members under the names that its model has: Lambda's differ in ``message``.

    Lambda's say beside whose fault it is (Lambda API reference, "Errors" of each action).
    """
    name = service_of(service)
    known = (
        service_model(name).shape_for_error_code(error.code) if name in service_names() else None
    )
    members = {} if known is None else known.members
    message = next((each for each in members if each.lower() == "message"), "Message")
    at_fault = {"Type": "User" if error.status < 500 else "Service"} if "Type" in members else {}
    return {message: error.message, **at_fault, **error.members}


def _query_error(error: AwsError, service: str) -> str:
    sender = "Receiver" if error.status >= 500 else "Sender"
    name = service_of(service)
    known = service_model(name).metadata.get("xmlNamespace") if name in service_names() else None
    namespace = "" if known is None else f' xmlns="{known}"'
    return (
        f"<ErrorResponse{namespace}><Error><Type>{sender}</Type>{_code_and_message(error)}</Error>"
        f"<RequestId>{uuid.uuid4()}</RequestId></ErrorResponse>"
    )


def _ec2_error(error: AwsError, _: str) -> str:
    return (
        f"<Response><Errors><Error>{_code_and_message(error)}</Error></Errors>"
        f"<RequestID>{uuid.uuid4()}</RequestID></Response>"
    )


def _s3_error(error: AwsError, _: str) -> str:
    return f"<Error>{_code_and_message(error)}</Error>"


_XML = {Family.QUERY: _query_error, Family.EC2: _ec2_error, Family.S3: _s3_error}


def _code_and_message(error: AwsError) -> str:
    message = escape(carried_by_xml(error.message))
    return f"<Code>{escape(error.code)}</Code><Message>{message}</Message>"


def request_id() -> tuple[str, str]:
    """The header that AWS gives every answer."""
    return ("x-amzn-RequestId", str(uuid.uuid4()))


def crash_of(call: Call | None, log: Path) -> AwsError:
    """What a caller is told of a failure of the local AWS's own; ``log`` has its cause."""
    what = "a request" if call is None else f"{call.operation} of {call.service}"
    return AwsError(
        "InternalFailure", f"the local AWS failed on {what}; {log} says why", status=500
    )
