"""Function URLs answer whom the function's policy lets in, in format 2.0."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.gateway import Gateway
from tests.local_aws.aws import REGION
from tests.local_aws.functions import ACCOUNT, Functions, Stacks
from tests.local_aws.services.cloudformation.templates import get_att, resource, template
from tests.local_aws.web import ECHO, Answer, ask, signed

ANSWERS = """
import json
def handler(event, context):
    given = json.loads(event["body"])
    if given == "fail":
        raise ValueError
    return given
"""


@pytest.fixture(scope="module")
def stacks(gateway: Gateway) -> Stacks:
    return Stacks(gateway)


@pytest.fixture(scope="module")
def functions(stacks: Stacks) -> Functions:
    return stacks.functions


class Url:
    """A function with a URL; everyone is let in unless told otherwise."""

    def __init__(
        self, functions: Functions, source: str, *, open_to_all: bool = True, **given: Any
    ):
        self.functions = functions
        self.name = f"f{len(functions.api.list_functions()['Functions'])}"
        functions.create(self.name, source)
        made = functions.api.create_function_url_config(
            FunctionName=self.name, **{"AuthType": "NONE", **given}
        )
        self.host = made["FunctionUrl"].removeprefix("https://").removesuffix("/")
        self.url = f"{functions.url}/_aws/lambda-url/{self.host.partition('.')[0]}"
        if open_to_all:
            self.let_in("lambda:InvokeFunctionUrl", FunctionUrlAuthType="NONE")
            self.let_in("lambda:InvokeFunction", InvokedViaFunctionUrl=True)

    def let_in(self, action: str, **more: Any) -> None:
        self.functions.api.add_permission(
            FunctionName=self.name,
            StatementId=action.replace(":", "-"),
            Action=action,
            Principal="*",
            **more,
        )

    def ask(self, path: str = "/", method: str = "GET", body: Any = b"", **more: Any) -> Answer:
        return ask(f"{self.url}{path}", method, body, **more)


def test_a_function_gets_the_request_as_it_was_sent(functions: Functions) -> None:
    url = Url(functions, ECHO)
    answer = url.ask("/pa2%Fth/1?q=1&q=2", "POST", "hi", headers={"Content-Type": "text/plain"})
    event = answer.json
    assert (answer.headers["Content-Type"], answer.headers["X-Own"]) == ("application/json", "1")
    assert (event["rawPath"], event["routeKey"]) == ("/pa2%Fth/1", "$default")
    assert event["queryStringParameters"] == {"q": "1,2"}
    assert (event["body"], event["isBase64Encoded"]) == ("hi", False)
    context = event["requestContext"]
    assert (context["domainName"], context["accountId"]) == (url.host, "anonymous")
    assert context["domainName"].endswith(f".lambda-url.{REGION}.on.aws")


@pytest.mark.parametrize(
    ("given", "status", "body"),
    [
        ("hello", 200, b"hello"),
        (["hello", 3, True], 200, b'["hello",3,true]'),
        (3.1, 200, b"3.1"),
        ({"statusCode": 201, "body": "made"}, 201, b"made"),
        ("fail", 502, b"Internal Server Error"),
    ],
)
def test_what_a_function_answers_is_sent(
    answering: Url, given: Any, status: int, body: bytes
) -> None:
    json_type = {"Content-Type": "application/json"}
    answer = answering.ask("/", "POST", json.dumps(given), headers=json_type)
    assert (answer.status, answer.body) == (status, body)
    assert answer.headers["Content-Type"] == "application/json"


@pytest.fixture(scope="module")
def answering(functions: Functions) -> Url:
    return Url(functions, ANSWERS)


def test_everyone_needs_both_permissions(functions: Functions) -> None:
    url = Url(functions, ECHO, open_to_all=False)
    refused = url.ask()
    assert refused.status == 403
    assert refused.json["Message"].startswith("Forbidden. For troubleshooting Function URL")
    url.let_in("lambda:InvokeFunctionUrl", FunctionUrlAuthType="NONE")
    assert url.ask().status == 403
    url.let_in("lambda:InvokeFunction", InvokedViaFunctionUrl=True)
    assert url.ask().status == 200


def test_a_url_of_iam_wants_a_signature_of_who_may(functions: Functions) -> None:
    url = Url(functions, ECHO, open_to_all=False, AuthType="AWS_IAM")
    own = functions.gateway.context.credentials
    iam = functions.client("iam")
    iam.create_user(UserName="caller")
    key = iam.create_access_key(UserName="caller")["AccessKey"]
    user = (key["AccessKeyId"], key["SecretAccessKey"])

    def ask_as(key_id: str, secret: str) -> Answer:
        return url.ask(headers=signed(f"{url.url}/", key_id, secret, "lambda"))

    assert url.ask().status == ask_as(*user).status == 403
    assert ask_as(own.access_key_id, own.secret_access_key).status == 200
    statement = {
        "Effect": "Allow",
        "Action": ["lambda:InvokeFunctionUrl", "lambda:InvokeFunction"],
        "Resource": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{url.name}",
        "Condition": {"StringEquals": {"lambda:FunctionUrlAuthType": "AWS_IAM"}},
    }
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    iam.put_user_policy(UserName="caller", PolicyName="may", PolicyDocument=document)
    assert ask_as(*user).status == 200


def test_pages_are_let_in_by_the_url_s_cors_at_its_own_name(functions: Functions) -> None:
    cors = {"AllowOrigins": ["https://a.example"], "AllowMethods": ["GET"]}
    url = Url(functions, ECHO, Cors=cors)
    name = url.host.replace("on.aws", "localhost")

    def from_page(origin: str, method: str = "GET", **more: str) -> Answer:
        return ask(f"{functions.url}/", method, headers={"Host": name, "Origin": origin, **more})

    asked = {"Access-Control-Request-Method": "GET"}
    preflight = from_page("https://a.example", "OPTIONS", **asked)
    assert preflight.headers["access-control-allow-origin"] == "https://a.example"
    assert from_page("https://a.example").status == 200
    assert from_page("https://a.example", "POST").status == 403
    assert from_page("https://b.example").status == 403


def test_a_url_is_told_changed_and_gone(functions: Functions) -> None:
    url = Url(functions, ECHO)
    api, name = functions.api, {"FunctionName": url.name}
    with pytest.raises(ClientError, match="FunctionUrlConfig exists for this Lambda function"):
        api.create_function_url_config(**name, AuthType="NONE")
    changed = api.update_function_url_config(**name, AuthType="AWS_IAM")
    assert changed["AuthType"] == "AWS_IAM"
    assert api.get_function_url_config(**name)["AuthType"] == "AWS_IAM"
    api.delete_function_url_config(**name)
    with pytest.raises(ClientError, match="The resource you requested does not exist"):
        api.get_function_url_config(**name)
    assert url.ask().status == 403


def test_a_stack_s_url_answers(gateway: Gateway, stacks: Stacks) -> None:
    functions = stacks.functions
    functions.create("of-a-stack", ECHO)
    arn = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:of-a-stack"
    permission = {"FunctionName": arn, "Principal": "*"}
    body = template(
        {"Url": get_att("Url", "FunctionUrl")},
        Url=resource("Lambda::Url", TargetFunctionArn=arn, AuthType="NONE"),
        First=resource(
            "Lambda::Permission",
            **permission,
            Action="lambda:InvokeFunctionUrl",
            FunctionUrlAuthType="NONE",
        ),
        Second=resource(
            "Lambda::Permission",
            **permission,
            Action="lambda:InvokeFunction",
            InvokedViaFunctionUrl=True,
        ),
    )
    assert stacks.create("urls", body)["StackStatus"] == "CREATE_COMPLETE"
    host = stacks.outputs("urls")["Url"].split("/")[2]
    assert ask(f"{gateway.url}/x", headers={"Host": host}).json["rawPath"] == "/x"
    shown = gateway.status()["function_urls"]
    assert any(host.partition(".")[0] in each["url"] for each in shown)
    assert stacks.delete("urls")["StackStatus"] == "DELETE_COMPLETE"
    assert ask(f"{gateway.url}/x", headers={"Host": host}).status == 403
