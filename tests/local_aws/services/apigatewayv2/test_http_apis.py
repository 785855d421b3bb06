"""HTTP APIs answer: format 2.0 to the letter, routes, CORS, authorizers, stages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import REGION
from tests.local_aws.functions import ACCOUNT, Functions
from tests.local_aws.web import ECHO, Answer, ask, signed

ANSWERS = "import json\ndef handler(event, context):\n    return json.loads(event['body'])\n"
JUDGE = """
def handler(event, context):
    who = event["identitySource"][0]
    if who == "broken":
        return {}
    return {"isAuthorized": who == "ada", "context": {"who": who}}
"""


class Http:
    """One HTTP API with a stage that deploys by itself."""

    def __init__(self, functions: Functions, stage: str = "$default", **given: Any) -> None:
        self.functions = functions
        self.api = functions.client("apigatewayv2")
        self.id = self.api.create_api(Name="api", ProtocolType="HTTP", **given)["ApiId"]
        self.api.create_stage(ApiId=self.id, StageName=stage, AutoDeploy=True)
        self.url = f"{functions.url}/_aws/execute-api/{self.id}"

    def lead(self, key: str, function: str, version: str = "2.0", **given: Any) -> None:
        """A route to a function."""
        timeout = {"TimeoutInMillis": given.pop("timeout")} if "timeout" in given else {}
        integration = self.api.create_integration(
            ApiId=self.id,
            IntegrationType="AWS_PROXY",
            IntegrationUri=f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{function}",
            PayloadFormatVersion=version,
            **timeout,
        )["IntegrationId"]
        self.api.create_route(
            ApiId=self.id, RouteKey=key, Target=f"integrations/{integration}", **given
        )

    def let_in(self, function: str, ending: str = "*") -> None:
        """Let the API call the function."""
        self.functions.api.add_permission(
            FunctionName=function,
            StatementId=f"{self.id}-{len(ending)}",
            Action="lambda:InvokeFunction",
            Principal="apigateway.amazonaws.com",
            SourceArn=f"arn:aws:execute-api:{REGION}:{ACCOUNT}:{self.id}/{ending}",
        )

    def ask(self, path: str = "/", method: str = "GET", body: Any = b"", **more: Any) -> Answer:
        return ask(f"{self.url}{path}", method, body, **more)


@pytest.fixture(scope="module", autouse=True)
def _made(functions: Functions) -> None:
    functions.create("echo", ECHO)
    functions.create("answers", ANSWERS)
    functions.create("judge", JUDGE)


@pytest.fixture
def http(functions: Functions) -> Http:
    made = Http(functions)
    for function in ("echo", "answers"):
        made.let_in(function)
    return made


def test_a_function_gets_the_request_in_format_2(http: Http) -> None:
    http.lead("POST /things/{id}/{rest+}", "echo")
    answer = http.ask(
        "/things/a%20b/c/d?q=1&q=2&e=",
        "POST",
        '{"x": 1}',
        headers=[
            ("X-Some", "a"),
            ("x-some", "b"),
            ("Cookie", "one=1; two=2"),
            ("Content-Type", "application/json"),
            ("User-Agent", "tests"),
        ],
    )
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")
    event = answer.json
    context = event["requestContext"]
    assert event["headers"]["x-some"] == "a,b"
    assert "cookie" not in event["headers"]
    assert {k: v for k, v in event.items() if k not in ("headers", "requestContext")} == {
        "version": "2.0",
        "routeKey": "POST /things/{id}/{rest+}",
        "rawPath": "/things/a b/c/d",
        "rawQueryString": "q=1&q=2&e=",
        "cookies": ["one=1", "two=2"],
        "queryStringParameters": {"q": "1,2", "e": ""},
        "pathParameters": {"id": "a b", "rest": "c/d"},
        "body": '{"x": 1}',
        "isBase64Encoded": False,
    }
    assert context["http"] == {
        "method": "POST",
        "path": "/things/a b/c/d",
        "protocol": "HTTP/1.1",
        "sourceIp": "127.0.0.1",
        "userAgent": "tests",
    }
    assert (context["stage"], context["accountId"]) == ("$default", ACCOUNT)
    assert context["domainName"] == f"{http.id}.execute-api.{REGION}.amazonaws.com"


def test_format_1_is_the_rest_api_s_with_a_version(http: Http) -> None:
    http.lead("ANY /old", "echo", "1.0")
    event = http.ask("/old?a=1").json
    assert (event["version"], event["resource"], event["path"]) == ("1.0", "/old", "/old")
    assert event["multiValueQueryStringParameters"] == {"a": ["1"]}
    assert event["requestContext"]["resourcePath"] == "/old"


@pytest.mark.parametrize(
    ("given", "status", "kind", "body"),
    [
        ({"a": 1}, 200, "application/json", b'{"a":1}'),
        ("text", 200, "application/json", b"text"),
        ({"statusCode": 201, "body": "made"}, 201, "text/plain; charset=utf-8", b"made"),
        ({"statusCode": 200, "body": "AAE=", "isBase64Encoded": True}, 200, None, b"\x00\x01"),
        ({"statusCode": 200, "body": {"a": 1}}, 500, "application/json", None),
        ({"statusCode": "x"}, 500, "application/json", None),
    ],
)
def test_what_a_function_answers_is_sent(
    http: Http, given: Any, status: int, kind: str | None, body: bytes | None
) -> None:
    http.lead("$default", "answers")
    json_type = {"Content-Type": "application/json"}
    answer = http.ask("/any/where", "PUT", json.dumps(given), headers=json_type)
    assert answer.status == status
    assert kind is None or answer.headers["Content-Type"] == kind
    if body is None:
        assert answer.json == {"message": "Internal Server Error"}
    else:
        assert answer.body == body


def test_cookies_are_set(http: Http) -> None:
    http.lead("$default", "answers")
    json_type = {"Content-Type": "application/json"}
    given = {"statusCode": 200, "cookies": ["a=1; Secure"]}
    answer = http.ask("/", "POST", json.dumps(given), headers=json_type)
    assert answer.headers["Set-Cookie"] == "a=1; Secure"


def test_the_best_route_answers(http: Http) -> None:
    keys = ["GET /a", "ANY /a", "GET /a/{x}", "ANY /{proxy+}", "$default"]
    for key in keys:
        http.lead(key, "echo")
    asked = [("GET", "/a"), ("POST", "/a"), ("GET", "/a/b"), ("PUT", "/a/b"), ("GET", "/")]
    found = [http.ask(path, method).json["routeKey"] for method, path in asked]
    assert found == ["GET /a", "ANY /a", "GET /a/{x}", "ANY /{proxy+}", "$default"]


def test_what_no_route_is_for_is_not_found(http: Http) -> None:
    http.lead("GET /a", "echo")
    answer = http.ask("/b")
    assert (answer.status, answer.json) == (404, {"message": "Not Found"})


def test_a_stage_s_name_begins_its_path(functions: Functions) -> None:
    http = Http(functions, "dev")
    http.let_in("echo", "dev/GET/a")
    http.lead("GET /a", "echo")
    event = http.ask("/dev/a").json
    assert (event["rawPath"], event["requestContext"]["stage"]) == ("/dev/a", "dev")
    assert http.ask("/a").status == 404


def test_a_stage_that_does_not_deploy_by_itself_answers_as_it_was_deployed(
    functions: Functions,
) -> None:
    http = Http(functions)
    http.let_in("echo")
    http.api.create_stage(ApiId=http.id, StageName="slow")
    http.lead("GET /a", "echo")
    assert http.ask("/slow/a").status == 404
    http.api.create_deployment(ApiId=http.id, StageName="slow")
    http.lead("GET /b", "echo")
    assert (http.ask("/slow/a").status, http.ask("/slow/b").status) == (200, 404)
    assert http.ask("/b").status == 200


def test_functions_that_do_not_let_it_in_fail_or_are_slow(http: Http, functions: Functions) -> None:
    functions.create("closed", ECHO)
    functions.create("fails", "def handler(event, context):\n    raise ValueError\n")
    functions.create(
        "slow", "import time\ndef handler(event, context):\n    time.sleep(5)\n", Timeout=10
    )
    for name in ("fails", "slow"):
        http.let_in(name)
    for name, milliseconds in (("closed", 30000), ("fails", 30000), ("slow", 50)):
        http.lead(f"GET /{name}", name, timeout=milliseconds)
    found = [http.ask(f"/{name}") for name in ("closed", "fails", "slow")]
    assert [(each.status, each.json["message"]) for each in found] == [
        (500, "Internal Server Error"),
        (500, "Internal Server Error"),
        (503, "Service Unavailable"),
    ]


CORS = {
    "AllowOrigins": ["https://a.example"],
    "AllowMethods": ["GET"],
    "AllowHeaders": ["X-A"],
    "MaxAge": 7,
    "AllowCredentials": True,
}


@pytest.mark.parametrize(
    ("origin", "method", "asked", "status"),
    [
        ("https://a.example", "OPTIONS", "GET", 204),
        ("https://a.example", "GET", "", 200),
        ("https://a.example", "POST", "", 403),
        ("https://b.example", "GET", "", 403),
    ],
)
def test_pages_are_let_in_by_the_api_s_cors(
    functions: Functions, origin: str, method: str, asked: str, status: int
) -> None:
    http = Http(functions, CorsConfiguration=CORS)
    http.let_in("echo")
    http.lead("$default", "echo")
    headers = {"Host": f"{http.id}.execute-api.{REGION}.localhost", "Origin": origin}
    headers |= {"Access-Control-Request-Method": asked} if asked else {}
    answer = ask(f"{functions.url}/", method, headers=headers)
    assert answer.status == status
    if status < 300:
        assert answer.headers["access-control-allow-origin"] == origin
        assert answer.headers["access-control-allow-credentials"] == "true"
    if status == 204:
        assert answer.headers["access-control-allow-methods"] == "GET"
        assert answer.headers["access-control-max-age"] == "7"


def test_an_authorizer_s_function_judges_and_is_handed_on(http: Http) -> None:
    authorizer = http.api.create_authorizer(
        ApiId=http.id,
        Name="judge",
        AuthorizerType="REQUEST",
        AuthorizerPayloadFormatVersion="2.0",
        EnableSimpleResponses=True,
        IdentitySource=["$request.header.X-Who"],
        AuthorizerUri=f"arn:aws:apigateway:{REGION}:lambda:path/2015-03-31/functions/"
        f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:judge/invocations",
    )["AuthorizerId"]
    http.let_in("judge", f"authorizers/{authorizer}")
    http.lead("GET /", "echo", AuthorizationType="CUSTOM", AuthorizerId=authorizer)
    event = http.ask(headers={"X-Who": "ada"}).json
    assert event["requestContext"]["authorizer"] == {"lambda": {"who": "ada"}}
    found = [http.ask(headers=each) for each in ({}, {"X-Who": "bob"}, {"X-Who": "broken"})]
    assert [(each.status, each.json["message"]) for each in found] == [
        (401, "Unauthorized"),
        (403, "Forbidden"),
        (500, "Internal Server Error"),
    ]


def test_a_route_of_iam_wants_a_signature(http: Http, functions: Functions) -> None:
    http.lead("GET /", "echo", AuthorizationType="AWS_IAM")
    assert http.ask().json == {"message": "Forbidden"}
    own = functions.gateway.context.credentials
    headers = signed(f"{http.url}/", own.access_key_id, own.secret_access_key)
    event = http.ask(headers=headers).json
    assert event["requestContext"]["authorizer"]["iam"]["accountId"] == ACCOUNT


def test_an_api_made_with_a_target_leads_there(functions: Functions) -> None:
    api = functions.client("apigatewayv2")
    arn = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:echo"
    made = api.create_api(Name="quick", ProtocolType="HTTP", Target=arn)
    url = f"{functions.url}/_aws/execute-api/{made['ApiId']}/"
    functions.api.add_permission(
        FunctionName="echo",
        StatementId="quick",
        Action="lambda:InvokeFunction",
        Principal="apigateway.amazonaws.com",
    )
    assert ask(url).json["routeKey"] == "$default"


def test_what_is_not_carried_out_is_refused_by_name(http: Http) -> None:
    for refused, said in (
        (
            lambda: http.api.create_api(Name="x", ProtocolType="WEBSOCKET"),
            "the local AWS carries out ProtocolType HTTP only, not WEBSOCKET",
        ),
        (lambda: http.api.create_vpc_link(Name="x", SubnetIds=[]), "does not offer CreateVpcLink"),
    ):
        with pytest.raises(ClientError, match=said):
            refused()  # type: ignore[no-untyped-call]
