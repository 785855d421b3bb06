"""One call of AWS's APIs, read once from its request, whatever protocol it is written in.

botocore's models say where each parameter stands; the emulator's parsers, which follow them,
find it there. Documents are left as they are (times, numbers, members that no model knows), so
that what judges them sees what was sent.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from uuid import uuid4

from botocore.exceptions import UnknownServiceError
from moto.core.request import Request
from moto.core.routing import get_service_router
from werkzeug.exceptions import HTTPException

from local_aws.protocol import AwsError, openai_route, two_way_route
from local_aws.protocol.models import operation_model, service_model, service_names, service_of
from local_aws.protocol.parsing import conflicting_flags, parse, protocol_of

JUDGED = "local_aws.call"
"""Where the `Call` that a request was read as and judged for stands, in its WSGI environment."""

_RPC = "smithy-rpc-v2-cbor"
RPC_PATH = re.compile(r"/service/[^/]+/operation/(?P<operation>[A-Za-z]+)")
"""Smithy RPC v2: https://smithy.io/2.0/additional-specs/protocols/smithy-rpc-v2.html."""

PARSED_WITHOUT_BODY = ("s3", "sagemaker-runtime", "sagemaker-inference-router-runtime")
"""Bodies of any size, in which is nothing that is judged."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of an API: ``service`` is boto3's name for it, ``parameters`` are its input.

    ``account`` has what the call is about: all that it names without an account is there.

    ``headers`` and ``query`` are the request's own, by lower-case name; ``request`` is there for
    those whose bodies are not read here. ``malformed`` is why
    a request cannot be read, for the service to raise when it is its turn; ``protocol`` is the one
    that it is written in: json, rest-json, query …; ``caller`` is who has signed it, None nobody.
    """

    service: str
    operation: str
    account: str
    region: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    read_body: Callable[[], bytes] = bytes
    request: Request | None = None
    malformed: AwsError | None = None
    caller: Any = None
    protocol: str = ""
    request_id: str = field(default_factory=lambda: str(uuid4()))

    @property
    def invalid(self) -> str:
        """The code of what a call gives wrongly, where its service has none of its own."""
        codes = {"query": "ValidationError", "rest-xml": "InvalidArgument"}
        return codes.get(self.protocol, "ValidationException")

    @property
    def model(self) -> Any:
        """botocore's model of the operation; None when the service has no such operation."""
        return operation_model(self.service, self.operation)


def read_call(
    environ: dict[str, Any], *, account: str, region: str, scope: str, caller: Any = None
) -> Call | None:
    """What a WSGI request asks for; None when no service of AWS has such an operation.

    ``scope`` is the service that the request is signed for. Where the body is
    read for its parameters, it is put back for those who answer.
    """
    request = Request(environ)
    service = service_of(scope, request.path, request.headers.get("X-Amz-Target", ""))
    if service not in service_names():
        return None

    def body() -> bytes:
        content: bytes = request.get_data(cache=True)
        environ["wsgi.input"] = io.BytesIO(content)
        environ["CONTENT_LENGTH"] = str(len(content))
        environ.pop("HTTP_TRANSFER_ENCODING", None)
        return content

    if service not in PARSED_WITHOUT_BODY:
        body()
    protocol = protocol_of(request, service)
    operation, in_path = _operation(request, service, protocol)
    if operation is None:
        return None
    if service in PARSED_WITHOUT_BODY:
        parameters, malformed = in_path, conflicting_flags(request, service)
    else:
        parameters, malformed = parse(request, service, operation, in_path)
    return Call(
        service=service,
        operation=operation,
        account=account,
        region=region,
        parameters=parameters,
        headers={name.lower(): value for name, value in request.headers.items()},
        query={name.lower(): value for name, value in request.args.items()},
        read_body=body,
        request=request,
        malformed=malformed,
        protocol=protocol,
        caller=caller,
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
        prefix = service_model(service_of(scope)).metadata.get("targetPrefix", "")
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


def _operation(request: Request, service: str, protocol: str) -> tuple[str | None, dict[str, Any]]:
    """The operation, from where the protocol has it and nowhere else, and what is in the path.

    A name that another protocol would have (an object's key with ``/operation/`` in it, an Action
    in the query of a JSON call) must neither be judged nor done.
    """
    if protocol in ("query", "ec2"):
        return request.values.get("Action"), {}
    if protocol in ("json", _RPC):
        path = RPC_PATH.fullmatch(request.path) if protocol == _RPC else None
        target = request.headers.get("X-Amz-Target", "").rpartition(".")[2]
        return (target or None) if path is None else path["operation"], {}
    openai = openai_route(request.path) if service == "sagemaker-runtime" else None
    if openai is not None:
        return ("InvokeEndpoint", openai) if request.method == "POST" else (None, {})
    two_way = two_way_route(request.path) if service == "sagemaker-runtime" else None
    if two_way is not None and request.method == "POST":
        return "InvokeEndpointWithBidirectionalStream", two_way
    try:
        operation, in_path = get_service_router(service).match(request)
    except HTTPException:
        return _by_path_alone(request, service, protocol)
    except (NotImplementedError, UnknownServiceError):
        return None, {}
    return operation.name, dict(in_path)


def _by_path_alone(
    request: Request, service: str, protocol: str
) -> tuple[str | None, dict[str, Any]]:
    """The only operation that has the path, of a request without a query that it cannot do without;
    the emulator's router finds none, where AWS names what is missing."""
    if protocol != "rest-json":
        return None, {}
    found = [
        (name, match)
        for name, method, path in _paths(service)
        if method == request.method and (match := path.fullmatch(request.path)) is not None
    ]
    return (found[0][0], found[0][1].groupdict()) if len(found) == 1 else (None, {})


@cache
def _paths(service: str) -> list[tuple[str, str, re.Pattern[str]]]:
    """The operations with a query that must be given: name, method, and the path's pattern."""
    model = service_model(service)
    operations = [model.operation_model(name) for name in model.operation_names]
    return [
        (each.name, each.http["method"], _path_pattern(each))
        for each in operations
        if "querystring" in _places(each.input_shape).values()
    ]


def _places(shape: Any) -> dict[str, str]:
    """Where the members stand that must be given."""
    names = () if shape is None else shape.required_members
    return {name: shape.members[name].serialization.get("location", "") for name in names}


def _path_pattern(operation: Any) -> re.Pattern[str]:
    """An operation's path, with a group for each member that stands in it."""
    shape = operation.input_shape
    labels = {each.serialization.get("name"): name for name, each in shape.members.items()}

    def group(label: re.Match[str]) -> str:
        inner = ".+" if label["greedy"] else "[^/]+"
        return f"(?P<{labels[label['name']]}>{inner})"

    path = re.escape(operation.http["requestUri"].partition("?")[0])
    return re.compile(
        re.sub(r"\\{(?P<name>[\w\\-]+?)(?P<greedy>\\\+)?\\}", group, path.replace(r"\-", "-"))
    )
