"""Who may call a REST API: signatures, authorizers, keys, web pages, and by which names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.local_aws.aws import REGION
from tests.local_aws.functions import Functions, trust
from tests.local_aws.services.apigateway.rest import PATH, Rest
from tests.local_aws.web import ECHO, ask, signed

AUTHORIZER = """
def handler(event, context):
    token = event.get("authorizationToken") or event["headers"].get("X-Who", "")
    if token == "nobody":
        raise Exception("Unauthorized")
    if token == "broken":
        return {"principalId": "x"}
    statement = {"Action": "execute-api:Invoke", "Effect": token, "Resource": event["methodArn"]}
    policy = {"Version": "2012-10-17", "Statement": [statement] if token != "none" else []}
    return {"principalId": "ada", "policyDocument": policy, "context": {"n": 1, "t": token}}
"""


@pytest.fixture(scope="module", autouse=True)
def _made(functions: Functions) -> None:
    functions.create("echo", ECHO)
    functions.create("judge", AUTHORIZER)


def test_a_method_of_iam_wants_a_signature_whose_caller_may(
    rest: Rest, functions: Functions
) -> None:
    rest.lead_to("echo", "/", "GET", authorizationType="AWS_IAM")
    rest.let_in("echo")
    rest.deploy()
    own = functions.gateway.context.credentials
    developer = (own.access_key_id, own.secret_access_key)
    iam = functions.client("iam")
    iam.create_user(UserName="caller")
    key = iam.create_access_key(UserName="caller")["AccessKey"]
    user = (key["AccessKeyId"], key["SecretAccessKey"])
    url = f"{rest.url}/"
    unsigned = rest.ask()
    assert (unsigned.status, unsigned.json) == (403, {"message": "Missing Authentication Token"})
    assert rest.ask(headers=signed(url, *developer)).status == 200
    assert rest.ask(headers=signed(url, *developer, "s3")).status == 403
    denied = rest.ask(headers=signed(url, *user))
    assert denied.status == 403
    assert "user/caller is not authorized to perform: execute-api:Invoke" in denied.json["Message"]
    iam.put_user_policy(
        UserName="caller",
        PolicyName="may",
        PolicyDocument=_policy("Allow", "execute-api:Invoke", rest.arn("prod/GET/*")),
    )
    event = rest.ask(headers=signed(url, *user)).json
    assert event["requestContext"]["identity"]["userArn"].endswith(":user/caller")


def _policy(effect: str, action: str, resource: str, **more: Any) -> str:
    statement = {"Effect": effect, "Action": action, "Resource": resource, **more}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


@pytest.mark.parametrize(
    ("headers", "status", "said"),
    [
        ({"Token": "Allow"}, 200, None),
        ({}, 401, {"message": "Unauthorized"}),
        ({"Token": "nobody"}, 401, {"message": "Unauthorized"}),
        ({"Token": "broken"}, 500, {"message": None}),
        (
            {"Token": "Deny"},
            403,
            {"Message": "User is not authorized to access this resource with an explicit deny"},
        ),
        ({"Token": "none"}, 403, {"Message": "User is not authorized to access this resource"}),
    ],
)
def test_an_authorizer_s_function_judges_a_token(
    guarded: Rest, headers: dict[str, str], status: int, said: Any
) -> None:
    answer = guarded.ask(headers=headers)
    assert answer.status == status
    if said is None:
        assert answer.json["requestContext"]["authorizer"] == {
            "principalId": "ada",
            "n": "1",
            "t": "Allow",
        }
    else:
        assert answer.json == said


@pytest.fixture(scope="module")
def guarded(functions: Functions) -> Rest:
    """An API whose root wants a token of an authorizer."""
    rest = Rest(functions)
    authorizer = rest.api.create_authorizer(
        restApiId=rest.id,
        name="judge",
        type="TOKEN",
        authorizerUri=f"{PATH}/arn:aws:lambda:{REGION}:123456789012:function:judge/invocations",
        identitySource="method.request.header.Token",
    )["id"]
    rest.lead_to("echo", "/", "GET", authorizationType="CUSTOM", authorizerId=authorizer)
    rest.let_in("echo")
    rest.let_in("judge", f"authorizers/{authorizer}")
    rest.deploy()
    return rest


def test_a_request_authorizer_sees_the_request(rest: Rest) -> None:
    authorizer = rest.api.create_authorizer(
        restApiId=rest.id,
        name="judge",
        type="REQUEST",
        authorizerUri=f"{PATH}/arn:aws:lambda:{REGION}:123456789012:function:judge/invocations",
        identitySource="method.request.header.X-Who,method.request.querystring.q",
    )["id"]
    rest.lead_to("echo", "/", "GET", authorizationType="CUSTOM", authorizerId=authorizer)
    rest.let_in("echo")
    rest.let_in("judge", f"authorizers/{authorizer}")
    rest.deploy()
    assert rest.ask("/?q=1", headers={"X-Who": "Allow"}).status == 200
    assert rest.ask("/", headers={"X-Who": "Allow"}).status == 401


def test_a_key_counts_for_the_stages_of_its_plan(rest: Rest) -> None:
    rest.lead_to("echo", "/", "GET", apiKeyRequired=True)
    rest.let_in("echo")
    rest.deploy()
    key = rest.api.create_api_key(name="mine", enabled=True)
    assert rest.ask(headers={"X-API-Key": key["value"]}).json == {"message": "Forbidden"}
    plan = rest.api.create_usage_plan(name="plan", apiStages=[{"apiId": rest.id, "stage": "prod"}])[
        "id"
    ]
    rest.api.create_usage_plan_key(usagePlanId=plan, keyId=key["id"], keyType="API_KEY")
    event = rest.ask(headers={"X-API-Key": key["value"]}).json
    identity = event["requestContext"]["identity"]
    assert (identity["apiKeyId"], identity["apiKey"]) == (key["id"], key["value"])
    assert rest.ask().status == rest.ask(headers={"X-API-Key": "other"}).status == 403
    disable = [{"op": "replace", "path": "/enabled", "value": "false"}]
    rest.api.update_api_key(apiKey=key["id"], patchOperations=disable)
    assert rest.ask(headers={"X-API-Key": key["value"]}).status == 403


def test_a_resource_policy_says_who_may_call(functions: Functions) -> None:
    everyone = {"Principal": "*"}
    rest = Rest(
        functions, policy=_policy("Allow", "execute-api:Invoke", "execute-api:/*/GET/*", **everyone)
    )
    rest.lead_to("echo", "/open")
    rest.let_in("echo")
    rest.deploy()
    assert rest.ask("/open").status == 200
    denied = rest.ask("/open", "POST")
    assert denied.status == 403
    assert denied.json["Message"].startswith(
        "User: anonymous is not authorized to perform: execute-api:Invoke on resource: "
    )


@pytest.fixture(scope="module")
def with_cors(functions: Functions) -> Rest:
    """An API with CORS for one origin at /cors, and without at /none."""
    rest = Rest(functions)
    for path in ("/cors", "/none"):
        rest.lead_to("echo", path, "GET")
    rest.method(
        "/cors",
        "OPTIONS",
        {"type": "MOCK", "requestTemplates": {"application/json": '{"statusCode": 204}'}},
        responses=[
            {
                "statusCode": "204",
                "responseParameters": {
                    "method.response.header.Access-Control-Allow-Origin": "'https://a.example'",
                    "method.response.header.Access-Control-Allow-Methods": "'GET,DELETE'",
                },
            }
        ],
    )
    rest.let_in("echo")
    rest.deploy()
    return rest


@pytest.mark.parametrize(
    ("path", "origin", "method", "own_host", "status"),
    [
        ("/cors", "https://a.example", "GET", True, 200),
        ("/cors", "https://a.example", "OPTIONS", True, 204),
        ("/cors", "https://b.example", "GET", True, 403),
        ("/cors", "https://a.example", "GET", False, 403),
        ("/none", "https://a.example", "GET", True, 403),
        ("/none", "https://a.example", "OPTIONS", True, 403),
    ],
)
def test_a_web_page_runs_code_only_where_the_api_s_own_cors_names_it(
    with_cors: Rest, path: str, origin: str, method: str, own_host: bool, status: int
) -> None:
    name = f"{with_cors.id}.execute-api.{REGION}.localhost"
    host = {"Host": name} if own_host else {}
    url = f"{with_cors.functions.url}/prod{path}" if own_host else f"{with_cors.url}{path}"
    sent = {"Origin": origin, "Sec-Fetch-Site": "cross-site", **host}
    assert ask(url, method, headers=sent).status == status


def test_a_link_on_another_page_does_not_run_code(with_cors: Rest) -> None:
    answer = with_cors.ask("/cors", headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status == 403
    assert "have its CORS name that origin" in answer.json["message"]


@pytest.mark.parametrize("suffix", ["localhost", "amazonaws.com"])
def test_an_api_answers_by_its_own_name(with_cors: Rest, suffix: str) -> None:
    name = f"{with_cors.id}.execute-api.{REGION}.{suffix}"
    answer = ask(f"{with_cors.functions.url}/prod/none", headers={"Host": name})
    assert answer.status == 200
    assert answer.json["requestContext"]["domainName"].endswith(".amazonaws.com")


def test_a_form_is_taken_from_who_is_no_page(with_cors: Rest) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert with_cors.ask("/none", headers=form).status == 200


def test_another_name_is_not_answered(with_cors: Rest) -> None:
    path = f"/_aws/execute-api/{with_cors.id}/prod/none"
    answer = ask(f"{with_cors.functions.url}{path}", headers={"Host": "evil.example"})
    assert answer.status == 403


def test_an_api_that_is_not_there_is_forbidden(with_cors: Rest) -> None:
    answer = ask(f"{with_cors.functions.url}/_aws/execute-api/nothing/prod/")
    assert (answer.status, answer.json) == (403, {"message": "Forbidden"})


def test_calls_of_the_api_s_own_api_are_judged_by_path(rest: Rest, functions: Functions) -> None:
    iam, context = functions.client("iam"), functions.gateway.context
    iam.create_role(RoleName="reader", AssumeRolePolicyDocument=json.dumps(trust()))
    resource = f"arn:aws:apigateway:{REGION}::/restapis/{rest.id}"
    iam.put_role_policy(
        RoleName="reader",
        PolicyName="may",
        PolicyDocument=_policy("Allow", "apigateway:GET", resource),
    )
    session = context.sessions.assume("arn:aws:iam::123456789012:role/reader", "test")
    api = context.client_as(session, "apigateway", REGION)
    assert api.get_rest_api(restApiId=rest.id)["id"] == rest.id
    for refused in (
        lambda: api.delete_rest_api(restApiId=rest.id),
        lambda: api.get_resources(restApiId=rest.id),
    ):
        with pytest.raises(api.exceptions.ClientError, match="is not authorized to perform"):
            refused()  # type: ignore[no-untyped-call]
