"""Samples of API Gateway's types of REST APIs, and of functions' URLs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.local_aws.aws import REGION
from tests.local_aws.functions import trust
from tests.local_aws.resources.samples.sample import EVERYONE, TAGS, Sample
from tests.local_aws.services.cloudformation.templates import resource

_API = {"Ref": "Rest"}
_ROOT = {"Fn::GetAtt": ["Rest", "RootResourceId"]}
_MOCK = {"Type": "MOCK", "RequestTemplates": {"application/json": '{"statusCode": 200}'}}
_URI = f"arn:aws:apigateway:{REGION}:lambda:path/2015-03-31/functions/$Function.Arn/invocations"
_METHOD = "restApiId=$Rest resourceId=$Part httpMethod=PUT"
_LOG = {"DestinationArn": "$Logs.Arn", "Format": "$context.requestId"}
_CERTIFICATE = f"arn:aws:acm:{REGION}:123456789012:certificate/12345678-1234-1234-1234-123456789012"

GROUND: dict[str, dict[str, Any]] = {
    "Rest": resource("ApiGateway::RestApi", Name="ground"),
    "Part": resource("ApiGateway::Resource", RestApiId=_API, ParentId=_ROOT, PathPart="part"),
    "Get": resource(
        "ApiGateway::Method",
        RestApiId=_API,
        ResourceId=_ROOT,
        HttpMethod="GET",
        AuthorizationType="NONE",
        Integration=_MOCK,
    ),
    "Deployed": resource("ApiGateway::Deployment", "Get", RestApiId=_API),
    "Live": resource(
        "ApiGateway::Stage", RestApiId=_API, StageName="live", DeploymentId={"Ref": "Deployed"}
    ),
    "ApiRole": resource("IAM::Role", AssumeRolePolicyDocument=trust("apigateway.amazonaws.com")),
    "Account": resource(
        "ApiGateway::Account", CloudWatchRoleArn={"Fn::GetAtt": ["ApiRole", "Arn"]}
    ),
    "Judge": resource(
        "ApiGateway::Authorizer",
        RestApiId=_API,
        Name="judge",
        Type="TOKEN",
        AuthorizerUri=_URI.replace("$Function.Arn", "arn:aws:lambda:x:1:function:f"),
        IdentitySource="method.request.header.Token",
    ),
    "Validator": resource("ApiGateway::RequestValidator", RestApiId=_API, ValidateRequestBody=True),
    "ApiKey": resource("ApiGateway::ApiKey", Enabled=True),
    "Plan": resource("ApiGateway::UsagePlan"),
    "Staged": resource(
        "Lambda::Alias", FunctionName={"Ref": "Other"}, FunctionVersion="$LATEST", Name="staged"
    ),
}

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::ApiGateway::Account": (
        Sample(
            ("apigateway GetAccount",),
            {"CloudWatchRoleArn": "$ApiRole.Arn"},
            needs=("CloudWatchRoleArn",),
        ),
    ),
    "AWS::ApiGateway::ApiKey": (
        Sample(
            ("apigateway GetApiKey apiKey={Ref}",),
            {
                "CustomerId": "somebody",
                "Description": "lost",
                "Enabled": True,
                "GenerateDistinctId": True,
                "Name": "lost",
                "StageKeys": [{"RestApiId": "$Rest", "StageName": "live"}],
                "Tags": TAGS,
                "Value": "x" * 30,
            },
            unread={
                "GenerateDistinctId": "ids are distinct",
                "StageKeys": "AWS keeps them for what was before usage plans",
                "Value": "tests of services hold that: it is told to who asks for it",
            },
        ),
    ),
    "AWS::ApiGateway::Authorizer": (
        Sample(
            ("apigateway GetAuthorizer restApiId=$Rest authorizerId={Ref}",),
            {
                "AuthType": "custom",
                "AuthorizerCredentials": "$ApiRole.Arn",
                "AuthorizerResultTtlInSeconds": 37,
                "AuthorizerUri": _URI,
                "IdentitySource": "method.request.header.Lost",
                "IdentityValidationExpression": "lost.*",
                "Name": "lost",
                "RestApiId": "$Rest",
                "Type": "REQUEST",
            },
        ),
    ),
    "AWS::ApiGateway::Deployment": (
        Sample(
            (
                "apigateway GetDeployment restApiId=$Rest deploymentId={Ref}",
                "apigateway GetStage restApiId=$Rest stageName=lost",
            ),
            {"Description": "lost and found", "RestApiId": "$Rest", "StageName": "lost"},
        ),
    ),
    "AWS::ApiGateway::GatewayResponse": (
        Sample(
            ("apigateway GetGatewayResponse restApiId=$Rest responseType=THROTTLED",),
            {
                "ResponseParameters": {"gatewayresponse.header.X": "'lost'"},
                "ResponseTemplates": {"text/plain": "found"},
                "ResponseType": "THROTTLED",
                "RestApiId": "$Rest",
                "StatusCode": "430",
            },
            needs=("ResponseTemplates",),
        ),
    ),
    "AWS::ApiGateway::Method": (
        Sample(
            (
                f"apigateway GetMethod {_METHOD}",
                f"apigateway GetIntegration {_METHOD}",
            ),
            {
                "ApiKeyRequired": True,
                "AuthorizationScopes": ["lost/found"],
                "AuthorizationType": "CUSTOM",
                "AuthorizerId": "$Judge",
                "HttpMethod": "PUT",
                "Integration": {
                    "CacheKeyParameters": ["method.request.path.lost"],
                    "CacheNamespace": "lost",
                    "ConnectionType": "INTERNET",
                    "ContentHandling": "CONVERT_TO_TEXT",
                    "Credentials": "$ApiRole.Arn",
                    "IntegrationHttpMethod": "POST",
                    "IntegrationResponses": [
                        {
                            "ContentHandling": "CONVERT_TO_BINARY",
                            "ResponseParameters": {"method.response.header.X": "'lost'"},
                            "ResponseTemplates": {"text/plain": "answered"},
                            "SelectionPattern": "4..",
                            "StatusCode": "207",
                        }
                    ],
                    "PassthroughBehavior": "NEVER",
                    "RequestParameters": {"integration.request.header.X": "'asked'"},
                    "RequestTemplates": {"text/plain": "asked for"},
                    "ResponseTransferMode": "BUFFERED",
                    "TimeoutInMillis": 77,
                    "Type": "AWS",
                    "Uri": _URI,
                },
                "MethodResponses": [
                    {
                        "ResponseModels": {"application/json": "Error"},
                        "ResponseParameters": {"method.response.header.X": True},
                        "StatusCode": "207",
                    }
                ],
                "OperationName": "findWhatIsLost",
                "RequestModels": {"application/json": "Empty"},
                "RequestParameters": {"method.request.header.X": True},
                "RequestValidatorId": "$Validator",
                "ResourceId": "$Part",
                "RestApiId": "$Rest",
            },
        ),
    ),
    "AWS::ApiGateway::Model": (
        Sample(
            ("apigateway GetModel restApiId=$Rest modelName={Ref}",),
            {
                "ContentType": "application/xml",
                "Description": "lost",
                "Name": "Lost",
                "RestApiId": "$Rest",
                "Schema": {"type": "object", "title": "found"},
            },
            needs=("Schema",),
        ),
    ),
    "AWS::ApiGateway::RequestValidator": (
        Sample(
            ("apigateway GetRequestValidator restApiId=$Rest requestValidatorId={Ref}",),
            {
                "Name": "lost",
                "RestApiId": "$Rest",
                "ValidateRequestBody": True,
                "ValidateRequestParameters": True,
            },
        ),
    ),
    "AWS::ApiGateway::Resource": (
        Sample(
            ("apigateway GetResource restApiId=$Rest resourceId={Ref}",),
            {"ParentId": "$Part", "PathPart": "lost", "RestApiId": "$Rest"},
        ),
    ),
    "AWS::ApiGateway::RestApi": (
        Sample(
            ("apigateway GetRestApi restApiId={Ref}",),
            {
                "ApiKeySourceType": "AUTHORIZER",
                "BinaryMediaTypes": ["image/lost"],
                "Description": "lost",
                "DisableExecuteApiEndpoint": True,
                "EndpointAccessMode": "BASIC",
                "EndpointConfiguration": {
                    "IpAddressType": "dualstack",
                    "Types": ["PRIVATE"],
                    "VpcEndpointIds": ["vpce-0123456789abcdef0"],
                },
                "MinimumCompressionSize": 37,
                "Name": "found",
                "Policy": EVERYONE,
                "SecurityPolicy": "TLS_1_0",
                "Tags": TAGS,
                "Version": "v7",
            },
            needs=("Name",),
        ),
    ),
    "AWS::ApiGateway::Stage": (
        Sample(
            ("apigateway GetStage restApiId=$Rest stageName={Ref}",),
            {
                "AccessLogSetting": _LOG,
                "CacheClusterEnabled": True,
                "CacheClusterSize": "1.6",
                "DeploymentId": "$Deployed",
                "Description": "lost",
                "DocumentationVersion": "v7",
                "MethodSettings": [
                    {
                        "CacheDataEncrypted": True,
                        "CacheTtlInSeconds": 37,
                        "CachingEnabled": True,
                        "DataTraceEnabled": True,
                        "HttpMethod": "GET",
                        "LoggingLevel": "ERROR",
                        "MetricsEnabled": True,
                        "ResourcePath": "/lost",
                        "ThrottlingBurstLimit": 73,
                        "ThrottlingRateLimit": 71,
                    }
                ],
                "RestApiId": "$Rest",
                "StageName": "found",
                "Tags": TAGS,
                "TracingEnabled": True,
                "Variables": {"where": "here"},
            },
            needs=("DeploymentId",),
            told={"MethodSettings": [37, 73, 71, "ERROR", *[True] * 4]},
        ),
    ),
    "AWS::ApiGateway::UsagePlan": (
        Sample(
            ("apigateway GetUsagePlan usagePlanId={Ref}",),
            {
                "ApiStages": [{"ApiId": "$Rest", "Stage": "live"}],
                "Description": "lost",
                "Quota": {"Limit": 37, "Offset": 3, "Period": "MONTH"},
                "Tags": TAGS,
                "Throttle": {"BurstLimit": 73, "RateLimit": 71},
                "UsagePlanName": "found",
            },
        ),
    ),
    "AWS::ApiGateway::UsagePlanKey": (
        Sample(
            ("apigateway GetUsagePlanKeys usagePlanId=$Plan",),
            {"KeyId": "$ApiKey", "KeyType": "API_KEY", "UsagePlanId": "$Plan"},
        ),
    ),
    "AWS::Lambda::Permission": (
        Sample(
            ("lambda GetPolicy FunctionName=$Other",),
            {
                "Action": "lambda:InvokeFunctionUrl",
                "FunctionName": "$Other",
                "FunctionUrlAuthType": "NONE",
                "InvokedViaFunctionUrl": True,
                "Principal": "*",
            },
        ),
    ),
    "AWS::Lambda::Url": (
        Sample(
            ("lambda GetFunctionUrlConfig FunctionName=$Other Qualifier=staged",),
            {
                "AuthType": "AWS_IAM",
                "Cors": {
                    "AllowCredentials": True,
                    "AllowHeaders": ["X-Lost"],
                    "AllowMethods": ["PATCH"],
                    "AllowOrigins": ["https://lost.example"],
                    "ExposeHeaders": ["X-Found"],
                    "MaxAge": 37,
                },
                "InvokeMode": "RESPONSE_STREAM",
                "Qualifier": "staged",
                "TargetFunctionArn": "$Other.Arn",
            },
            needs=("Qualifier",),
            told={"TargetFunctionArn": "staged"},
        ),
    ),
}
