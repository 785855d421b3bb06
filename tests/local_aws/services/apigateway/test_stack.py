"""A REST API of a stack: made, changed by a new deployment, and gone."""

from __future__ import annotations

from typing import Any

import pytest

from local_aws.gateway import Gateway
from tests.local_aws.functions import Stacks

CODE = {"ZipFile": "def handler(event, context):\n    return {'body': event['httpMethod']}\n"}


@pytest.fixture(scope="module")
def stacks(gateway: Gateway) -> Stacks:
    return Stacks(gateway)


def test_a_stage_with_settings_of_methods_is_changed(stacks: Stacks) -> None:
    body = template("one", "First")
    stage = body["Resources"]["Stage"]["Properties"]
    stage["MethodSettings"] = [{"HttpMethod": "*", "ResourcePath": "/*", "LoggingLevel": "INFO"}]
    assert stacks.create("settings", body)["StackStatus"] == "CREATE_COMPLETE"
    stage["Tags"] = [{"Key": "team", "Value": "a"}]
    stage["MethodSettings"][0]["LoggingLevel"] = "ERROR"
    assert stacks.update("settings", body)["StackStatus"] == "UPDATE_COMPLETE"
    apis = stacks.functions.client("apigateway")
    (api,) = [each["id"] for each in apis.get_rest_apis()["items"] if each["name"] == "api"]
    found = apis.get_stage(restApiId=api, stageName="live")
    assert found["methodSettings"]["*/*"]["loggingLevel"] == "ERROR"
    assert found["tags"]["team"] == "a"
    stacks.delete("settings")


def template(text: str, deployment: str, **api: Any) -> dict[str, Any]:
    """An API with a MOCK that says ``text`` and a function, as the CDK makes them."""
    rest = {"Ref": "Api"}
    arn = {"Fn::GetAtt": ["Function", "Arn"]}
    uri = "arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${f}/invocations"
    mock = {
        "Type": "MOCK",
        "RequestTemplates": {"application/json": "{ statusCode: 200 }"},
        "IntegrationResponses": [
            {"StatusCode": "200", "ResponseTemplates": {"application/json": text}}
        ],
    }
    return {
        "Resources": {
            "Role": {
                "Type": "AWS::IAM::Role",
                "Properties": {
                    "AssumeRolePolicyDocument": {
                        "Version": "2012-10-17",
                        "Statement": [
                            {
                                "Effect": "Allow",
                                "Principal": {"Service": "lambda.amazonaws.com"},
                                "Action": "sts:AssumeRole",
                            }
                        ],
                    }
                },
            },
            "Function": {
                "Type": "AWS::Lambda::Function",
                "Properties": {
                    "Runtime": "python3.11",
                    "Handler": "index.handler",
                    "Code": CODE,
                    "Role": {"Fn::GetAtt": ["Role", "Arn"]},
                },
            },
            "Api": {"Type": "AWS::ApiGateway::RestApi", "Properties": {"Name": "api", **api}},
            "Permission": {
                "Type": "AWS::Lambda::Permission",
                "Properties": {
                    "FunctionName": arn,
                    "Action": "lambda:InvokeFunction",
                    "Principal": "apigateway.amazonaws.com",
                    "SourceArn": {
                        "Fn::Sub": "arn:aws:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/*"
                    },
                },
            },
            "Below": {
                "Type": "AWS::ApiGateway::Resource",
                "Properties": {
                    "RestApiId": rest,
                    "ParentId": {"Fn::GetAtt": ["Api", "RootResourceId"]},
                    "PathPart": "{proxy+}",
                },
            },
            "Get": {
                "Type": "AWS::ApiGateway::Method",
                "Properties": {
                    "RestApiId": rest,
                    "ResourceId": {"Fn::GetAtt": ["Api", "RootResourceId"]},
                    "HttpMethod": "GET",
                    "AuthorizationType": "NONE",
                    "Integration": mock,
                    "MethodResponses": [{"StatusCode": "200"}],
                },
            },
            "Any": {
                "Type": "AWS::ApiGateway::Method",
                "Properties": {
                    "RestApiId": rest,
                    "ResourceId": {"Ref": "Below"},
                    "HttpMethod": "ANY",
                    "AuthorizationType": "NONE",
                    "Integration": {
                        "Type": "AWS_PROXY",
                        "IntegrationHttpMethod": "POST",
                        "Uri": {"Fn::Sub": [uri, {"f": arn}]},
                    },
                },
            },
            deployment: {
                "Type": "AWS::ApiGateway::Deployment",
                "DependsOn": ["Any", "Get"],
                "Properties": {"RestApiId": rest},
            },
            "Stage": {
                "Type": "AWS::ApiGateway::Stage",
                "Properties": {
                    "RestApiId": rest,
                    "StageName": "live",
                    "DeploymentId": {"Ref": deployment},
                },
            },
        },
        "Outputs": {
            "Url": {
                "Value": {
                    "Fn::Sub": "https://${Api}.execute-api.${AWS::Region}.${AWS::URLSuffix}/${Stage}/"
                }
            }
        },
    }


def test_a_stack_s_api_answers_at_its_output_changes_and_goes(stacks: Stacks) -> None:
    from urllib.parse import urlsplit

    from tests.local_aws.web import ask

    made = stacks.create("rest", template("one", "DeploymentA", Description="first"))
    assert made["StackStatus"] == "CREATE_COMPLETE"
    url = urlsplit(stacks.outputs("rest")["Url"])
    here, host = f"{stacks.functions.url}{url.path}", {"Host": url.netloc}
    assert ask(here, headers=host).body == b"one"
    assert ask(f"{here}a/b", "DELETE", headers=host).body == b"DELETE"
    api = stacks.functions.client("apigateway")
    api_id = url.netloc.partition(".")[0]

    undeployed = stacks.update("rest", template("two", "DeploymentA", Description="first"))
    assert undeployed["StackStatus"] == "UPDATE_COMPLETE"
    assert ask(here, headers=host).body == b"one"
    stacks.update("rest", template("two", "DeploymentB", Name="new", BinaryMediaTypes=["a/b"]))
    assert ask(here, headers=host).body == b"two"
    found = api.get_rest_api(restApiId=api_id)
    assert (found["name"], found["binaryMediaTypes"]) == ("new", ["a/b"])
    assert "description" not in found
    assert len(api.get_deployments(restApiId=api_id)["items"]) == 1

    assert stacks.delete("rest")["StackStatus"] == "DELETE_COMPLETE"
    assert api.get_rest_apis()["items"] == []
    assert ask(here, headers=host).status == 403
