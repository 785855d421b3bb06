"""Which operation of which service a request asks for, and with what parameters."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import UnknownServiceError
from moto.core.parse import PROTOCOL_PARSERS
from moto.core.request import Request, determine_request_protocol
from moto.core.routing import get_service_router
from moto.core.utils import get_service_model
from werkzeug.exceptions import HTTPException

from sagemaker_serving.local.authentication.authenticator import UPLOAD_FORM
from sagemaker_serving.local.protocol import AwsError

_BY_SCOPE = {
    "states": "stepfunctions",
    "monitoring": "cloudwatch",
    "email": "ses",
    "tagging": "resourcegroupstaggingapi",
}
"""boto3's names of services whose requests are signed for another one."""

_PARSED_WITHOUT_BODY = ("s3", "sagemaker-runtime")
"""Bodies of any size, in which is nothing that is judged."""


@dataclass(frozen=True, kw_only=True)
class ApiCall:
    """One call of an API: ``service`` is boto3's name for it, ``parameters`` are its input.

    ``headers`` and ``query`` are the request's own, by lower-case name.
    """

    service: str
    operation: str
    region: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    read_body: Callable[[], bytes] = bytes


def read_call(environ: dict[str, Any], *, region: str, scope: str) -> ApiCall | None:
    """What a WSGI request asks for; None when no service of AWS has such an operation.

    ``scope`` is the service that the request is signed for. Where the body is
    read for its parameters, it is put back for those who answer.
    """
    service = _BY_SCOPE.get(scope, scope)
    request = Request(environ)
    if service == "sagemaker" and request.path.startswith("/endpoints/"):
        service = "sagemaker-runtime"

    form = environ.get(UPLOAD_FORM)
    if form is not None:
        return ApiCall(
            service="s3",
            operation="PutObject",
            region=region,
            parameters={"Bucket": form.bucket, "Key": form.key},
            headers={"x-amz-acl": form.fields["acl"]} if "acl" in form.fields else {},
        )

    def body() -> bytes:
        content: bytes = request.get_data(cache=True)
        environ["wsgi.input"] = io.BytesIO(content)
        environ["CONTENT_LENGTH"] = str(len(content))
        environ.pop("HTTP_TRANSFER_ENCODING", None)
        return content

    if service not in _PARSED_WITHOUT_BODY:
        body()
    operation, in_path = _operation(request, service)
    if operation is None:
        return None
    return ApiCall(
        service=service,
        operation=operation,
        region=region,
        parameters=_parameters(request, service, operation, in_path),
        headers={name.lower(): value for name, value in request.headers.items()},
        query={name.lower(): value for name, value in request.args.items()},
        read_body=body,
    )


def refuse_target_of_another_service(environ: dict[str, Any], scope: str) -> None:
    """Raise `AwsError` when X-Amz-Target names an operation of a service that was not signed for.

    What a request asks for and what it was signed for are told apart by different headers: a
    signature for one service must not do for another.
    """
    target = environ.get("HTTP_X_AMZ_TARGET", "")
    if not target:
        return
    try:
        prefix = get_service_model(_BY_SCOPE.get(scope, scope)).metadata.get("targetPrefix", "")
    except UnknownServiceError:
        return
    # Services that share a scope share the beginning: DynamoDB_20120810, DynamoDBStreams_20120810.
    stem = prefix.partition("_")[0]
    if not stem or not target.startswith(stem):
        raise AwsError(
            "InvalidSignatureException",
            "Credential should be scoped to correct service: "
            f"'{scope}' has no operation '{target[:80]}'.",
        )


def _operation(request: Request, service: str) -> tuple[str | None, dict[str, Any]]:
    target = request.headers.get("X-Amz-Target", "")
    if target:
        return target.rpartition(".")[2], {}
    if service not in _PARSED_WITHOUT_BODY and "Action" in request.values:
        return request.values["Action"], {}
    if "/operation/" in request.path:  # Smithy RPC: /service/<name>/operation/<operation>
        return request.path.rpartition("/")[2], {}
    try:
        operation, in_path = get_service_router(service).match(request)
    except (HTTPException, NotImplementedError, UnknownServiceError):
        return None, {}
    return operation.name, dict(in_path)


def _parameters(
    request: Request, service: str, operation: str, in_path: dict[str, Any]
) -> dict[str, Any]:
    """The operation's input; of S3's only what is not in the body. Empty when unreadable.

    A body that the service itself will refuse must not fail here.
    """
    if service in _PARSED_WITHOUT_BODY:
        return in_path
    try:
        model = get_service_model(service)
        parser = PROTOCOL_PARSERS[determine_request_protocol(model, request.content_type)]
        return dict(
            parser(model.operation_model(operation)).parse(
                {
                    "method": request.method,
                    "values": request.values,
                    "headers": request.headers,
                    "body": request.data,
                    "url_path": request.path,
                    "url_params": in_path,
                }
            )
        )
    except Exception:  # parsers raise whatever a malformed body leads them to
        return _json(request.get_data()) or in_path


def _json(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
