"""APIs of which something is only kept: what they answer by it, and what is told."""

from __future__ import annotations

from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import (
    get_att,
    ref,
    resource,
    template,
)
from tests.local_aws.services.cloudformation.test_kept import told_of


def http(kind: str, **properties: Any) -> dict[str, Any]:
    """What belongs to the HTTP API."""
    return resource(f"ApiGatewayV2::{kind}", ApiId=ref("Http"), **properties)


def rest(kind: str, *needs: str, **properties: Any) -> dict[str, Any]:
    """What belongs to the REST API."""
    return resource(f"ApiGateway::{kind}", *needs, RestApiId=ref("Rest"), **properties)


def both_apis(method: dict[str, Any], stage: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """An HTTP API and a REST API with a GET at its root and a stage."""
    root = {"ResourceId": get_att("Rest", "RootResourceId"), "HttpMethod": "GET"}
    return {
        "Http": resource("ApiGatewayV2::Api", Name="http", ProtocolType="HTTP"),
        "Rest": resource("ApiGateway::RestApi", Name="rest"),
        "Method": rest("Method", **root, **method, Integration={"Type": "MOCK"}),
        "Deployed": rest("Deployment", "Method"),
        "Live": rest("Stage", DeploymentId=ref("Deployed"), StageName="live", **stage),
    }


def test_a_route_by_what_is_only_kept_answers_that(aws: Aws) -> None:
    pool = {"Fn::Sub": "https://cognito-idp.${AWS::Region}.amazonaws.com/${Pool}"}
    users = {"AuthorizationType": "COGNITO_USER_POOLS", "AuthorizerId": ref("Users")}
    body = template(
        {"Http": ref("Http"), "Rest": ref("Rest")},
        **both_apis(users, {}),
        Pool=resource("Cognito::UserPool"),
        Tokens=http(
            "Authorizer",
            Name="tokens",
            AuthorizerType="JWT",
            IdentitySource=["$request.header.Authorization"],
            JwtConfiguration={"Issuer": pool, "Audience": ["app"]},
        ),
        Somewhere=http(
            "Integration",
            IntegrationType="HTTP_PROXY",
            IntegrationMethod="GET",
            IntegrationUri="https://example.com",
            PayloadFormatVersion="1.0",
        ),
        Queue=resource("SQS::Queue"),
        Sending=http(
            "Integration",
            IntegrationType="AWS_PROXY",
            IntegrationSubtype="SQS-SendMessage",
            PayloadFormatVersion="1.0",
            RequestParameters={"QueueUrl": ref("Queue"), "MessageBody": "$request.body"},
        ),
        Sent=http("Route", RouteKey="GET /sent", Target={"Fn::Sub": "integrations/${Sending}"}),
        Route=http(
            "Route",
            RouteKey="GET /",
            AuthorizationType="JWT",
            AuthorizerId=ref("Tokens"),
            Target={"Fn::Sub": "integrations/${Somewhere}"},
        ),
        Stage=http("Stage", StageName="$default", AutoDeploy=True),
        Users=rest(
            "Authorizer",
            Name="users",
            Type="COGNITO_USER_POOLS",
            IdentitySource="method.request.header.Authorization",
            ProviderARNs=[get_att("Pool", "Arn")],
        ),
    )

    assert aws.create("guarded", body)["StackStatus"] == "CREATE_COMPLETE", aws.events("guarded")
    assert told_of(aws, "guarded") == [
        "1 AWS::ApiGateway::Authorizer (ProviderARNs)",
        "1 AWS::ApiGatewayV2::Authorizer (JwtConfiguration)",
        "2 AWS::ApiGatewayV2::Integration (IntegrationSubtype, IntegrationType, RequestParameters)",
        "1 AWS::Cognito::UserPool",
    ]
    apis = aws.outputs("guarded")
    for path, said in (
        (f"{apis['Http']}/", b"the local AWS verifies no tokens"),
        (f"{apis['Http']}/sent", b"to no service or other server (SQS-S"),
        (f"{apis['Rest']}/live/", b"the local AWS has no user pools"),
    ):
        with pytest.raises(HTTPError) as refused:
            urlopen(f"{aws.gateway.url}/_aws/execute-api/{path}")
        assert refused.value.code == 500
        assert said in refused.value.read()
    aws.delete("guarded")


def test_what_api_gateway_keeps_without_effect_is_told(aws: Aws) -> None:
    setting = {"HttpMethod": "*", "ResourcePath": "/*", "CachingEnabled": True}
    stage = {
        "CacheClusterEnabled": True,
        "CacheClusterSize": "0.5",
        "MethodSettings": [{**setting, "ThrottlingRateLimit": 10}],
    }
    body = template(
        **both_apis({"AuthorizationType": "NONE"}, stage),
        Plan=resource("ApiGateway::UsagePlan", Throttle={"RateLimit": 1.0, "BurstLimit": 1}),
        Default=http(
            "Stage",
            StageName="$default",
            DefaultRouteSettings={"ThrottlingRateLimit": 5, "DetailedMetricsEnabled": True},
        ),
    )

    assert aws.create("limits", body)["StackStatus"] == "CREATE_COMPLETE"
    assert told_of(aws, "limits") == [
        "1 AWS::ApiGateway::Stage (CacheClusterEnabled, CacheClusterSize, "
        "MethodSettings.CachingEnabled, MethodSettings.ThrottlingRateLimit)",
        "1 AWS::ApiGateway::UsagePlan (Throttle)",
        "1 AWS::ApiGatewayV2::Stage (DefaultRouteSettings.ThrottlingRateLimit)",
    ]
    assert aws.delete("limits")["StackStatus"] == "DELETE_COMPLETE"
