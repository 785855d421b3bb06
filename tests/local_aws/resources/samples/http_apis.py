"""HTTP APIs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.local_aws.aws import REGION
from tests.local_aws.resources.samples.sample import Sample
from tests.local_aws.services.cloudformation.templates import resource

_HTTP = {"Ref": "Http"}
_URI = f"arn:aws:apigateway:{REGION}:lambda:path/2015-03-31/functions/$Function.Arn/invocations"
_LOG = {"DestinationArn": "$Logs.Arn", "Format": "$context.requestId"}

GROUND: dict[str, dict[str, Any]] = {
    "Http": resource("ApiGatewayV2::Api", Name="ground", ProtocolType="HTTP"),
    "Leads": resource(
        "ApiGatewayV2::Integration",
        ApiId=_HTTP,
        IntegrationType="HTTP_PROXY",
        IntegrationUri="http://localhost:1",
        IntegrationMethod="ANY",
        PayloadFormatVersion="1.0",
    ),
    "HttpJudge": resource(
        "ApiGatewayV2::Authorizer",
        ApiId=_HTTP,
        Name="judge",
        AuthorizerType="REQUEST",
        IdentitySource=["$request.header.Token"],
    ),
    "HttpDeployed": resource("ApiGatewayV2::Deployment", ApiId=_HTTP),
    "HttpLive": resource("ApiGatewayV2::Stage", ApiId=_HTTP, StageName="live"),
}

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::ApiGatewayV2::Api": (
        Sample(
            ("apigatewayv2 GetApi ApiId={Ref}",),
            {
                "ApiKeySelectionExpression": "$request.header.lost",
                "CorsConfiguration": {
                    "AllowCredentials": True,
                    "AllowHeaders": ["X-Lost"],
                    "AllowMethods": ["PATCH"],
                    "AllowOrigins": ["https://lost.example"],
                    "ExposeHeaders": ["X-Found"],
                    "MaxAge": 37,
                },
                "Description": "lost",
                "DisableExecuteApiEndpoint": True,
                "DisableSchemaValidation": True,
                "IpAddressType": "dualstack",
                "Name": "found",
                "ProtocolType": "HTTP",
                "RouteSelectionExpression": "${request.method} ${request.path}",
                "Tags": {"team": "lost and found"},
                "Version": "v7",
            },
            needs=("Name", "ProtocolType"),
        ),
        Sample(
            ("apigatewayv2 GetRoutes ApiId={Ref}", "apigatewayv2 GetIntegrations ApiId={Ref}"),
            {
                "Name": "quick",
                "ProtocolType": "HTTP",
                "RouteKey": "GET /lost",
                "Target": "http://localhost:2",
            },
            needs=("Name", "ProtocolType"),
            unread={"Name": "the other sample's", "ProtocolType": "the other sample's"},
        ),
    ),
    "AWS::ApiGatewayV2::Authorizer": (
        Sample(
            ("apigatewayv2 GetAuthorizer ApiId=$Http AuthorizerId={Ref}",),
            {
                "ApiId": "$Http",
                "AuthorizerCredentialsArn": "$ApiRole.Arn",
                "AuthorizerPayloadFormatVersion": "2.0",
                "AuthorizerResultTtlInSeconds": 37,
                "AuthorizerType": "REQUEST",
                "AuthorizerUri": _URI,
                "EnableSimpleResponses": True,
                "IdentitySource": ["$request.header.Lost"],
                "Name": "lost",
            },
            needs=("IdentitySource",),
        ),
    ),
    "AWS::ApiGatewayV2::Deployment": (
        Sample(
            (
                "apigatewayv2 GetDeployment ApiId=$Http DeploymentId={Ref}",
                "apigatewayv2 GetStage ApiId=$Http StageName=live",
            ),
            {"ApiId": "$Http", "Description": "lost", "StageName": "$HttpLive"},
            unread={"StageName": "the stage's deployment is this one"},
        ),
    ),
    "AWS::ApiGatewayV2::Integration": (
        Sample(
            ("apigatewayv2 GetIntegration ApiId=$Http IntegrationId={Ref}",),
            {
                "ApiId": "$Http",
                "ConnectionType": "INTERNET",
                "CredentialsArn": "$ApiRole.Arn",
                "Description": "lost",
                "IntegrationMethod": "POST",
                "IntegrationType": "AWS_PROXY",
                "IntegrationUri": "$Function.Arn",
                "PayloadFormatVersion": "2.0",
                "TimeoutInMillis": 77,
            },
            unread={"ConnectionType": "what it is without, too"},
        ),
    ),
    "AWS::ApiGatewayV2::Route": (
        Sample(
            ("apigatewayv2 GetRoute ApiId=$Http RouteId={Ref}",),
            {
                "ApiId": "$Http",
                "AuthorizationType": "CUSTOM",
                "AuthorizerId": "$HttpJudge",
                "OperationName": "findWhatIsLost",
                "RouteKey": "GET /lost",
                "Target": "integrations/$Leads",
            },
        ),
        Sample(
            ("apigatewayv2 GetRoute ApiId=$Http RouteId={Ref}",),
            {"ApiId": "$Http", "AuthorizationScopes": ["found"], "RouteKey": "GET /found"},
        ),
    ),
    "AWS::ApiGatewayV2::Stage": (
        Sample(
            ("apigatewayv2 GetStage ApiId=$Http StageName={Ref}",),
            {
                "AccessLogSettings": _LOG,
                "ApiId": "$Http",
                "AutoDeploy": True,
                "DefaultRouteSettings": {
                    "DataTraceEnabled": True,
                    "DetailedMetricsEnabled": True,
                    "LoggingLevel": "ERROR",
                    "ThrottlingBurstLimit": 73,
                    "ThrottlingRateLimit": 71,
                },
                "DeploymentId": "$HttpDeployed",
                "Description": "lost",
                "RouteSettings": {"GET /lost": {"ThrottlingBurstLimit": 79}},
                "StageName": "found",
                "StageVariables": {"where": "here"},
                "Tags": {"team": "lost and found"},
            },
            needs=("DeploymentId",),  # an update without one leaves it as it is
        ),
    ),
}
