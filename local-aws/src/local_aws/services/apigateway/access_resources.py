"""Resource types beside a REST API: the account's role, keys and plans."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from local_aws.resources.api import given
from local_aws.resources.base import Attributes, Properties, Request

from .part import Part


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
