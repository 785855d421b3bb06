"""A REST API of a stack: made, changed by a new deployment, and gone."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest

from local_aws.gateway import Gateway
from tests.local_aws.functions import Stacks, trust
from tests.local_aws.services.cloudformation.templates import get_att, ref, resource, template
from tests.local_aws.web import ask

CODE = {"ZipFile": "def handler(event, context):\n    return {'body': event['httpMethod']}\n"}


@pytest.fixture(scope="module")
def stacks(gateway: Gateway) -> Stacks:
    return Stacks(gateway)


def test_a_stage_with_settings_of_methods_is_changed(stacks: Stacks) -> None:
    body = api_of("one", "First")
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


def api_of(text: str, deployment: str, **api: Any) -> dict[str, Any]:
    """An API with a MOCK that says ``text`` and a function, as the CDK makes them."""
    arn, of_api = get_att("Function", "Arn"), {"RestApiId": ref("Api")}
    uri = "arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${f}/invocations"
    called = {"Fn::Sub": "arn:aws:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/*"}
    url = "https://${Api}.execute-api.${AWS::Region}.${AWS::URLSuffix}/${Stage}/"
    answer = {"StatusCode": "200", "ResponseTemplates": {"application/json": text}}
    mock = {
        "Type": "MOCK",
        "RequestTemplates": {"application/json": "{ statusCode: 200 }"},
        "IntegrationResponses": [answer],
    }
    proxy = {
        "Type": "AWS_PROXY",
        "IntegrationHttpMethod": "POST",
        "Uri": {"Fn::Sub": [uri, {"f": arn}]},
    }

    def method(verb: str, of: Any, integration: Any) -> dict[str, Any]:
        given = {"HttpMethod": verb, "AuthorizationType": "NONE", "Integration": integration}
        return resource("ApiGateway::Method", **of_api, ResourceId=of, **given)

    root = get_att("Api", "RootResourceId")
    made = {
        "Role": resource("IAM::Role", AssumeRolePolicyDocument=trust()),
        "Function": resource(
            "Lambda::Function",
            Runtime="python3.11",
            Handler="index.handler",
            Code=CODE,
            Role=get_att("Role", "Arn"),
        ),
        "Api": resource("ApiGateway::RestApi", **{"Name": "api", **api}),
        "Permission": resource(
            "Lambda::Permission",
            FunctionName=arn,
            Action="lambda:InvokeFunction",
            Principal="apigateway.amazonaws.com",
            SourceArn=called,
        ),
        "Below": resource("ApiGateway::Resource", **of_api, ParentId=root, PathPart="{proxy+}"),
        "Get": method("GET", root, mock),
        "Any": method("ANY", ref("Below"), proxy),
        deployment: resource("ApiGateway::Deployment", "Any", "Get", **of_api),
        "Stage": resource(
            "ApiGateway::Stage", **of_api, StageName="live", DeploymentId=ref(deployment)
        ),
    }
    made["Get"]["Properties"]["MethodResponses"] = [{"StatusCode": "200"}]
    return template({"Url": {"Fn::Sub": url}}, **made)


def test_a_stack_s_api_answers_at_its_output_changes_and_goes(stacks: Stacks) -> None:
    made = stacks.create("rest", api_of("one", "DeploymentA", Description="first"))
    assert made["StackStatus"] == "CREATE_COMPLETE"
    url = urlsplit(stacks.outputs("rest")["Url"])
    here, host = f"{stacks.functions.url}{url.path}", {"Host": url.netloc}
    assert ask(here, headers=host).body == b"one"
    assert ask(f"{here}a/b", "DELETE", headers=host).body == b"DELETE"
    api = stacks.functions.client("apigateway")
    api_id = url.netloc.partition(".")[0]

    undeployed = stacks.update("rest", api_of("two", "DeploymentA", Description="first"))
    assert undeployed["StackStatus"] == "UPDATE_COMPLETE"
    assert ask(here, headers=host).body == b"one"
    stacks.update("rest", api_of("two", "DeploymentB", Name="new", BinaryMediaTypes=["a/b"]))
    assert ask(here, headers=host).body == b"two"
    found = api.get_rest_api(restApiId=api_id)
    assert (found["name"], found["binaryMediaTypes"]) == ("new", ["a/b"])
    assert "description" not in found
    assert len(api.get_deployments(restApiId=api_id)["items"]) == 1

    assert stacks.delete("rest")["StackStatus"] == "DELETE_COMPLETE"
    assert api.get_rest_apis()["items"] == []
    assert ask(here, headers=host).status == 403


TEMPLATE = (
    '{"instances": [#set($all = $input.params("items").split(","))'
    '#foreach($each in $all)"$each"#if($foreach.hasNext),#end#end]}'
)
