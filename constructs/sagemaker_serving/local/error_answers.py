"""Errors as AWS answers them: in the protocol of the service that was called."""

from __future__ import annotations

import json
import uuid
from xml.sax.saxutils import escape

from werkzeug import Request, Response

from sagemaker_serving.local.callers import CredentialScope
from sagemaker_serving.local.protocol import AwsError

JSON = "application/x-amz-json-1.1"
XML = "text/xml"


def error_answer(request: Request, scope: CredentialScope, error: AwsError) -> Response:
    """The error in the protocol of the service that was called."""
    if "X-Amz-Target" in request.headers:
        body = json.dumps({"__type": error.code, "message": error.message})
        return Response(body, error.status, content_type=JSON, headers=[request_id()])
    if scope.service == "s3":
        body = f"<Error>{_code_and_message(error)}</Error>"
        return Response(body, error.status, content_type="application/xml")
    if scope.service == "cloudformation" or request.mimetype == _FORM:
        return _query_error(error)
    members = {"Message": error.message, **error.members}
    return Response(
        json.dumps(members),
        error.status,
        mimetype="application/json",
        headers=[("x-amzn-ErrorType", error.code), request_id()],
    )


_FORM = "application/x-www-form-urlencoded"


def _query_error(error: AwsError) -> Response:
    request_id = uuid.uuid4()
    sender = "Receiver" if error.status >= 500 else "Sender"
    body = (
        '<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">'
        f"<Error><Type>{sender}</Type>{_code_and_message(error)}</Error>"
        f"<RequestId>{request_id}</RequestId></ErrorResponse>"
    )
    return Response(body, error.status, content_type=XML)


def _code_and_message(error: AwsError) -> str:
    return f"<Code>{escape(error.code)}</Code><Message>{escape(error.message)}</Message>"


def request_id() -> tuple[str, str]:
    """The header that AWS gives every answer."""
    return ("x-amzn-RequestId", str(uuid.uuid4()))


def crash_of(request: Request, scope: CredentialScope) -> AwsError:
    """What a caller is told of a failure of the local AWS's own."""
    what = scope.service or request.headers.get("X-Amz-Target", "") or request.path
    return AwsError(
        "InternalFailure",
        f"the local AWS failed on this request to {what}; its log has the cause",
        status=500,
    )
