"""HTTP APIs that answer: stages, routes, CORS, functions.

Sources: API Gateway developer guide, "Create routes for HTTP APIs", "Create AWS Lambda proxy
integrations for HTTP APIs", "Configure CORS for HTTP APIs".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import unquote

from botocore.exceptions import ClientError
from werkzeug import Response

from local_aws.arn import arn_in
from local_aws.context import LocalContext
from local_aws.web import cors
from local_aws.web.door import json_answer
from local_aws.web.functions import Functions, NotPermitted, Outcome, TooSlow
from local_aws.web.paths import matched
from local_aws.web.payloads import Malformed, answer_1, answer_2, event_1, event_2
from local_aws.web.records import Record, Records
from local_aws.web.request import MAX_BYTES, WebRequest

from .authorizers import Authorizers
from .calls import INTERNAL, Call, Refused, function_arn

SNAPSHOT = "Snapshot"
"""The member of a deployment that nobody is shown: the API as it was, by paths."""

DEFAULT = "$default"


class HttpApi:
    """One API, as whoever calls it sees it."""

    def __init__(
        self, context: LocalContext, records: Records, region: str, api_id: str, host: str
    ) -> None:
        self._context = context
        self._records = records
        self._functions = Functions(context)
        self._region = region
        self._id = api_id
        self._path = f"{region}/v2/apis/{api_id}"
        self._authorizers = Authorizers(
            context, region, partial(self._event, authorizer=None), self._invoked
        )
        self.host = host

    def lets_pages_of(self, origin: str, request: WebRequest) -> bool:
        """Whether the API's CORS configuration names the origin and the method."""
        return cors.lets(self._cors(), origin, request.method)

    def answer(self, request: WebRequest) -> Response:
        """The answer of the stage that the path begins with, or of $default."""
        stage, path = self._stage_of(request)
        try:
            answer = self._answer(request, stage, path)
        except Refused as refused:
            answer = json_answer(refused.status, {"message": refused.message}, refused.headers)
        configured = self._cors()
        if configured:
            for name, _ in list(answer.headers):
                if name.lower().startswith(_CORS):
                    answer.headers.pop(name, None)
            answer.headers.update(cors.headers_for(configured, request))
        answer.headers["apigw-requestid"] = request.request_id
        return answer

    def _answer(self, request: WebRequest, stage: Record | None, path: str) -> Response:
        if len(request.body) > MAX_BYTES:
            raise Refused(413, "Request Entity Too Large")
        if self._cors() and cors.is_preflight(request):
            return Response(status=204)
        snapshot = None if stage is None else self._deployed(stage)
        if stage is None or snapshot is None:
            raise Refused(404, "Not Found")
        found = _route(snapshot, request.method, path)
        if found is None:
            raise Refused(404, "Not Found")
        route, parameters = found
        raw_path = unquote(request.path)
        call = Call(
            request=request,
            stage=stage,
            snapshot=snapshot,
            path=path,
            raw_path=raw_path,
            route=route,
            parameters=parameters,
            arn=self._arn(stage, route),
        )
        authorizer = self._authorizers.judge(call)
        if not route.get("Target"):
            raise Refused(500, INTERNAL)
        integration = snapshot[f"/{route['Target']}"]
        try:
            other = integration.get("IntegrationSubtype") or integration["IntegrationType"]
            if other != "AWS_PROXY":
                said = "the local AWS leads an HTTP API to functions, to no service or other server"
                raise Refused(500, f"{said} ({other})")
            return self._function(call, integration, authorizer)
        except TooSlow:
            raise Refused(503, "Service Unavailable") from None

    def _function(
        self, call: Call, integration: Record, authorizer: dict[str, Any] | None
    ) -> Response:
        version = integration.get("PayloadFormatVersion", "1.0")
        event = self._event(call, version, authorizer)
        try:
            outcome = self._invoked(
                function_arn(str(integration["IntegrationUri"]), call.stage),
                event,
                call.arn,
                integration.get("CredentialsArn"),
                int(integration["TimeoutInMillis"]) / 1000,
            )
            if outcome.failed:
                raise Refused(500, INTERNAL)
            value = json.loads(outcome.payload or b"null")
            if version == "2.0":
                return answer_2(value, default_type="text/plain; charset=utf-8")
            return answer_1(value, default_type="text/plain; charset=utf-8")
        except (Malformed, ValueError):
            raise Refused(500, INTERNAL) from None

    def _invoked(
        self, arn: str, event: dict[str, Any], source: str, role: str | None, seconds: float
    ) -> Outcome:
        try:
            return self._functions.call(
                arn, event, source_arn=source, role_arn=role, seconds=seconds
            )
        except NotPermitted:
            raise Refused(500, INTERNAL) from None
        except ClientError as error:
            throttled = error.response["Error"]["Code"] == "TooManyRequestsException"
            status, said = (503, "Service Unavailable") if throttled else (500, INTERNAL)
            raise Refused(status, said) from None

    def _event(self, call: Call, version: str, authorizer: dict[str, Any] | None) -> dict[str, Any]:
        request, variables = call.request, call.stage.get("StageVariables") or {}
        stage, key = call.stage["StageName"], call.route["RouteKey"]
        account = self._context.account_id
        if version == "2.0":
            return event_2(
                request,
                api_id=self._id,
                account=account,
                stage=stage,
                path=call.raw_path,
                route_key=key,
                authorizer=authorizer,
                path_parameters=call.parameters,
                stage_variables=variables,
            )
        resource = key.partition(" ")[2] or key
        context = {
            "accountId": account,
            "apiId": self._id,
            "domainName": self.host,
            "domainPrefix": self._id,
            "extendedRequestId": request.request_id,
            "httpMethod": request.method,
            "identity": {
                **dict.fromkeys(_IDENTITY),
                "sourceIp": request.source_ip,
                "userAgent": request.header("User-Agent"),
            },
            "path": call.raw_path,
            "protocol": request.protocol,
            "requestId": request.request_id,
            "requestTime": request.time_text,
            "requestTimeEpoch": int(request.at * 1000),
            "resourceId": key,
            "resourcePath": resource,
            "stage": stage,
            **({} if authorizer is None else {"authorizer": _in_format_1(authorizer)}),
        }
        event = event_1(
            request,
            context=context,
            resource=resource,
            path=call.raw_path,
            path_parameters=call.parameters,
            stage_variables=variables,
            is_binary=False,
        )
        return {"version": "1.0", **event}

    def _stage_of(self, request: WebRequest) -> tuple[Record | None, str]:
        """The stage, and the decoded path that its routes are matched with."""
        name, _, rest = request.path.removeprefix("/").partition("/")
        stage = self._records.find(f"{self._path}/stages/{unquote(name)}")
        if stage is not None and name != DEFAULT:
            return stage, unquote(f"/{rest}")
        return self._records.find(f"{self._path}/stages/{DEFAULT}"), unquote(request.path)

    def _deployed(self, stage: Record) -> Mapping[str, Record] | None:
        """The API as it is, where a stage deploys by itself; else as it was deployed."""
        if stage.get("AutoDeploy"):
            return {"": self._records.get(self._path), **self._records.below(self._path)}
        found = self._records.find(f"{self._path}/deployments/{stage.get('DeploymentId')}")
        return None if found is None else found[SNAPSHOT]

    def _cors(self) -> Mapping[str, Any]:
        return (self._records.find(self._path) or {}).get("CorsConfiguration") or {}

    def _arn(self, stage: Record, route: Record) -> str:
        """What a function's policy names: the route, whose ``ANY`` and ``$default`` stay."""
        key = route["RouteKey"]
        method, _, path = key.partition(" ")
        what = f"{method}{path}" if path else key
        resource = f"{self._id}/{stage['StageName']}/{what}"
        return arn_in(self._region, "execute-api", self._context.account_id, resource)


_CORS = "access-control-"
_IDENTITY = (
    *("accessKey", "accountId", "caller", "cognitoAmr", "cognitoAuthenticationProvider"),
    *("cognitoAuthenticationType", "cognitoIdentityId", "cognitoIdentityPoolId"),
    *("principalOrgId", "user", "userArn"),
)


def _route(
    snapshot: Mapping[str, Record], method: str, path: str
) -> tuple[Record, dict[str, str]] | None:
    """The route that fits best: whole names, then parameters, then ``{proxy+}``, then $default; a
    method of its own goes before ANY."""
    best: tuple[list[int], Record, dict[str, str]] | None = None
    for rest, route in snapshot.items():
        if not rest.startswith("/routes/"):
            continue
        verb, _, pattern = route["RouteKey"].partition(" ")
        if verb == DEFAULT:
            rank, values = [3], {}
        elif verb in ("ANY", method) and (
            found := matched(pattern.split("/")[1:], path.split("/")[1:])
        ):
            rank, values = [*found[0], 0 if verb == method else 1], found[1]
        else:
            continue
        if best is None or rank < best[0]:
            best = (rank, route, values)
    return None if best is None else best[1:]


def _in_format_1(authorizer: dict[str, Any]) -> Any:
    """What format 1.0 has of an authorizer: what a function said or a token says, without a name
    around it."""
    return authorizer.get("lambda", authorizer.get("jwt", authorizer))
