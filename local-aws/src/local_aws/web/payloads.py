"""A request as functions behind APIs get it, and their answer as it is sent: formats 1.0 and 2.0.

Sources: API Gateway developer guide, "Input format of a Lambda function for proxy integration",
"Create AWS Lambda proxy integrations for HTTP APIs"; Lambda developer guide, "Request and response
payloads" of function URLs. Headers' cases, a path's trailing slash, nulls and what
an answer may not have were recorded by LocalStack's suite, 2024.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from werkzeug import Response
from werkzeug.datastructures import Headers

from local_aws.web.request import WebRequest, grouped

_NOT_SENT_ON = ("content-length", "connection")


class Malformed(Exception):
    """A function's answer is none that the format knows."""


def forwarded(request: WebRequest) -> list[tuple[str, str]]:
    """The headers that a request's target sees."""
    own = [each for each in request.headers if not each[0].lower().startswith("x-forwarded-")]
    return [
        *own,
        ("X-Forwarded-For", request.source_ip),
        ("X-Forwarded-Port", "443"),
        ("X-Forwarded-Proto", "https"),
    ]


def event_1(
    request: WebRequest,
    *,
    context: Mapping[str, Any],
    resource: str,
    path: str,
    path_parameters: Mapping[str, str],
    stage_variables: Mapping[str, str],
    is_binary: bool,
) -> dict[str, Any]:
    """Format 1.0: everything is there, absent is null."""
    headers = {
        _capitalized(name): values
        for name, values in grouped(forwarded(request)).items()
        if name.lower() not in _NOT_SENT_ON
    }
    query = grouped(request.query)
    body, encoded = _body(request.body, is_binary=is_binary)
    return {
        "resource": resource,
        "path": path,
        "httpMethod": request.method,
        "headers": {name: values[-1] for name, values in headers.items()},
        "multiValueHeaders": headers,
        "queryStringParameters": {name: values[-1] for name, values in query.items()} or None,
        "multiValueQueryStringParameters": query or None,
        "pathParameters": dict(path_parameters) or None,
        "stageVariables": dict(stage_variables) or None,
        "requestContext": dict(context),
        "body": body,
        "isBase64Encoded": encoded,
    }


def event_2(
    request: WebRequest,
    *,
    api_id: str,
    account: str,
    stage: str,
    path: str,
    route_key: str = "$default",
    authorizer: Mapping[str, Any] | None = None,
    path_parameters: Mapping[str, str] | None = None,
    stage_variables: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Format 2.0: several values of one name are joined by commas, what is absent is not there."""
    headers = grouped(forwarded(request), lower=True)
    cookies = [
        each.strip() for line in headers.pop("cookie", ()) for each in line.split(";") if each
    ]
    query = grouped(request.query)
    kind = request.header("Content-Type").partition(";")[0].strip().lower()
    is_text = kind.startswith("text/") or kind in _TEXTS or kind.endswith(("+json", "+xml"))
    body, encoded = _body(request.body, is_binary=bool(request.body) and not is_text)
    event = {
        "version": "2.0",
        "routeKey": route_key,
        "rawPath": path,
        "rawQueryString": request.raw_query,
        "cookies": cookies or None,
        "headers": {name: ",".join(values) for name, values in headers.items()},
        "queryStringParameters": {name: ",".join(values) for name, values in query.items()} or None,
        "requestContext": {
            "accountId": account,
            "apiId": api_id,
            **({} if authorizer is None else {"authorizer": dict(authorizer)}),
            "domainName": request.host,
            "domainPrefix": request.host.partition(".")[0],
            "http": {
                "method": request.method,
                "path": path,
                "protocol": request.protocol,
                "sourceIp": request.source_ip,
                "userAgent": request.header("User-Agent"),
            },
            "requestId": request.request_id,
            "routeKey": route_key,
            "stage": stage,
            "time": request.time_text,
            "timeEpoch": int(request.at * 1000),
        },
        "pathParameters": path_parameters or None,
        "stageVariables": stage_variables or None,
        "body": body,
        "isBase64Encoded": encoded,
    }
    return {name: value for name, value in event.items() if value is not None}


def answer_1(
    value: Any, *, decode: bool = True, default_type: str = "application/json"
) -> Response:
    """The answer that a function gave in format 1.0; ``decode``: base64 is taken for bytes.

    Raises `Malformed`.
    """
    if not isinstance(value, dict) or not value.keys() <= _ANSWER_1:
        raise Malformed
    single, several = value.get("headers") or {}, value.get("multiValueHeaders") or {}
    if not isinstance(single, dict) or not isinstance(several, dict):
        raise Malformed
    lists = all(isinstance(each, list) for each in several.values())
    if not lists or any(not isinstance(each, str | bool) for each in single.values()):
        raise Malformed
    headers = Headers([(name, _text(each)) for name, each in single.items()])
    for name, values in several.items():
        beside = headers.getlist(name)
        headers.setlist(
            name, [*map(_text, values), *(each for each in beside if each not in values)]
        )
    if "content-type" not in headers:
        headers["Content-Type"] = default_type
    content = _content(value.get("body"), encoded=decode and bool(value.get("isBase64Encoded")))
    return Response(content, _status(value.get("statusCode"), 200), headers)


def answer_2(value: Any, *, default_type: str) -> Response:
    """The answer in format 2.0, where whatever has no ``statusCode`` is itself the body.

    ``default_type`` is the content type of one that has. Raises `Malformed`.
    """
    if not isinstance(value, dict) or "statusCode" not in value:
        text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
        return Response(text, 200, content_type="application/json")
    headers = Headers([(name, _text(each)) for name, each in (value.get("headers") or {}).items()])
    for cookie in value.get("cookies") or ():
        headers.add("Set-Cookie", cookie)
    if "content-type" not in headers:
        headers["Content-Type"] = default_type
    content = _content(value.get("body"), encoded=bool(value.get("isBase64Encoded")))
    return Response(content, _status(value["statusCode"], 200), headers)


_ANSWER_1 = {"statusCode", "headers", "multiValueHeaders", "body", "isBase64Encoded"}
_TEXTS = ("application/json", "application/xml", "application/javascript", "")
"""What a function behind an HTTP API or a function URL gets as text; all else is base64 (API
Gateway developer guide, "Create AWS Lambda proxy integrations for HTTP APIs")."""


def _capitalized(name: str) -> str:
    """Two headers are written anew on the way (recorded by LocalStack's suite, 2024)."""
    return name.title() if name.lower() in ("authorization", "user-agent") else name


def _body(content: bytes, *, is_binary: bool) -> tuple[str | None, bool]:
    if not content:
        return None, False
    try:
        if not is_binary:
            return content.decode(), False
    except UnicodeDecodeError:
        pass
    return base64.b64encode(content).decode(), True


def _content(body: Any, *, encoded: bool) -> bytes:
    if body is None:
        return b""
    if not isinstance(body, str):
        raise Malformed
    try:
        return base64.b64decode(body, validate=True) if encoded else body.encode()
    except ValueError:
        raise Malformed from None


def _status(given: Any, default: int) -> int:
    try:
        status = default if given is None else int(given)
    except (TypeError, ValueError):
        raise Malformed from None
    if not 100 <= status <= 599:
        raise Malformed
    return status


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
