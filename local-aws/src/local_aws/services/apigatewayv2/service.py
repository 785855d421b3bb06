"""API Gateway's HTTP APIs: what is told of them is kept, and their stages answer.

WebSocket APIs are refused by name. Nothing of it is the emulator's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import partial
from typing import Any

from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.service import Action, Limit, Service, offered
from local_aws.web.door import EXECUTE_API, web_host, web_url
from local_aws.web.permissions import DENIED, PathPermissions
from local_aws.web.records import (
    Record,
    Records,
    bad_request,
    given,
    path_of,
    service_operations,
)

from .execution import SNAPSHOT, HttpApi
from .resources import providers

_NAMES = {"stages": "StageName"}

_OFFERED = frozenset(
    f"{verb}{kind}"
    for kind in ("Api", "Authorizer", "Deployment", "Integration", "Route", "Stage")
    for verb in ("Create", "Get", "Update", "Delete")
) | {
    *("GetApis", "GetAuthorizers", "GetDeployments", "GetIntegrations", "GetRoutes", "GetStages"),
    *("DeleteCorsConfiguration", "DeleteAccessLogSettings"),
    *("TagResource", "UntagResource", "GetTags"),
}

_DEFAULTS: Mapping[str, Record] = {
    "CreateApi": {
        "ApiKeySelectionExpression": "$request.header.x-api-key",
        "DisableExecuteApiEndpoint": False,
        "IpAddressType": "ipv4",
        "RouteSelectionExpression": "$request.method $request.path",
        "Tags": {},
    },
    "CreateIntegration": {"ConnectionType": "INTERNET", "TimeoutInMillis": 30000},
    "CreateRoute": {"ApiKeyRequired": False, "AuthorizationType": "NONE"},
    "CreateStage": {
        "AutoDeploy": False,
        "DefaultRouteSettings": {"DetailedMetricsEnabled": False},
        "RouteSettings": {},
        "StageVariables": {},
        "Tags": {},
    },
}
"""What AWS fills in (API Gateway V2 API reference)."""


class ApiGatewayV2(Service):
    """HTTP APIs, in every region. Each method named as an operation is one."""

    name = "apigatewayv2"
    whole = True
    limits = (
        Limit("WebSocket APIs, OpenAPI documents", "refused by name"),
        Limit("JWT authorizers", "kept; a route that has one answers nobody, and says why"),
        Limit(
            "integrations with services and other servers", "kept; a route that has one answers so"
        ),
        Limit("parameter mappings of functions", "refused by name"),
        Limit("throttles, access logs", "kept, without effect"),
    )
    invalid = "BadRequestException"
    permissions = PathPermissions(prefix="apigateway", denied=DENIED)
    types = providers()

    def __init__(self, context: LocalContext) -> None:
        self._context = context
        self._records = Records(_NAMES, "")

    def actions(self) -> Mapping[str, Action]:
        """Every action that is offered, by the operation's name."""
        by_verb = {
            "GET": self._records.show,
            "POST": self._create,
            "PATCH": self._update,
            "DELETE": self._records.delete,
        }
        own = offered("apigatewayv2", self, self._records)
        return {
            name: partial(self._do, own.get(name) or by_verb[verb])
            for name, verb in service_operations("apigatewayv2").items()
            if name in _OFFERED
        }

    def create_api(self, call: Call) -> Record:
        """Keep an API; with a target, one that leads all requests there."""
        parameters = call.parameters
        if parameters.get("ProtocolType") != "HTTP":
            raise bad_request("the local AWS carries out ProtocolType HTTP only, not WEBSOCKET")
        if parameters.get("CredentialsArn"):
            raise bad_request("the local AWS does not carry out CredentialsArn of CreateApi")
        quick = {name: parameters.get(name) for name in ("Target", "RouteKey")}
        path, record = self._create_at(call, CreatedDate=int(time.time()))
        for name in quick:
            record.pop(name, None)
        record["ApiEndpoint"] = f"https://{web_host(EXECUTE_API, record['ApiId'], call.region)}"
        if quick["Target"]:
            self._lead_all(path, str(quick["Target"]), str(quick["RouteKey"] or "$default"))
        return record

    def _lead_all(self, path: str, target: str, route_key: str) -> None:
        function = target.startswith("arn:")
        integration = {
            **_DEFAULTS["CreateIntegration"],
            "IntegrationId": "default",
            "IntegrationType": "AWS_PROXY" if function else "HTTP_PROXY",
            "IntegrationMethod": "POST" if function else "ANY",
            "IntegrationUri": target,
            "PayloadFormatVersion": "2.0" if function else "1.0",
            "ApiGatewayManaged": True,
        }
        route = {
            **_DEFAULTS["CreateRoute"],
            "RouteId": "default",
            "RouteKey": route_key,
            "Target": "integrations/default",
            "ApiGatewayManaged": True,
        }
        stage = {**_DEFAULTS["CreateStage"], "StageName": "$default", "AutoDeploy": True}
        self._records.put(f"{path}/integrations/default", integration)
        self._records.put(f"{path}/routes/default", route)
        self._records.put(f"{path}/stages/$default", {**stage, "ApiGatewayManaged": True})

    def create_integration(self, call: Call) -> Record:
        """Keep where routes lead."""
        record = self._create_at(call)[1]
        _check_integration(record)
        return record

    def create_route(self, call: Call) -> Record:
        """Keep a route, whose key no other has."""
        key = call.parameters["RouteKey"]
        if key in [each["RouteKey"] for each in self._records.listed(path_of(call))]:
            raise AwsError(
                "ConflictException",
                f"Route with key {key} already exists for this API",
                status=409,
            )
        path, record = self._create_at(call)
        self._check_route(path, record)
        return record

    def create_deployment(self, call: Call) -> Record:
        """Keep the API as it is now, and have a stage answer as it is when one is named."""
        api = path_of(call).rpartition("/")[0]
        now = {"CreatedDate": int(time.time()), "DeploymentStatus": "DEPLOYED"}
        record = self._create_at(call, AutoDeployed=False, **now)[1]
        kept = {"": self._records.get(api), **self._records.below(api)}
        record[SNAPSHOT] = deepcopy(
            {path: each for path, each in kept.items() if not path.startswith(_NOT_DEPLOYED)}
        )
        name = record.pop("StageName", None)
        if name:
            self._records.get(f"{api}/stages/{name}")["DeploymentId"] = record["DeploymentId"]
        return record

    def create_stage(self, call: Call) -> Record:
        """Keep a stage."""
        now = int(time.time())
        return self._create_at(call, CreatedDate=now, LastUpdatedDate=now)[1]

    def delete_cors_configuration(self, call: Call) -> Record:
        """Forget the API's CORS."""
        self._records.get(path_of(call).removesuffix("/cors")).pop("CorsConfiguration", None)
        return {}

    def delete_access_log_settings(self, call: Call) -> Record:
        """Write no lines any more."""
        path = path_of(call).removesuffix("/accesslogsettings")
        self._records.get(path).pop("AccessLogSettings", None)
        return {}

    def web_api(self, kind: str, name: str) -> HttpApi | None:
        """The HTTP API of that id."""
        for region, record in self._apis():
            if (kind, name) == (EXECUTE_API, record["ApiId"]):
                host = web_host(kind, name, region)
                return HttpApi(self._context, self._records, region, name, host)
        return None

    def status(self) -> dict[str, Any]:
        """``http_apis``, each with its URL on this machine."""
        return {
            "http_apis": [
                {
                    "id": record["ApiId"],
                    "name": record["Name"],
                    "region": region,
                    "url": f"{web_url(self._context, EXECUTE_API, record['ApiId'])}/",
                }
                for region, record in self._apis()
            ]
        }

    def export_state(self) -> dict[str, Any]:
        """All that is known of APIs, as JSON has it."""
        return self._records.export_state()

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Become what `export_state` gave."""
        self._records.restore_state(state)

    def _apis(self) -> Iterator[tuple[str, Record]]:
        for path, record in self._records.all():
            if path.count("/") == 3:
                yield path.partition("/")[0], record

    def _do(self, action: Callable[[Call], Record], call: Call) -> Record:
        with self._records.lock:
            return deepcopy(action(call))

    def _create(self, call: Call) -> Record:
        return self._create_at(call)[1]

    def _create_at(self, call: Call, **more: Any) -> tuple[str, Record]:
        collection = path_of(call)
        if collection.count("/") > 2:
            self._records.get(collection.rpartition("/")[0])
        defaults = deepcopy(_DEFAULTS.get(call.operation, {}))
        return self._records.create(call, **{**defaults, **given(call), **more})

    def _update(self, call: Call) -> Record:
        path = path_of(call)
        changed = {**self._records.get(path), **given(call)}
        if call.operation == "UpdateIntegration":
            _check_integration(changed)
        elif call.operation == "UpdateRoute":
            self._check_route(path, changed)
        elif "LastUpdatedDate" in changed:
            changed["LastUpdatedDate"] = int(time.time())
        return self._records.put(path, changed)

    def _check_route(self, path: str, record: Mapping[str, Any]) -> None:
        """Raise `AwsError` where a route's authorizer is not there, or of another kind; the words
        are unverified."""
        kind = record.get("AuthorizationType", "NONE")
        wanted = {"CUSTOM": "REQUEST", "JWT": "JWT"}.get(kind)
        if wanted is None:
            return
        api = path.rpartition("/routes/")[0]
        found = self._records.find(f"{api}/authorizers/{record.get('AuthorizerId')}")
        if found is None or found["AuthorizerType"] != wanted:
            raise bad_request(
                f"AuthorizationType {kind} needs the AuthorizerId of an authorizer of type {wanted}"
            )


_NOT_DEPLOYED = ("/deployments/", "/stages/")


def _check_integration(record: Mapping[str, Any]) -> None:
    """Raise `AwsError` for what the local AWS does not lead to."""
    kind = record["IntegrationType"]
    if kind not in ("AWS_PROXY", "HTTP_PROXY"):
        raise bad_request(
            f"Only AWS_PROXY and HTTP_PROXY integrations are supported by HTTP APIs, not {kind}"
        )
    if record.get("ConnectionType") == "VPC_LINK":
        raise bad_request("the local AWS does not carry out ConnectionType VPC_LINK")
    parameters = () if record.get("IntegrationSubtype") else ("RequestParameters",)
    for name in ("TlsConfig", "ResponseParameters", *parameters):
        if record.get(name):
            raise bad_request(f"the local AWS does not carry out {name} of an integration yet")
