"""Where a method leads: a function, a service of AWS, nowhere.

Sources: API Gateway developer guide, "Integrations for REST APIs"; API reference, PutIntegration.
What AWS sends by itself, and how it chooses an answer, was recorded by
LocalStack's suite, 2024.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

import requests
import yaml
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from werkzeug import Response

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.protocol.models import service_model, service_names, service_of
from local_aws.web.functions import Functions, NotPermitted, TooSlow, within
from local_aws.web.heads import headed
from local_aws.web.payloads import Malformed, answer_1, event_1
from local_aws.web.records import Record
from local_aws.web.request import WebRequest

from .failures import INTERNAL, GatewayFailure, internal
from .mapping import Sides
from .velocity_values import TemplateError


@dataclass(frozen=True, kw_only=True)
class Invocation:
    """One request on its way through a method: ``source_arn`` is what a function's policy names."""

    request: WebRequest
    method: Record
    resource: str
    path: str
    sides: Sides
    source_arn: str
    binary_types: tuple[str, ...]

    @property
    def integration(self) -> Record:
        """The method's."""
        found: Record = self.method["methodIntegration"]
        return found

    @property
    def seconds(self) -> float:
        """How long its answer may take."""
        return int(self.integration.get("timeoutInMillis", 29000)) / 1000

    def is_binary(self, media_type: str) -> bool:
        """Whether the API takes this type for bytes."""
        kind = media_type.partition(",")[0].partition(";")[0].strip().lower()
        return any(fnmatchcase(kind, each.lower()) for each in self.binary_types)


@dataclass(frozen=True)
class Answer:
    """What an integration gave: ``selects`` is what chooses among the integration's responses."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    selects: str = ""


class Integrations:
    """Those of one local AWS."""

    def __init__(self, context: LocalContext) -> None:
        self._context = context
        self._functions = Functions(context)

    def answer(self, given: Invocation) -> Response:
        """The method's answer. Raises `GatewayFailure`."""
        kind = given.integration["type"]
        try:
            if kind == "AWS_PROXY":
                return self._function_proxy(given)
            if kind in ("HTTP", "HTTP_PROXY"):
                said = f"the local AWS leads no method to another server ({kind})"
                raise GatewayFailure("INTEGRATION_FAILURE", said)
            return self._mapped(given, kind)
        except TooSlow:
            raise GatewayFailure("INTEGRATION_TIMEOUT", "Endpoint request timed out") from None
        except NotPermitted:
            raise internal() from None
        except requests.RequestException:
            raise GatewayFailure("INTEGRATION_FAILURE", INTERNAL) from None
        except (TemplateError, ValueError):
            raise internal() from None

    def _function_proxy(self, given: Invocation) -> Response:
        event = event_1(
            given.request,
            context=given.sides.context,
            resource=given.resource,
            path=given.path,
            path_parameters=given.sides.path_parameters,
            stage_variables=given.sides.stage_variables,
            is_binary=given.is_binary(given.request.header("Content-Type")),
        )
        payload = json.dumps(event).encode()
        if given.integration.get("responseTransferMode") == "STREAM":
            try:
                return headed(self._invoked(given, payload, self._functions.stream), _head)
            except (Malformed, ValueError):
                raise internal() from None
        outcome = self._invoked(given, payload, self._functions.call)
        if outcome.failed:
            raise internal(502)
        try:
            decode = given.is_binary(given.request.header("Accept"))
            return answer_1(json.loads(outcome.payload or b"null"), decode=decode)
        except (Malformed, ValueError):
            raise internal(502) from None

    def _invoked(self, given: Invocation, payload: bytes, call: Callable[..., Any]) -> Any:
        """What ``call`` of `Functions` says. Raises `GatewayFailure` and what it raises."""
        if given.integration.get("httpMethod", "POST") != "POST":
            raise internal()
        arn = self._uri(given, {}).partition("/functions/")[2].rpartition("/")[0]
        try:
            return call(
                arn,
                payload,
                source_arn=given.source_arn,
                role_arn=self._role(given),
                seconds=given.seconds,
            )
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code == "RequestTooLargeException":
                raise GatewayFailure("REQUEST_TOO_LARGE", "Request Too Long") from None
            raise internal(500 if code == "ResourceNotFoundException" else 502) from None

    def _mapped(self, given: Invocation, kind: str) -> Response:
        """MOCK and AWS: templates on the way there and back."""
        body = self._request_body(given)
        mapped = self._parameters(given)
        override = given.sides.overrides.get("requestOverride", {})
        for place, values in mapped.items():
            values |= {k: str(v) for k, v in (override.get(place) or {}).items()}
        if kind == "MOCK":
            answer = _mocked(body)
        elif "lambda:path/" in given.integration["uri"]:
            answer = self._function(given, body, mapped["header"])
        else:
            answer = self._service(given, body, mapped)
        return self._response(given, answer)

    def _request_body(self, given: Invocation) -> bytes:
        """The body as the integration's request has it. Raises UNSUPPORTED_MEDIA_TYPE."""
        integration, content = given.integration, given.request.body
        templates = integration.get("requestTemplates") or {}
        kind = self._content_type(given)
        template = templates.get(kind) or templates.get("$default")
        behavior = integration.get("passthroughBehavior")
        if template is None and (
            behavior == "NEVER" or (behavior == "WHEN_NO_TEMPLATES" and templates)
        ):
            raise GatewayFailure("UNSUPPORTED_MEDIA_TYPE", "Unsupported Media Type")
        content = _converted(
            content, given.is_binary(kind), integration.get("contentHandling"), keep=True
        )
        if not template:
            return content
        return given.sides.render(template, content.decode()).encode()

    def _response(self, given: Invocation, answer: Answer) -> Response:
        """The method's answer, of the integration's response that this one selects."""
        chosen = _selected(given.integration, answer.selects)
        templates = chosen.get("responseTemplates") or {}
        headers = given.sides.response_headers(
            chosen.get("responseParameters") or {}, answer.headers, answer.body
        )
        accepted = given.request.header("Accept").rpartition(",")[2].strip()
        kind = next((each for each in (accepted, "application/json") if each in templates), None)
        kind = kind or next(iter(templates), None)
        body = _converted(
            answer.body,
            given.is_binary(answer.headers.get("Content-Type", "")),
            chosen.get("contentHandling"),
            keep=given.is_binary(given.request.header("Accept")),
        )
        status = int(chosen["statusCode"])
        if kind is not None and templates[kind]:
            body = given.sides.render(templates[kind], body.decode()).encode()
        override = given.sides.overrides.get("responseOverride", {})
        stated = override.get("status")
        if isinstance(stated, int) and 100 <= stated <= 599:
            status = stated
        headers |= {name: str(value) for name, value in (override.get("header") or {}).items()}
        response = Response(body, status)
        response.headers["Content-Type"] = kind or "application/json"
        response.headers.update(headers)
        return response

    def _function(self, given: Invocation, body: bytes, headers: Mapping[str, str]) -> Answer:
        stated = {name.lower(): value for name, value in headers.items()}
        call = self._functions.call
        if stated.get("x-amz-invocation-type") == "Event":
            call = partial(call, InvocationType="Event")
        outcome = self._invoked(given, body or b"{}", call)
        said = ""
        if outcome.failed:
            value = json.loads(outcome.payload)
            said = str(value.get("errorMessage", "")) if isinstance(value, dict) else ""
        return Answer(200, outcome.payload, {"Content-Type": "application/json"}, said)

    def _service(
        self, given: Invocation, body: bytes, mapped: Mapping[str, Mapping[str, str]]
    ) -> Answer:
        """An operation of a service of AWS, asked for by its own request, in the role's name."""
        role = self._role(given)
        if role is None:
            raise internal()
        arn = Arn.parse(self._uri(given, mapped["path"]))
        subdomain, _, scope = arn.account.rpartition(".")
        form, _, rest = arn.resource.partition("/")
        headers = {
            "Content-Type": self._content_type(given),
            "Accept": "application/json",
            "User-Agent": f"AmazonAPIGateway_{given.sides.context['apiId']}",
            **mapped["header"],
        }
        query, path = dict(mapped["querystring"]), f"/{rest}"
        if form == "action":
            path = "/"
            headers, query, body = _for_action(scope, rest, headers, query, body)
        elif scope == "s3" and subdomain:
            path = f"/{subdomain}{path}"
        session = self._functions.session(role)
        url = self._context.url + quote(path, safe="/%~-_.:+@")
        url += f"?{urlencode(query)}" if query else ""
        signed = AWSRequest(self._method(given), url, headers, body)
        own = Credentials(session.access_key_id, session.secret_access_key, session.session_token)
        (S3SigV4Auth if scope == "s3" else SigV4Auth)(own, scope, arn.region).add_auth(signed)
        return _sent(signed, given.seconds)

    def _parameters(self, given: Invocation) -> dict[str, dict[str, str]]:
        expressions = given.integration.get("requestParameters") or {}
        return given.sides.mapped(expressions, "integration.request.")

    def _content_type(self, given: Invocation) -> str:
        return given.request.header("Content-Type") or "application/json"

    def _method(self, given: Invocation) -> str:
        stated = given.integration.get("httpMethod") or "ANY"
        return given.request.method if stated == "ANY" else str(stated)

    def _uri(self, given: Invocation, path: Mapping[str, str]) -> str:
        uri = _with_stage_variables(str(given.integration.get("uri", "")), given.sides)
        return re.sub(r"{(\w[\w.-]*)\+?}", lambda name: path.get(name[1], name[0]), uri)

    def _role(self, given: Invocation) -> str | None:
        stated = given.integration.get("credentials")
        return _with_stage_variables(str(stated), given.sides) if stated else None


def _head(said: Mapping[str, Any]) -> Response:
    """Raises `Malformed`."""
    answer = answer_1({name: value for name, value in said.items() if name != "cookies"})
    for cookie in said.get("cookies") or ():
        answer.headers.add("Set-Cookie", cookie)
    return answer


def _sent(signed: AWSRequest, seconds: float) -> Answer:
    """A service's answer. Raises `TooSlow` and RequestException."""

    def ask() -> requests.Response:
        with requests.Session() as session:
            session.trust_env = False
            headers = {str(name): str(value) for name, value in signed.headers.items()}
            return session.request(
                signed.method, signed.url, headers=headers, data=signed.data, timeout=seconds
            )

    try:
        answer = within(seconds, ask)
    except requests.Timeout:
        raise TooSlow from None
    status = answer.status_code
    return Answer(status, answer.content, dict(answer.headers), str(status))


def _mocked(body: bytes) -> Answer:
    """MOCK's answer: the template says its status, and nothing else of it is read."""
    try:
        status = int(yaml.safe_load(body)["statusCode"])  # names need no quotes there
    except (yaml.YAMLError, ValueError, KeyError, TypeError):
        raise internal() from None
    return Answer(status, b"", {}, str(status))


def _selected(integration: Record, selects: str) -> Record:
    """The response whose pattern is all of what selects; else the one without a pattern."""
    responses = list((integration.get("integrationResponses") or {}).values())
    for each in responses:
        pattern = each.get("selectionPattern")
        if pattern and re.fullmatch(pattern, selects):
            return dict(each)
    found = next((each for each in responses if not each.get("selectionPattern")), None)
    if found is None:
        raise GatewayFailure("API_CONFIGURATION_ERROR", INTERNAL)
    return dict(found)


def _converted(content: bytes, is_binary: bool, handling: str | None, *, keep: bool) -> bytes:
    """A body by the table of "Content type conversions in API Gateway" (developer guide).

    ``keep``: bytes stay bytes where nothing is said.
    """
    if is_binary and (handling == "CONVERT_TO_TEXT" or (handling is None and not keep)):
        return base64.b64encode(content)
    if not is_binary and handling == "CONVERT_TO_BINARY":
        try:
            return base64.b64decode(content, validate=True)
        except binascii.Error:
            raise internal() from None
    return content


def _for_action(
    scope: str, action: str, headers: dict[str, str], query: dict[str, str], body: bytes
) -> tuple[dict[str, str], dict[str, str], bytes]:
    """An action as its service's protocol names it."""
    service = service_of(scope)
    if service not in service_names():
        raise internal()
    model = service_model(service)
    if model.protocol != "json":
        return headers, {"Action": action, "Version": model.api_version, **query}, body
    own = {
        "X-Amz-Target": f"{model.metadata['targetPrefix']}.{action}",
        "Content-Type": f"application/x-amz-json-{model.metadata.get('jsonVersion', '1.0')}",
    }
    return {**headers, **own}, query, body


def _with_stage_variables(text: str, sides: Sides) -> str:
    return re.sub(
        r"\$\{stageVariables\.(\w+)\}",
        lambda name: str(sides.stage_variables.get(name[1], "")),
        text,
    )
