"""Errors as AWS answers them: in the protocol of the service that was called."""

from __future__ import annotations

import json
import uuid
from xml.sax.saxutils import escape

from werkzeug import Request, Response

from sagemaker_serving.local.authentication import Scope
from sagemaker_serving.local.protocol import AwsError, Family, family_of

JSON = "application/x-amz-json-1.1"
XML = "text/xml"


def error_answer(request: Request, scope: Scope, error: AwsError) -> Response:
    """The error in the protocol of the service that was called."""
    family = family_of(request.environ, scope.service)
    if family is Family.JSON:
        body = json.dumps({"__type": error.code, "message": error.message})
        return Response(body, error.status, content_type=JSON, headers=[request_id()])
    if family is Family.REST_JSON:
        return Response(
            json.dumps({"Message": error.message, **error.members}),
            error.status,
            mimetype="application/json",
            headers=[("x-amzn-ErrorType", error.code), request_id()],
        )
    body, content_type = _XML[family](error), "application/xml" if family is Family.S3 else XML
    return Response(body, error.status, content_type=content_type)


def _query_error(error: AwsError) -> str:
    sender = "Receiver" if error.status >= 500 else "Sender"
    return (
        '<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">'
        f"<Error><Type>{sender}</Type>{_code_and_message(error)}</Error>"
        f"<RequestId>{uuid.uuid4()}</RequestId></ErrorResponse>"
    )


def _ec2_error(error: AwsError) -> str:
    return (
        f"<Response><Errors><Error>{_code_and_message(error)}</Error></Errors>"
        f"<RequestID>{uuid.uuid4()}</RequestID></Response>"
    )


def _s3_error(error: AwsError) -> str:
    return f"<Error>{_code_and_message(error)}</Error>"


_XML = {Family.QUERY: _query_error, Family.EC2: _ec2_error, Family.S3: _s3_error}


def _code_and_message(error: AwsError) -> str:
    return f"<Code>{escape(error.code)}</Code><Message>{escape(error.message)}</Message>"


def request_id() -> tuple[str, str]:
    """The header that AWS gives every answer."""
    return ("x-amzn-RequestId", str(uuid.uuid4()))


def crash_of(request: Request, scope: Scope) -> AwsError:
    """What a caller is told of a failure of the local AWS's own."""
    what = scope.service or request.headers.get("X-Amz-Target", "") or request.path
    return AwsError(
        "InternalFailure",
        f"the local AWS failed on this request to {what}; its log has the cause",
        status=500,
    )
