"""The resource types that a REST API is made of, each made by the API's own operations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from local_aws.resources.api import given
from local_aws.resources.base import Attributes, Properties, Provider, Request

from .part import Part


class RestApi(Part):
    """``AWS::ApiGateway::RestApi``: Ref is its id."""

    type_name = "AWS::ApiGateway::RestApi"
    name_property = "Name"
    stem = "RestApi"
    named = "restApiId"
    within = ()
    also_supported = frozenset({"ApiKeySourceType"})
    not_carried_out = frozenset({"Body", "BodyS3Location", "CloneFrom"})
    without_effect = frozenset({"FailOnWarnings", "Mode"})

    @override
    def create(self, request: Request) -> str:
        wanted = {"Name": request.name(128), **self.wanted(request.properties)}
        return str(self.call(request, "CreateRestApi", wanted)["id"])

    @override
    def attributes(self, request: Request) -> Attributes:
        api = self.call(request, "GetRestApi", restApiId=request.physical_id)
        return {"RestApiId": api["id"], "RootResourceId": api["rootResourceId"]}

    @override
    def wanted(self, properties: Properties) -> Properties:
        own = super().wanted(properties)
        policy = own.get("Policy")
        return {
            **{k: v for k, v in own.items() if k not in ("ApiKeySourceType", "Policy")},
            **({"apiKeySource": own["ApiKeySourceType"]} if "ApiKeySourceType" in own else {}),
            **(
                {"policy": json.dumps(policy) if isinstance(policy, Mapping) else policy}
                if policy
                else {}
            ),
        }


class Resource(Part):
    """``AWS::ApiGateway::Resource``: Ref is its id."""

    type_name = "AWS::ApiGateway::Resource"
    stem = "Resource"
    named = "resourceId"


class Method(Part):
    """``AWS::ApiGateway::Method``: a method, where it leads and what it answers; made anew when it
    changes, which is seen once it is deployed."""

    type_name = "AWS::ApiGateway::Method"
    stem = "Method"
    verb = "Put"
    named = "httpMethod"
    within = ("RestApiId", "ResourceId")
    also_supported = frozenset({"Integration", "MethodResponses"})
    not_carried_out = frozenset({"Integration.ConnectionId", "Integration.IntegrationTarget"})
    without_effect = frozenset({"Integration.CacheKeyParameters", "Integration.CacheNamespace"})

    @override
    def supports(self, context: Any, region: str, place: Any) -> bool:
        return Provider.supports(self, context, region, place) and (
            place[0] in self.also_supported or super().supports(context, region, place)
        )

    @override
    def kept_by_value(self, properties: Properties) -> list[str]:
        """Of one that leads to another server, its integration."""
        kind = (properties.get("Integration") or {}).get("Type")
        return ["Integration"] if kind in ("HTTP", "HTTP_PROXY") else []

    @override
    def create(self, request: Request) -> str:
        place = given(request.properties, ("RestApiId", "ResourceId", "HttpMethod"))
        self.call(request, "PutMethod", {"AuthorizationType": "NONE"}, request.properties)
        request.claim("|".join(place.values()))
        for response in request.properties.get("MethodResponses") or ():
            self.call(request, "PutMethodResponse", place, response)
        integration = request.properties.get("Integration")
        if integration is not None:
            self.call(request, "PutIntegration", place, integration)
            for response in integration.get("IntegrationResponses") or ():
                self.call(request, "PutIntegrationResponse", place, response)
        return "|".join(place.values())

    @override
    def complete(self, request: Request) -> Attributes:
        return {}

    @override
    def update(self, request: Request) -> Attributes:
        self.delete(request)
        self.create(request)
        return {}

    @override
    def place(self, request: Request) -> dict[str, Any]:
        return given(request.properties, ("RestApiId", "ResourceId", "HttpMethod"))


class Deployment(Part):
    """``AWS::ApiGateway::Deployment``: the API as it is when this is made; Ref is its id."""

    type_name = "AWS::ApiGateway::Deployment"
    stem = "Deployment"
    named = "deploymentId"
    not_carried_out = frozenset({"DeploymentCanarySettings", "StageDescription"})

    @override
    def delete(self, request: Request) -> None:
        """Forget it, and the stage that was made with it."""
        stage = given(request.properties, ("RestApiId", "StageName"))
        if len(stage) > 1:
            self.discard(request, "DeleteStage", **stage)
        super().delete(request)


class Stage(Part):
    """``AWS::ApiGateway::Stage``: Ref is its name."""

    type_name = "AWS::ApiGateway::Stage"
    stem = "Stage"
    answers = named = "stageName"
    also_supported = frozenset({"AccessLogSetting", "MethodSettings", "ClientCertificateId"})
    not_carried_out = frozenset({"CanarySetting", "ClientCertificateId"})
    without_effect = frozenset(
        {
            *("AccessLogSetting", "CacheClusterEnabled", "CacheClusterSize"),
            *("MethodSettings.CacheDataEncrypted", "MethodSettings.CacheTtlInSeconds"),
            *("MethodSettings.CachingEnabled", "MethodSettings.ThrottlingBurstLimit"),
            "MethodSettings.ThrottlingRateLimit",
        }
    )

    @override
    def wanted(self, properties: Properties) -> Properties:
        found = super().wanted(properties)
        return {name: each for name, each in found.items() if name != "MethodSettings"}

    @override
    def create(self, request: Request) -> str:
        properties = {"StageName": "default", **request.properties}
        return str(self.call(request, "CreateStage", self.wanted(properties))["stageName"])

    @override
    def complete(self, request: Request) -> Attributes:
        patches = _settings({}, request.properties)
        if patches:
            self.call(request, "UpdateStage", **self.place(request), patchOperations=patches)
        return {}

    @override
    def update(self, request: Request) -> Attributes:
        super().update(request)
        patches = _settings(request.previous, request.properties)
        if patches:
            self.call(request, "UpdateStage", **self.place(request), patchOperations=patches)
        return {}


def _settings(old: Properties, new: Properties) -> list[dict[str, str]]:
    """The patches of what CreateStage does not take."""
    before, after = _flat(old), _flat(new)
    gone = [{"op": "remove", "path": path} for path in sorted(before.keys() - after.keys())]
    changed = {path: value for path, value in after.items() if before.get(path) != value}
    return gone + [{"op": "replace", "path": p, "value": v} for p, v in sorted(changed.items())]


def _flat(properties: Properties) -> dict[str, str]:
    found = {}
    log = properties.get("AccessLogSetting") or {}
    for name, path in (("DestinationArn", "destinationArn"), ("Format", "format")):
        if name in log:
            found[f"/accessLogSettings/{path}"] = str(log[name])
    for setting in properties.get("MethodSettings") or ():
        resource = str(setting.get("ResourcePath", "/*")).removeprefix("/") or "~1"
        escaped = resource.replace("/", "~1")
        for name, ending in _SETTINGS.items():
            if name in setting:
                value = setting[name]
                text = str(value).lower() if isinstance(value, bool) else str(value)
                found[f"/{escaped}/{setting.get('HttpMethod', '*')}/{ending}"] = text
    return found


_SETTINGS = {
    "CacheDataEncrypted": "caching/dataEncrypted",
    "CacheTtlInSeconds": "caching/ttlInSeconds",
    "CachingEnabled": "caching/enabled",
    "DataTraceEnabled": "logging/dataTrace",
    "LoggingLevel": "logging/loglevel",
    "MetricsEnabled": "metrics/enabled",
    "ThrottlingBurstLimit": "throttling/burstLimit",
    "ThrottlingRateLimit": "throttling/rateLimit",
}


class RequestValidator(Part):
    """``AWS::ApiGateway::RequestValidator``: Ref is its id."""

    type_name = "AWS::ApiGateway::RequestValidator"
    stem = "RequestValidator"
    named = "requestValidatorId"


class Model(Part):
    """``AWS::ApiGateway::Model``: Ref is its name."""

    type_name = "AWS::ApiGateway::Model"
    stem = "Model"
    answers = "name"
    named = "modelName"

    @override
    def create(self, request: Request) -> str:
        name = request.properties.get("Name") or "".join(
            letter for letter in request.name(60) if letter.isalnum()
        )
        defaults = {"Name": name, "ContentType": "application/json"}
        wanted = {**self.wanted(request.properties), **defaults}
        wanted["ContentType"] = request.properties.get("ContentType", "application/json")
        return str(self.call(request, "CreateModel", wanted)["name"])


class Authorizer(Part):
    """``AWS::ApiGateway::Authorizer``: Ref is its id."""

    type_name = "AWS::ApiGateway::Authorizer"
    stem = "Authorizer"
    named = "authorizerId"
    without_effect = frozenset({"ProviderARNs"})


class GatewayResponse(Part):
    """``AWS::ApiGateway::GatewayResponse``: how the API answers one kind of failure."""

    type_name = "AWS::ApiGateway::GatewayResponse"
    stem = "GatewayResponse"
    verb = "Put"
    named = "responseType"

    @override
    def create(self, request: Request) -> str:
        self.call(request, "PutGatewayResponse", request.properties)
        return f"{request.properties['RestApiId']}:{request.properties['ResponseType']}"

    @override
    def update(self, request: Request) -> Attributes:
        self.create(request)
        return self.attributes(request)

    @override
    def place(self, request: Request) -> dict[str, Any]:
        return given(request.properties, ("RestApiId", "ResponseType"))


def providers() -> tuple[Provider, ...]:
    """Every type of REST APIs."""
    return (
        Account(),
        ApiKey(),
        Authorizer(),
        Deployment(),
        GatewayResponse(),
        Method(),
        Model(),
        RequestValidator(),
        Resource(),
        RestApi(),
        Stage(),
        UsagePlan(),
        UsagePlanKey(),
    )


class Account(Part):
    """``AWS::ApiGateway::Account``: the role that logs are written with, of the region."""

    type_name = "AWS::ApiGateway::Account"
    stem = "Account"
    named = "id"
    within = ()
    verb = "Update"
    also_supported = frozenset({"CloudWatchRoleArn"})

    @override
    def create(self, request: Request) -> str:
        self._set(request)
        return request.name(64)

    @override
    def update(self, request: Request) -> Attributes:
        self._set(request)
        return self.attributes(request)

    @override
    def delete(self, request: Request) -> None:
        """Nothing: the account stays as it is (CloudFormation user guide)."""

    def _set(self, request: Request) -> None:
        role = request.properties.get("CloudWatchRoleArn", "")
        patch = {"op": "replace", "path": "/cloudwatchRoleArn", "value": str(role)}
        self.call(request, "UpdateAccount", patchOperations=[patch])


class ApiKey(Part):
    """``AWS::ApiGateway::ApiKey``: Ref is its id."""

    type_name = "AWS::ApiGateway::ApiKey"
    name_property = "Name"
    stem = "ApiKey"
    named = "apiKey"
    within = ()

    @override
    def create(self, request: Request) -> str:
        wanted = {"Name": request.name(128), **self.wanted(request.properties)}
        return str(self.call(request, "CreateApiKey", wanted)["id"])


class UsagePlan(Part):
    """``AWS::ApiGateway::UsagePlan``: Ref is its id."""

    type_name = "AWS::ApiGateway::UsagePlan"
    name_property = "UsagePlanName"
    stem = "UsagePlan"
    named = "usagePlanId"
    within = ()
    also_supported = frozenset({"UsagePlanName"})
    without_effect = frozenset({"ApiStages.Throttle", "Quota", "Throttle"})

    @override
    def create(self, request: Request) -> str:
        wanted = {"name": request.name(128), **self.wanted(request.properties)}
        return str(self.call(request, "CreateUsagePlan", wanted)["id"])

    @override
    def wanted(self, properties: Properties) -> Properties:
        own = super().wanted(properties)
        name = {"name": own["UsagePlanName"]} if "UsagePlanName" in own else {}
        return {**{k: v for k, v in own.items() if k != "UsagePlanName"}, **name}


class UsagePlanKey(Part):
    """``AWS::ApiGateway::UsagePlanKey``: a key that counts for a plan."""

    type_name = "AWS::ApiGateway::UsagePlanKey"
    stem = "UsagePlanKey"
    named = "keyId"
    within = ("UsagePlanId",)

    @override
    def create(self, request: Request) -> str:
        answer = self.call(request, "CreateUsagePlanKey", request.properties)
        return f"{answer['id']}:{request.properties['UsagePlanId']}"

    @override
    def place(self, request: Request) -> dict[str, Any]:
        return given(request.properties, ("UsagePlanId", "KeyId"))
