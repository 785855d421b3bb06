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

_BY_SCOPE = {
    "states": "stepfunctions",
    "monitoring": "cloudwatch",
    "email": "ses",
    "tagging": "resourcegroupstaggingapi",
    "": "s3",  # presigned in the old way, which S3 alone still has
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
