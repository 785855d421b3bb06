"""REST APIs that answer: from a request to a stage, by what was deployed to it.

Sources: API Gateway developer guide, "Control and manage access to REST APIs", "$context variables
for data models, authorizers, mapping templates, and CloudWatch access logging", "Request
validation for REST APIs". Which requests are whose, and what a context has, was
recorded by LocalStack's suite, 2024.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from werkzeug import Response

from local_aws.arn import arn_in
from local_aws.context import LocalContext
from local_aws.web.door import json_answer
from local_aws.web.paths import matched
from local_aws.web.records import Record, Records
from local_aws.web.request import MAX_BYTES, WebRequest

from .authorizers import Authorizers
from .control import SNAPSHOT
from .failures import GatewayFailure
from .integrations import Integrations, Invocation
from .mapping import Sides
from .parts import methods_of

Snapshot = Mapping[str, Record]


@dataclass(frozen=True)
class Engine:
    """What all REST APIs of one local AWS share."""

    context: LocalContext
    records: Records
    authorizers: Authorizers
    integrations: Integrations

    @classmethod
    def of(cls, context: LocalContext, records: Records) -> Engine:
        """The engine over what the control plane keeps."""
        return cls(context, records, Authorizers(context, records), Integrations(context))


class RestApi:
    """One API, as whoever calls it sees it."""

    def __init__(self, engine: Engine, region: str, api_id: str, host: str) -> None:
        self._engine = engine
        self._region = region
        self._id = api_id
        self._path = f"{region}/restapis/{api_id}"
        self.host = host

    def lets_pages_of(self, origin: str, request: WebRequest) -> bool:
        """Whether the resource's own OPTIONS, of type MOCK, names the origin and the method."""
        found = self._stage_of(request)
        if found is None:
            return False
        stage, snapshot, within = found
        route = _route(snapshot, "OPTIONS", within.path)
        if route is None or route.method.get("methodIntegration", {}).get("type") != "MOCK":
            return False
        answer = self._answer(replace(within, method="OPTIONS"), stage, snapshot)
        methods = answer.headers.get("Access-Control-Allow-Methods", "").replace(" ", "").split(",")
        return answer.headers.get("Access-Control-Allow-Origin") in ("*", origin) and bool(
            request.method in ("OPTIONS", "GET", "HEAD", "POST")
            or {"*", request.method} & set(methods)
        )

    def answer(self, request: WebRequest) -> Response:
        """The answer of the stage that the path begins with."""
        found = self._stage_of(request)
        if found is None:
            return json_answer(403, {"message": "Forbidden"}, [_FORBIDDEN])
        stage, snapshot, within = found
        return self._answer(within, stage, snapshot)

    def _stage_of(self, request: WebRequest) -> tuple[Record, Snapshot, WebRequest] | None:
        """The stage, what was deployed to it, and the request with the path below it."""
        name, _, rest = request.path.removeprefix("/").partition("/")
        stage = self._engine.records.find(f"{self._path}/stages/{name}")
        if stage is None:
            return None
        deployment = self._engine.records.find(f"{self._path}/deployments/{stage['deploymentId']}")
        if deployment is None:
            return None
        return stage, deployment[SNAPSHOT], replace(request, path=f"/{rest}")

    def _answer(self, request: WebRequest, stage: Record, snapshot: Snapshot) -> Response:
        variables = {k: str(v) for k, v in (stage.get("variables") or {}).items()}
        context = self._context(request, stage)
        try:
            if len(request.body) > MAX_BYTES:
                raise GatewayFailure("REQUEST_TOO_LARGE", "Request Too Long")
            route = _route(snapshot, request.method, request.path)
            if route is None or "methodIntegration" not in route.method:
                raise GatewayFailure("MISSING_AUTHENTICATION_TOKEN", "Missing Authentication Token")
            context |= {"resourceId": route.resource["id"], "resourcePath": route.resource["path"]}
            arn = self._arn(stage, request.method, route.resource["path"])
            given = Invocation(
                request=request,
                method=route.method,
                resource=route.resource["path"],
                path=request.path,
                sides=Sides(request, route.parameters, context, variables),
                source_arn=arn,
                binary_types=tuple(snapshot[""].get("binaryMediaTypes") or ()),
            )
            called = self._arn(stage, request.method, request.path)
            self._engine.authorizers.judge(given, snapshot, called)
            _validate(given, snapshot, self._id)
            answer = self._engine.integrations.answer(given)
        except GatewayFailure as failure:
            known = {"context": context, "stageVariables": variables}
            answer = failure.answer(request, snapshot, known)
        answer.headers["x-amzn-RequestId"] = request.request_id
        answer.headers["x-amz-apigw-id"] = context["extendedRequestId"]
        return answer

    def _context(self, request: WebRequest, stage: Record) -> dict[str, Any]:
        """``$context``, of which a function gets all."""
        agent = request.header("User-Agent") or None
        return {
            "accountId": self._engine.context.account_id,
            "apiId": self._id,
            "deploymentId": stage.get("deploymentId"),
            "domainName": self.host,
            "domainPrefix": self._id,
            "extendedRequestId": uuid4().hex[:15] + "=",
            "httpMethod": request.method,
            "identity": {
                **dict.fromkeys(_IDENTITY),
                "sourceIp": request.source_ip,
                "userAgent": agent,
            },
            "path": f"/{stage['stageName']}{request.path}",
            "protocol": request.protocol,
            "requestId": request.request_id,
            "requestTime": request.time_text,
            "requestTimeEpoch": int(request.at * 1000),
            "stage": stage["stageName"],
        }

    def _arn(self, stage: Record, method: str, path: str) -> str:
        account = self._engine.context.account_id
        resource = f"{self._id}/{stage['stageName']}/{method}{path}"
        return arn_in(self._region, "execute-api", account, resource)


@dataclass(frozen=True)
class _Route:
    resource: Record
    method: Record
    parameters: dict[str, str]


def _route(snapshot: Snapshot, method: str, path: str) -> _Route | None:
    """The resource and method that a path means: whole names go before parameters, and those
    before ``{proxy+}``; a trailing slash counts for nothing."""
    parts = path.strip("/").split("/") if path.strip("/") else []
    best: tuple[list[int], _Route] | None = None
    for rest, resource in snapshot.items():
        if not rest.startswith("/resources/") or rest.count("/") != 2:
            continue
        fits = matched([each for each in resource["path"].split("/") if each], parts)
        if fits is None or (best is not None and best[0] <= fits[0]):
            continue
        below = {k[len(rest) :]: v for k, v in snapshot.items() if k.startswith(f"{rest}/")}
        methods = methods_of(below)
        found = methods.get(method) or methods.get("ANY")
        if found is not None:
            best = (fits[0], _Route(resource, found, fits[1]))
    return None if best is None else best[1]


def _validate(given: Invocation, snapshot: Snapshot, api_id: str) -> None:
    """Raise `GatewayFailure` where the method's validator finds something missing or wrong."""
    validator = snapshot.get(f"/requestvalidators/{given.method.get('requestValidatorId')}", {})
    if validator.get("validateRequestParameters"):
        missing = list(_missing(given))
        if missing:
            said = f"Missing required request parameters: [{', '.join(missing)}]"
            raise GatewayFailure("BAD_REQUEST_PARAMETERS", said)
    if validator.get("validateRequestBody"):
        models = given.method.get("requestModels") or {}
        name = models.get("application/json") or models.get("$default") or "Empty"
        from jsonschema import Draft4Validator
        from jsonschema.exceptions import SchemaError

        try:
            value = json.loads(given.request.body or b"{}")
            valid = Draft4Validator(_schema(snapshot, name, api_id)).is_valid(value)
        except (ValueError, KeyError, SchemaError):
            valid = False
        if not valid:
            raise GatewayFailure("BAD_REQUEST_BODY", "Invalid request body")


def _missing(given: Invocation) -> Iterator[str]:
    known = given.sides.parameters()
    for expression, required in sorted((given.method.get("requestParameters") or {}).items()):
        place, _, name = expression.removeprefix("method.request.").partition(".")
        if required and name not in known.get(place, {}):
            yield name


def _schema(snapshot: Snapshot, name: str, api_id: str) -> dict[str, Any]:
    """A model's schema, with those that it refers to within it."""
    texts = {
        rest.removeprefix("/models/"): record["schema"]
        for rest, record in snapshot.items()
        if rest.startswith("/models/")
    }
    place = f'"https://apigateway.amazonaws.com/restapis/{api_id}/models/'
    schemas = {
        key: json.loads(text.replace(place, '"#/definitions/')) for key, text in texts.items()
    }
    return {**schemas[name], "definitions": {**schemas, **schemas[name].get("definitions", {})}}


_FORBIDDEN = ("x-amzn-ErrorType", "ForbiddenException")
_IDENTITY = (
    *("accessKey", "accountId", "caller", "cognitoAuthenticationProvider"),
    *("cognitoAuthenticationType", "cognitoIdentityId", "cognitoIdentityPoolId"),
    *("principalOrgId", "user", "userArn"),
)
"""What a request says of who sends it, null where nobody is known."""
