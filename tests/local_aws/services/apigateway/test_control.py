"""What is told of REST APIs: kept, changed by patches, deployed as it was, taken from documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import REGION, gateway_of, running
from tests.local_aws.functions import Functions
from tests.local_aws.services.apigateway.rest import Rest
from tests.local_aws.web import ask

LOGS = "arn:aws:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs"


def mock(status: int, text: str = "") -> dict[str, Any]:
    """A method's integration and answers that say a text."""
    return {
        "integration": {
            "type": "MOCK",
            "requestTemplates": {"application/json": json.dumps({"statusCode": status})},
        },
        "responses": [
            {"statusCode": str(status), "responseTemplates": {"application/json": text or "{}"}}
        ],
    }


def replace(path: str, value: str) -> list[dict[str, str]]:
    return [{"op": "replace", "path": path, "value": value}]


def test_a_stage_answers_as_it_was_deployed(rest: Rest) -> None:
    rest.method("/", "GET", **mock(200, "before"))
    first = rest.deploy()
    place = {"restApiId": rest.id, "resourceId": rest.root, "httpMethod": "GET"}
    rest.api.update_integration_response(
        **place,
        statusCode="200",
        patchOperations=replace("/responseTemplates/application~1json", "after"),
    )
    assert rest.ask().body == b"before"
    rest.deploy()
    assert rest.ask().body == b"after"
    stage = {"restApiId": rest.id, "stageName": "prod"}
    rest.api.update_stage(**stage, patchOperations=replace("/deploymentId", first))
    assert rest.ask().body == b"before"
    with pytest.raises(ClientError, match="Active stages pointing to this deployment"):
        rest.api.delete_deployment(restApiId=rest.id, deploymentId=first)
    rest.api.delete_stage(**stage)
    assert (rest.ask().status, rest.ask().json) == (403, {"message": "Forbidden"})


def test_whole_names_go_before_parameters_and_those_before_the_rest(rest: Rest) -> None:
    for path in ("/a", "/{x}", "/{proxy+}", "/a/{x}/c", "/a/{y+}"):
        rest.method(path, "GET", **mock(200, path.replace("{", "<")))
    rest.method("/a", "POST", **mock(200, "post"))
    rest.deploy()
    found = {
        path: rest.ask(path).body.decode()
        for path in ("/a", "/a/", "/b", "/b/c/d", "/a/b/c", "/a/b/d")
    }
    assert found == {
        "/a": "/a",
        "/a/": "/a",
        "/b": "/<x}",
        "/b/c/d": "/<proxy+}",
        "/a/b/c": "/a/<x}/c",
        "/a/b/d": "/a/<y+}",
    }
    missing = rest.ask("/")
    assert (missing.status, missing.json) == (403, {"message": "Missing Authentication Token"})
    assert missing.headers["x-amzn-ErrorType"] == "MissingAuthenticationTokenException"


def test_nothing_is_deployed_of_an_api_without_methods_or_where_they_lead(rest: Rest) -> None:
    with pytest.raises(ClientError, match="The REST API doesn't contain any methods"):
        rest.deploy()
    rest.api.put_method(
        restApiId=rest.id, resourceId=rest.root, httpMethod="GET", authorizationType="NONE"
    )
    with pytest.raises(ClientError, match="No integration defined for method"):
        rest.deploy()


def test_an_api_may_change_how_it_fails(rest: Rest) -> None:
    rest.method("/", "GET", **mock(200))
    rest.api.put_gateway_response(
        restApiId=rest.id,
        responseType="MISSING_AUTHENTICATION_TOKEN",
        statusCode="404",
        responseParameters={
            "gatewayresponse.header.Access-Control-Allow-Origin": "'*'",
            "gatewayresponse.header.X-Path": "context.path",
        },
        responseTemplates={
            "application/json": '{"said": $context.error.messageString, "on": "$context.stage"}'
        },
    )
    rest.deploy()
    answer = rest.ask("/nothing")
    assert (answer.status, answer.headers["X-Path"]) == (404, "/prod/nothing")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.json == {"said": "Missing Authentication Token", "on": "prod"}


def test_a_validator_wants_parameters_and_a_body_of_the_model(rest: Rest) -> None:
    schema = {
        "type": "object",
        "required": ["n"],
        "properties": {
            "n": {"$ref": f"https://apigateway.amazonaws.com/restapis/{rest.id}/models/Number"}
        },
    }
    for name, kept in (("Number", {"type": "number"}), ("Thing", schema)):
        rest.api.create_model(
            restApiId=rest.id, name=name, contentType="application/json", schema=json.dumps(kept)
        )
    validator = rest.api.create_request_validator(
        restApiId=rest.id, name="all", validateRequestBody=True, validateRequestParameters=True
    )["id"]
    rest.method(
        "/",
        "POST",
        requestValidatorId=validator,
        requestModels={"application/json": "Thing"},
        requestParameters={
            "method.request.querystring.q": True,
            "method.request.header.X-H": True,
            "method.request.querystring.optional": False,
        },
        **mock(200),
    )
    rest.deploy()
    missing = rest.ask("/", "POST", '{"n": 1}')
    assert (missing.status, missing.json) == (
        400,
        {"message": "Missing required request parameters: [X-H, q]"},
    )
    headers = {"X-H": "1"}
    for body, status in (('{"n": 1}', 200), ('{"n": "1"}', 400), ("no json", 400)):
        answer = rest.ask("/?q=1", "POST", body, headers=headers)
        assert answer.status == status
        assert status == 200 or answer.json == {"message": "Invalid request body"}


def test_a_body_of_more_than_ten_megabytes_is_too_large(rest: Rest) -> None:
    rest.method("/", "POST", **mock(200))
    rest.deploy()
    assert rest.ask("/", "POST", b"x" * (10 * 1024 * 1024 + 1)).status == 413


def test_patches_change_what_they_name(rest: Rest) -> None:
    changed = rest.api.update_rest_api(
        restApiId=rest.id,
        patchOperations=[
            *replace("/description", "new"),
            {"op": "add", "path": "/binaryMediaTypes/image~1png"},
            *replace("/minimumCompressionSize", "10"),
            *replace("/disableExecuteApiEndpoint", "true"),
            *replace("/endpointConfiguration/types/EDGE", "REGIONAL"),
        ],
    )
    assert (changed["description"], changed["binaryMediaTypes"]) == ("new", ["image/png"])
    assert changed["minimumCompressionSize"] == 10
    assert changed["disableExecuteApiEndpoint"] is True
    assert changed["endpointConfiguration"]["types"] == ["REGIONAL"]
    with pytest.raises(ClientError, match="Invalid patch path  '/nothing' specified for op"):
        rest.api.update_rest_api(restApiId=rest.id, patchOperations=replace("/nothing", "1"))
    rest.method("/", "GET", **mock(200))
    rest.deploy()
    stage = rest.api.update_stage(
        restApiId=rest.id,
        stageName="prod",
        patchOperations=[
            *replace("/*/*/logging/loglevel", "INFO"),
            *replace("/~1a~1b/GET/throttling/burstLimit", "7"),
            *replace("/variables/x", "y"),
        ],
    )
    assert stage["methodSettings"]["*/*"]["loggingLevel"] == "INFO"
    assert stage["methodSettings"]["/a/b/GET"]["throttlingBurstLimit"] == 7
    assert stage["variables"] == {"x": "y"}


@pytest.mark.parametrize(
    ("integration", "said"),
    [
        ({"type": "AWS_PROXY", "uri": "arn:aws:lambda:x"}, "Invalid ARN specified"),
        ({"type": "AWS", "uri": f"arn:aws:apigateway:{REGION}:lambda:nothing/x"},
         "AWS ARN for integration must contain path or action"),
        ({"type": "AWS_PROXY", "uri": f"arn:aws:apigateway:{REGION}:sqs:path/x"},
         "currently only supports Lambda function"),
        ({"type": "HTTP", "uri": "ftp://x"}, "Invalid HTTP endpoint specified for URI"),
        ({"type": "HTTP", "uri": "http://x", "connectionType": "VPC_LINK"},
         "the local AWS does not carry out connectionType VPC_LINK"),
        ({"type": "HTTP_PROXY", "uri": "http://x", "responseTransferMode": "STREAM"},
         "carries out responseTransferMode STREAM of AWS_PROXY integrations only"),
        ({"type": "AWS_PROXY",
          "uri": f"arn:aws:apigateway:{REGION}:lambda:path/v/functions/x/invocations",
          "responseTransferMode": "STREAM"}, "belong together; give both, or neither"),
    ],
)  # fmt: skip
def test_what_leads_nowhere_is_refused(rest: Rest, integration: Any, said: str) -> None:
    place = {"restApiId": rest.id, "resourceId": rest.root, "httpMethod": "GET"}
    rest.api.put_method(**place, authorizationType="NONE")
    with pytest.raises(ClientError, match=said):
        rest.api.put_integration(**place, integrationHttpMethod="POST", **integration)


def test_what_is_not_there_is_not_found(rest: Rest) -> None:
    for ask_for, said in (
        (lambda: rest.api.get_rest_api(restApiId="none"), "Invalid API identifier specified"),
        (
            lambda: rest.api.get_stage(restApiId=rest.id, stageName="none"),
            "Invalid stage identifier specified",
        ),
        (
            lambda: rest.api.get_integration(
                restApiId=rest.id, resourceId=rest.root, httpMethod="GET"
            ),
            "Invalid Integration identifier specified",
        ),
    ):
        with pytest.raises(ClientError, match=said) as refused:
            ask_for()  # type: ignore[no-untyped-call]
        assert refused.value.response["Error"]["Code"] == "NotFoundException"


def test_operations_that_are_not_offered_are_refused_by_name(rest: Rest) -> None:
    with pytest.raises(ClientError, match="does not offer CreateVpcLink of apigateway yet"):
        rest.api.create_vpc_link(name="x", targetArns=["arn:aws:x:::"])


def test_lists_come_in_pages(functions: Functions) -> None:
    rest = Rest(functions)
    for name in "abcde":
        rest.resource(f"/{name}")
    pages = rest.api.get_paginator("get_resources").paginate(
        restApiId=rest.id, PaginationConfig={"PageSize": 2}
    )
    assert [[each["path"] for each in page["items"]] for page in pages] == [
        ["/", "/a"],
        ["/b", "/c"],
        ["/d", "/e"],
    ]


def test_every_list_of_an_api_is_listed(rest: Rest) -> None:
    """GetStages alone has ``item`` where all others have ``items``."""
    rest.method("/", "GET", **mock(200, "one"))
    rest.deploy()
    stages = rest.api.get_stages(restApiId=rest.id)["item"]
    assert [stage["stageName"] for stage in stages] == ["prod"]
    for listed in ("authorizers", "deployments", "models", "request_validators", "resources"):
        assert "items" in getattr(rest.api, f"get_{listed}")(restApiId=rest.id)
    assert "items" in rest.api.get_gateway_responses(restApiId=rest.id)


def test_tags_are_of_what_an_arn_names(rest: Rest) -> None:
    arn = f"arn:aws:apigateway:{REGION}::/restapis/{rest.id}"
    rest.api.tag_resource(resourceArn=arn, tags={"a": "1", "b": "2"})
    rest.api.untag_resource(resourceArn=arn, tagKeys=["a"])
    assert rest.api.get_tags(resourceArn=arn)["tags"] == {"b": "2"}


def test_a_stage_with_an_access_log_needs_the_account_s_role(
    rest: Rest, functions: Functions
) -> None:
    rest.method("/", "GET", **mock(200))
    rest.deploy()
    stage = {"restApiId": rest.id, "stageName": "prod"}
    settings = [
        *replace(
            "/accessLogSettings/destinationArn",
            f"arn:aws:logs:{REGION}:123456789012:log-group:lines",
        ),
        *replace(
            "/accessLogSettings/format", "$context.httpMethod $context.status $context.nothing"
        ),
    ]
    with pytest.raises(ClientError, match="CloudWatch Logs role ARN must be set"):
        rest.api.update_stage(**stage, patchOperations=settings)
    role = functions.role("writes", "apigateway.amazonaws.com", LOGS)
    rest.api.update_account(patchOperations=replace("/cloudwatchRoleArn", role))
    kept = rest.api.update_stage(**stage, patchOperations=settings)["accessLogSettings"]
    assert kept["destinationArn"].endswith(":lines")


def test_apis_are_found_again_by_the_next_process(tmp_path: Path) -> None:
    before = gateway_of(tmp_path)
    before.start()
    rest = Rest(Functions(before))
    rest.method("/", "GET", **mock(200, "kept"))
    rest.deploy()
    path = f"/_aws/execute-api/{rest.id}/prod/"
    before.stop()
    with running(tmp_path) as after:
        assert ask(f"{after.url}{path}").body == b"kept"
        (shown,) = after.status()["rest_apis"]
        assert shown["url"] == f"{after.url}{path}"
