"""The resource types of HTTP APIs, each made by the API's own operations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from typing_extensions import override

from local_aws.arn import arn_in
from local_aws.resources.api import ApiPart
from local_aws.resources.base import Attributes, Properties, Provider, Request


class Part(ApiPart):
    """A type that is named as its operations name it.

    ``absent`` is what a property is that a template no longer has.
    """

    service = "apigatewayv2"
    within: tuple[str, ...] = ("ApiId",)
    absent: dict[str, Any] = {}  # noqa: RUF012  (never changed)

    @override
    def update(self, request: Request) -> Attributes:
        gone = {k: v for k, v in self.absent.items() if k in request.previous}
        wanted = {**gone, **self.wanted(request.properties)}
        self.call(request, f"Update{self.stem}", wanted, **self.place(request))
        return self.attributes(request)


class Api(Part):
    """``AWS::ApiGatewayV2::Api``: Ref is its id."""

    type_name = "AWS::ApiGatewayV2::Api"
    name_property = "Name"
    stem = "Api"
    named = "ApiId"
    within = ()
    not_carried_out = frozenset({"CredentialsArn"})
    unchangeable = frozenset({"RouteKey", "Target"})
    absent = {"Description": "", "Version": "", "DisableExecuteApiEndpoint": False}  # noqa: RUF012

    @override
    def problems(self, properties: Properties) -> Iterable[str]:
        if properties.get("ProtocolType") == "WEBSOCKET":
            yield "ProtocolType WEBSOCKET (HTTP is)"

    @override
    def update(self, request: Request) -> Attributes:
        api = {"ApiId": request.physical_id}
        if request.changed("CorsConfiguration") and "CorsConfiguration" not in request.properties:
            self.call(request, "DeleteCorsConfiguration", **api)
        settled = {k: v for k, v in request.properties.items() if k not in ("RouteKey", "Target")}
        gone = {k: v for k, v in self.absent.items() if k in request.previous}
        self.call(request, "UpdateApi", {**gone, **settled}, **api)
        self.retag(request, ResourceArn=_arn(request, f"/apis/{request.physical_id}"))
        return self.attributes(request)

    @override
    def attributes(self, request: Request) -> Attributes:
        api = self.call(request, "GetApi", ApiId=request.physical_id)
        return {"ApiId": api["ApiId"], "ApiEndpoint": api["ApiEndpoint"]}


class Integration(Part):
    """``AWS::ApiGatewayV2::Integration``: Ref is its id."""

    type_name = "AWS::ApiGatewayV2::Integration"
    stem = "Integration"
    named = "IntegrationId"
    not_carried_out = frozenset(
        {
            *("ConnectionId", "ContentHandlingStrategy", "PassthroughBehavior"),
            *("RequestTemplates", "ResponseParameters", "TemplateSelectionExpression"),
            "TlsConfig",
        }
    )
    without_effect = frozenset({"IntegrationSubtype", "RequestParameters"})
    absent = {"Description": "", "TimeoutInMillis": 30000}  # noqa: RUF012

    @override
    def kept_by_value(self, properties: Properties) -> list[str]:
        """Of one that leads to another server, that it does."""
        return ["IntegrationType"] if properties.get("IntegrationType") == "HTTP_PROXY" else []

    @override
    def problems(self, properties: Properties) -> Iterable[str]:
        if "RequestParameters" in properties and "IntegrationSubtype" not in properties:
            yield "RequestParameters without an IntegrationSubtype"


class Route(Part):
    """``AWS::ApiGatewayV2::Route``: Ref is its id."""

    type_name = "AWS::ApiGatewayV2::Route"
    stem = "Route"
    named = "RouteId"
    not_carried_out = frozenset(
        {
            *("ApiKeyRequired", "ModelSelectionExpression"),
            *("RequestModels", "RequestParameters", "RouteResponseSelectionExpression"),
        }
    )
    absent = {  # noqa: RUF012
        "AuthorizationScopes": [],
        "AuthorizationType": "NONE",
        "OperationName": "",
    }


class Stage(Part):
    """``AWS::ApiGatewayV2::Stage``: Ref is its name."""

    type_name = "AWS::ApiGatewayV2::Stage"
    stem = "Stage"
    named = "StageName"
    not_carried_out = frozenset({"ClientCertificateId"})
    without_effect = frozenset(
        {
            *("AccessLogSettings", "DefaultRouteSettings.ThrottlingBurstLimit"),
            *("DefaultRouteSettings.ThrottlingRateLimit", "RouteSettings"),
        }
    )
    absent = {  # noqa: RUF012
        "AutoDeploy": False,
        "DefaultRouteSettings": {},
        "Description": "",
        "RouteSettings": {},
        "StageVariables": {},
    }

    @override
    def update(self, request: Request) -> Attributes:
        name = "AccessLogSettings"
        if request.changed(name) and name not in request.properties:
            self.call(request, "DeleteAccessLogSettings", **self.place(request))
        stage = f"/apis/{request.properties['ApiId']}/stages/{request.physical_id}"
        self.retag(request, ResourceArn=_arn(request, stage))
        return super().update(request)


class Deployment(Part):
    """``AWS::ApiGatewayV2::Deployment``: the API as it is when this is made; Ref is its id."""

    type_name = "AWS::ApiGatewayV2::Deployment"
    stem = "Deployment"
    named = "DeploymentId"
    absent = {"Description": ""}  # noqa: RUF012


class Authorizer(Part):
    """``AWS::ApiGatewayV2::Authorizer``: what judges requests; Ref is its id."""

    type_name = "AWS::ApiGatewayV2::Authorizer"
    stem = "Authorizer"
    named = "AuthorizerId"
    not_carried_out = frozenset({"IdentityValidationExpression"})
    without_effect = frozenset({"JwtConfiguration"})


def providers() -> tuple[Provider, ...]:
    """Every type of HTTP APIs."""
    return (Api(), Authorizer(), Deployment(), Integration(), Route(), Stage())


def _arn(request: Request, path: str) -> str:
    return arn_in(request.region, "apigateway", "", path)
