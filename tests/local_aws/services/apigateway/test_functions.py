"""Functions behind a REST API: what they get, what of theirs is sent, who lets them be asked."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.local_aws.functions import Functions
from tests.local_aws.services.apigateway.rest import Rest, proxy
from tests.local_aws.web import ECHO

ANSWERS = """
import json
def handler(event, context):
    return json.loads(event["body"])
"""


@pytest.fixture(scope="module")
def echo(functions: Functions) -> str:
    functions.create("echo", ECHO)
    return "echo"


@pytest.fixture(scope="module")
def answers(functions: Functions) -> Rest:
    """An API whose function answers what it is sent."""
    functions.create("answers", ANSWERS)
    rest = Rest(functions)
    rest.lead_to("answers")
    rest.let_in("answers")
    rest.deploy()
    return rest


def test_a_function_gets_the_request_in_format_1(rest: Rest, echo: str) -> None:
    rest.lead_to(echo, "/things/{proxy+}")
    rest.let_in(echo)
    deployment = rest.deploy()
    answer = rest.ask(
        "/things/a%2Bb/c/?q=1&q=2&empty=",
        "POST",
        '{"x": 1}',
        headers=[
            ("tEsT-Header", "a"),
            ("tEsT-Header", "b"),
            ("user-agent", "tests"),
            ("Content-Type", "application/json"),
        ],
    )
    assert (answer.status, answer.headers["X-Own"]) == (200, "1")
    assert answer.headers["Content-Type"] == "application/json"
    event = answer.json
    host = f"{rest.id}.execute-api.eu-west-1.amazonaws.com"
    assert event["headers"]["tEsT-Header"] == "b"
    assert event["multiValueHeaders"]["tEsT-Header"] == ["a", "b"]
    assert event["headers"]["User-Agent"] == "tests"
    assert event["headers"]["Host"] == host
    assert "Content-Length" not in event["headers"]
    context = event["requestContext"]
    assert {k: v for k, v in event.items() if "eaders" not in k and k != "requestContext"} == {
        "resource": "/things/{proxy+}",
        "path": "/things/a%2Bb/c/",
        "httpMethod": "POST",
        "queryStringParameters": {"q": "2", "empty": ""},
        "multiValueQueryStringParameters": {"q": ["1", "2"], "empty": [""]},
        "pathParameters": {"proxy": "a%2Bb/c"},
        "stageVariables": None,
        "body": '{"x": 1}',
        "isBase64Encoded": False,
    }
    assert context["identity"] == {
        **dict.fromkeys(
            (
                *("accessKey", "accountId", "caller", "cognitoAuthenticationProvider"),
                *("cognitoAuthenticationType", "cognitoIdentityId", "cognitoIdentityPoolId"),
                *("principalOrgId", "user", "userArn"),
            )
        ),
        "sourceIp": "127.0.0.1",
        "userAgent": "tests",
    }
    assert {
        name: context[name]
        for name in ("path", "stage", "deploymentId", "apiId", "domainName", "domainPrefix")
    } == {
        "path": "/prod/things/a%2Bb/c/",
        "stage": "prod",
        "deploymentId": deployment,
        "apiId": rest.id,
        "domainName": host,
        "domainPrefix": rest.id,
    }
    assert (context["resourcePath"], context["httpMethod"]) == ("/things/{proxy+}", "POST")


def test_what_is_absent_is_null(rest: Rest, echo: str) -> None:
    rest.lead_to(echo)
    rest.let_in(echo)
    rest.deploy()
    event = rest.ask().json
    absent = ("body", "pathParameters", "queryStringParameters", "stageVariables")
    assert [event[name] for name in absent] == [None] * 4


def test_a_function_gets_the_stage_s_variables_and_may_be_named_by_one(
    rest: Rest, echo: str
) -> None:
    rest.lead_to("${stageVariables.which}")
    rest.let_in(echo)
    rest.deploy()
    rest.api.update_stage(
        restApiId=rest.id,
        stageName="prod",
        patchOperations=[{"op": "replace", "path": "/variables/which", "value": echo}],
    )
    assert rest.ask().json["stageVariables"] == {"which": echo}


def test_bytes_come_and_go_as_base64_where_the_api_takes_their_type_for_binary(
    functions: Functions, echo: str
) -> None:
    rest = Rest(functions, binaryMediaTypes=["image/*"])
    rest.lead_to(echo, "/echo")
    rest.let_in(echo)
    rest.lead_to("answers-bytes", "/bytes")
    functions.create(
        "answers-bytes",
        "def handler(event, context):\n"
        "    return {'statusCode': 200, 'isBase64Encoded': True, 'body': 'AAH/'}\n",
    )
    rest.let_in("answers-bytes")
    rest.deploy()
    sent = rest.ask("/echo", "POST", b"\x00\xff", headers={"Content-Type": "image/png"}).json
    assert (sent["isBase64Encoded"], base64.b64decode(sent["body"])) == (True, b"\x00\xff")
    assert rest.ask("/bytes", headers={"Accept": "image/png"}).body == b"\x00\x01\xff"
    assert rest.ask("/bytes").body == b"AAH/"


@pytest.mark.parametrize(
    ("answer", "status", "body"),
    [
        ({"statusCode": 201, "body": "made"}, 201, b"made"),
        ({"statusCode": "202"}, 202, b""),
        ({"headers": None}, 200, b""),
        ({"body": ""}, 200, b""),
    ],
)
def test_what_a_function_answers_is_sent(
    answers: Rest, answer: Any, status: int, body: bytes
) -> None:
    given = answers.ask("/", "POST", json.dumps(answer))
    assert (given.status, given.body) == (status, body)


@pytest.mark.parametrize(
    "answer",
    [
        "text",
        None,
        {"statusCode": 200, "body": "", "wrong": 1},
        {"statusCode": "none"},
        {"multiValueHeaders": {"a": "b"}},
        {"body": {"a": 1}},
        {"headers": {"a": ["b"]}},
    ],
)
def test_an_answer_of_another_form_is_a_bad_gateway(answers: Rest, answer: Any) -> None:
    given = answers.ask("/", "POST", json.dumps(answer))
    assert (given.status, given.json) == (502, {"message": "Internal server error"})
    assert given.headers["x-amzn-ErrorType"] == "InternalServerErrorException"


def test_several_values_of_a_header_are_all_sent(answers: Rest) -> None:
    given = answers.ask(
        "/",
        "POST",
        json.dumps({"headers": {"a": "solo"}, "multiValueHeaders": {"A": ["one", "two"]}}),
    )
    assert given.status == 200
    assert given.headers["A"] in ("solo", "one", "two")


def test_a_function_that_fails_is_a_bad_gateway(rest: Rest, functions: Functions) -> None:
    functions.create("fails", "def handler(event, context):\n    raise ValueError('no')\n")
    rest.lead_to("fails")
    rest.let_in("fails")
    rest.deploy()
    answer = rest.ask()
    assert (answer.status, answer.json) == (502, {"message": "Internal server error"})


def test_a_function_that_takes_too_long_is_a_gateway_timeout(
    rest: Rest, functions: Functions
) -> None:
    functions.create(
        "slow",
        "import time\ndef handler(event, context):\n    time.sleep(5)\n    return {}\n",
        Timeout=10,
    )
    arn = rest.lead_to("slow", "/other")
    rest.method("/", "GET", {**proxy(arn), "timeoutInMillis": 50})
    rest.let_in("slow")
    rest.deploy()
    answer = rest.ask()
    assert (answer.status, answer.json) == (504, {"message": "Endpoint request timed out"})


def test_a_function_that_does_not_let_the_api_in_is_not_asked(rest: Rest, echo: str) -> None:
    rest.lead_to(echo, "/a", "GET")
    rest.lead_to(echo, "/b", "GET")
    rest.let_in(echo, "*/GET/b")
    rest.deploy()
    answer = rest.ask("/a")
    assert (answer.status, answer.json) == (500, {"message": "Internal server error"})
    assert rest.ask("/b").status == 200


def test_a_role_that_may_invoke_does_in_place_of_the_function_s_policy(
    rest: Rest, functions: Functions, echo: str
) -> None:
    invoke = "arn:aws:iam::aws:policy/service-role/AWSLambdaRole"
    may = functions.role("may-invoke", "apigateway.amazonaws.com", invoke)
    may_not = functions.role("may-not-invoke", "apigateway.amazonaws.com")
    stranger = functions.role("trusts-another", "events.amazonaws.com", invoke)
    arn = f"arn:aws:lambda:eu-west-1:123456789012:function:{echo}"
    for path, role in (("/may", may), ("/may-not", may_not), ("/stranger", stranger)):
        rest.method(path, "GET", {**proxy(arn), "credentials": role})
    rest.deploy()
    assert [rest.ask(f"/{name}").status for name in ("may", "may-not", "stranger")] == [
        200,
        500,
        500,
    ]
