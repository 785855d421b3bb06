"""How a REST API fails: gateway responses, by type, as AWS has them and as an API changes them.

Sources: API Gateway developer guide, "Gateway response types"; headers and
messages were recorded by LocalStack's suite, 2024.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from werkzeug import Response

from local_aws.web.records import Record
from local_aws.web.request import WebRequest

INTERNAL = "Internal server error"

_VARIABLE = re.compile(r"\$\{?(context|stageVariables)\.([\w.-]*\w)\}?")

_TYPES: Mapping[str, tuple[int, str]] = {
    "ACCESS_DENIED": (403, "AccessDeniedException"),
    "API_CONFIGURATION_ERROR": (500, "InternalServerErrorException"),
    "AUTHORIZER_CONFIGURATION_ERROR": (500, "AuthorizerConfigurationException"),
    "AUTHORIZER_FAILURE": (500, "AuthorizerFailureException"),
    "BAD_REQUEST_BODY": (400, "BadRequestException"),
    "BAD_REQUEST_PARAMETERS": (400, "BadRequestException"),
    "DEFAULT_4XX": (400, "BadRequestException"),
    "DEFAULT_5XX": (500, "InternalServerErrorException"),
    "INTEGRATION_FAILURE": (504, "InternalServerErrorException"),
    "INTEGRATION_TIMEOUT": (504, "InternalServerErrorException"),
    "INVALID_API_KEY": (403, "ForbiddenException"),
    "INVALID_SIGNATURE": (403, "InvalidSignatureException"),
    "MISSING_AUTHENTICATION_TOKEN": (403, "MissingAuthenticationTokenException"),
    "REQUEST_TOO_LARGE": (413, "RequestTooLargeException"),
    "UNAUTHORIZED": (401, "UnauthorizedException"),
    "UNSUPPORTED_MEDIA_TYPE": (415, "BadRequestException"),
}


class GatewayFailure(Exception):
    """A request that a REST API answers itself; ``status`` is another than its type's."""

    def __init__(self, kind: str, message: str | None, *, status: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.status = status or _TYPES[kind][0]

    def answer(
        self, request: WebRequest, snapshot: Mapping[str, Record], variables: Mapping[str, Any]
    ) -> Response:
        """The answer, by the API's own gateway response where it has one."""
        context = {
            **variables["context"],
            "error": {
                "message": self.message,
                "messageString": json.dumps(self.message),
                "responseType": self.kind,
            },
        }
        known = {**variables, "context": context}
        general = "DEFAULT_5XX" if self.status >= 500 else "DEFAULT_4XX"
        own = snapshot.get(f"/gatewayresponses/{self.kind}") or snapshot.get(
            f"/gatewayresponses/{general}", {}
        )
        templates = own.get("responseTemplates") or {}
        kind, template = next(iter(templates.items()), ("application/json", None))
        if template is None:
            # The one type whose member begins with a capital (recorded by LocalStack's suite).
            member = "Message" if self.kind == "ACCESS_DENIED" else "message"
            content = json.dumps({member: self.message})
        else:
            content = filled(template, known)
        answer = Response(content, int(own.get("statusCode") or self.status), content_type=kind)
        answer.headers["x-amzn-ErrorType"] = _TYPES[self.kind][1]
        for name, expression in (own.get("responseParameters") or {}).items():
            value = _mapped(expression, request, known)
            if value:
                answer.headers[name.removeprefix("gatewayresponse.header.")] = value
        return answer


def internal(status: int = 500) -> GatewayFailure:
    """What AWS says of a failure that is not the caller's."""
    return GatewayFailure("DEFAULT_5XX", INTERNAL, status=status)


def _mapped(expression: str, request: WebRequest, variables: Mapping[str, Any]) -> str:
    if expression.startswith("'"):
        return expression.strip("'")
    if expression.startswith("method.request.header."):
        return request.header(expression.removeprefix("method.request.header."))
    if expression.startswith("method.request.querystring."):
        return dict(request.query).get(expression.removeprefix("method.request.querystring."), "")
    return filled(f"${expression}", variables, absent="")


def filled(text: str, variables: Mapping[str, Any], *, absent: str = "-") -> str:
    """``text`` with ``$context.identity.sourceIp`` and its like replaced, and no more."""

    def value(found: re.Match[str]) -> str:
        value: Any = variables.get(found[1], {})
        for name in found[2].split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        if value is None or value == "":
            return absent
        return value if isinstance(value, str) else json.dumps(value)

    return _VARIABLE.sub(value, text)
