"""Where methods lead beside functions' proxies: services, nowhere, by templates."""

from __future__ import annotations

from typing import Any

import pytest

from local_aws.services.apigateway.velocity import render
from local_aws.services.apigateway.velocity_values import TemplateError
from tests.local_aws.aws import REGION
from tests.local_aws.functions import Functions
from tests.local_aws.services.apigateway.rest import PATH, Rest

SERVICE = f"arn:aws:apigateway:{REGION}"
ALL = "arn:aws:iam::aws:policy/AdministratorAccess"


@pytest.fixture(scope="module")
def role(functions: Functions) -> str:
    """A role that the API may assume, and that may do everything."""
    return functions.role("api", "apigateway.amazonaws.com", ALL)


def test_a_mock_answers_what_its_template_says(rest: Rest) -> None:
    rest.method(
        "/x",
        "OPTIONS",
        {"type": "MOCK", "requestTemplates": {"application/json": "{ statusCode: 204 }"}},
        responses=[
            {"statusCode": "500", "selectionPattern": "5.."},
            {
                "statusCode": "204",
                "responseParameters": {
                    "method.response.header.Access-Control-Allow-Origin": "'https://a.example'",
                    "method.response.header.X-Stage": "context.stage",
                },
            },
        ],
    )
    rest.deploy()
    answer = rest.ask("/x", "OPTIONS")
    assert (answer.status, answer.headers["X-Stage"]) == (204, "prod")
    assert answer.headers["Access-Control-Allow-Origin"] == "https://a.example"


def test_a_function_s_error_selects_the_answer(rest: Rest, functions: Functions) -> None:
    functions.create(
        "picky",
        "def handler(event, context):\n"
        "    if event['fail']:\n        raise ValueError('Bad thing: ' + event['fail'])\n"
        "    return {'ok': event}\n",
    )
    template = '{"fail": "$input.params(\'fail\')", "body": $input.json(\'$.a.b\')}'
    rest.method(
        "/",
        "POST",
        {
            "type": "AWS",
            "integrationHttpMethod": "POST",
            "uri": f"{PATH}/arn:aws:lambda:{REGION}:123456789012:function:picky/invocations",
            "requestTemplates": {"application/json": template},
        },
        responses=[
            {"statusCode": "200"},
            {
                "statusCode": "400",
                "selectionPattern": "Bad thing.*",
                "responseTemplates": {
                    "application/json": "{\"error\": $input.json('$.errorMessage')}"
                },
                "responseParameters": {
                    "method.response.header.X-Type": "integration.response.body.errorType"
                },
            },
        ],
    )
    rest.let_in("picky")
    rest.deploy()
    good = rest.ask("/", "POST", '{"a": {"b": [1, {"c": 2}]}}')
    assert (good.status, good.json) == (200, {"ok": {"fail": "", "body": [1, {"c": 2}]}})
    bad = rest.ask("/?fail=now", "POST", "{}")
    assert (bad.status, bad.json) == (400, {"error": "Bad thing: now"})
    assert bad.headers["X-Type"] == "ValueError"


def test_a_queue_takes_a_form_in_the_role_s_name(
    rest: Rest, functions: Functions, role: str
) -> None:
    queue = functions.client("sqs").create_queue(QueueName="asked")["QueueUrl"]
    rest.method(
        "/",
        "POST",
        {
            "type": "AWS",
            "integrationHttpMethod": "POST",
            "credentials": role,
            "uri": f"{SERVICE}:sqs:path/123456789012/asked",
            "passthroughBehavior": "NEVER",
            "requestParameters": {
                "integration.request.header.Content-Type": "'application/x-www-form-urlencoded'"
            },
            "requestTemplates": {
                "application/json": "Action=SendMessage&MessageBody=$util.urlEncode($input.body)"
            },
        },
        responses=[{"statusCode": "202", "responseTemplates": {"application/json": "done"}}],
    )
    rest.deploy()
    answer = rest.ask("/", "POST", '{"x": "& ="}')
    assert (answer.status, answer.body) == (202, b"done")
    (message,) = functions.client("sqs").receive_message(QueueUrl=queue)["Messages"]
    assert message["Body"] == '{"x": "& ="}'
    refused = rest.ask("/", "POST", "<x/>", headers={"Content-Type": "text/xml"})
    assert (refused.status, refused.json) == (415, {"message": "Unsupported Media Type"})


def test_an_action_is_asked_of_its_service(rest: Rest, functions: Functions, role: str) -> None:
    functions.client("dynamodb").create_table(
        TableName="things",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    template = (
        '{"TableName": "things", "Item": {"id": {"S": "$input.params(\'id\')"},'
        ' "at": {"S": "$context.requestId"}}}'
    )
    rest.method(
        "/{id}",
        "PUT",
        {
            "type": "AWS",
            "integrationHttpMethod": "POST",
            "credentials": role,
            "uri": f"{SERVICE}:dynamodb:action/PutItem",
            "requestTemplates": {"application/json": template},
        },
        responses=[{"statusCode": "200"}, {"statusCode": "400", "selectionPattern": "4.*"}],
    )
    rest.deploy()
    assert rest.ask("/one", "PUT").status == 200
    assert functions.client("dynamodb").scan(TableName="things")["Items"][0]["id"] == {"S": "one"}


def test_what_the_role_may_not_do_is_refused_as_the_service_does(
    rest: Rest, functions: Functions
) -> None:
    nothing = functions.role("may-nothing", "apigateway.amazonaws.com")
    stranger = functions.role("of-another", "sqs.amazonaws.com", ALL)
    for path, role in (("/nothing", nothing), ("/stranger", stranger)):
        rest.method(
            path,
            "POST",
            {
                "type": "AWS",
                "integrationHttpMethod": "POST",
                "credentials": role,
                "uri": f"{SERVICE}:dynamodb:action/ListTables",
            },
            responses=[{"statusCode": "200"}, {"statusCode": "400", "selectionPattern": "4.*"}],
        )
    rest.deploy()
    denied = rest.ask("/nothing", "POST", "{}")
    assert denied.status == 400
    assert "is not authorized to perform: dynamodb:ListTables" in denied.json["message"]
    assert rest.ask("/stranger", "POST", "{}").json == {"message": "Internal server error"}


@pytest.mark.parametrize("kind", ["HTTP", "HTTP_PROXY"])
def test_a_method_that_leads_to_another_server_answers_so(rest: Rest, kind: str) -> None:
    there = {"type": kind, "integrationHttpMethod": "GET", "uri": "http://127.0.0.1:1/"}
    rest.method("/", "GET", there)
    rest.deploy()
    answer = rest.ask()
    said = f"the local AWS leads no method to another server ({kind})"
    assert (answer.status, answer.json) == (504, {"message": said})


def test_a_template_may_override_path_and_status(
    rest: Rest, functions: Functions, role: str
) -> None:
    queue = functions.client("sqs").create_queue(QueueName="other")["QueueUrl"]
    request = (
        "#set($context.requestOverride.path.name = 'other')"
        "#set($context.requestOverride.header.Content-Type = 'application/x-www-form-urlencoded')"
        "Action=SendMessage&MessageBody=$input.body"
    )
    response = "#set($context.responseOverride.status = 201)made"
    rest.method(
        "/",
        "POST",
        {
            "type": "AWS",
            "integrationHttpMethod": "POST",
            "credentials": role,
            "uri": f"{SERVICE}:sqs:path/123456789012/{{name}}",
            "requestTemplates": {"application/json": request},
        },
        responses=[{"statusCode": "200", "responseTemplates": {"application/json": response}}],
    )
    rest.deploy()
    answer = rest.ask("/", "POST", "x")
    assert (answer.status, answer.body) == (201, b"made")
    (message,) = functions.client("sqs").receive_message(QueueUrl=queue)["Messages"]
    assert message["Body"] == "x"


KNOWN: dict[str, Any] = {
    "input": {"params": lambda name: {"a": "1,2,3", "n": "5"}.get(name, ""), "body": "{}"},
    "items": ["x", "y"],
    "person": {"name": "Ada", "tags": [{"k": 1}]},
    "n": 7,
}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("plain $ text, 5$ and #hash", "plain $ text, 5$ and #hash"),
        ("$n ${n}x $!{nothing}. $nothing", "7 7x . $nothing"),
        ("$person.name $person['name'] $person.get('name')", "Ada Ada Ada"),
        ("$items[1] $items.get(0) $items.size()", "y x 2"),
        ("$person", '{name=Ada, tags=[{"k":1}]}'),
        ("#set($x = 2 + 3 * 4)$x", "14"),
        ("#set($x = (2 + 3) * 4)$x", "20"),
        ("#set($x = 7 / 2)$x", "3"),
        ('#set($x = "a$n")$x', "a7"),
        ("#set($x = 'a$n')$x", "a$n"),
        ("#set($m = {'a': 1})#set($m.b = [1..3])$m.a $m.b", "1 [1,2,3]"),
        ("#if($n > 5 && !$none)yes#{else}no#end", "yes"),
        ("#if($n == 1)one#elseif($n == 7)seven#{else}other#end", "seven"),
        ("#foreach($i in $items)$i$foreach.count#if($foreach.hasNext),#end#end", "x1,y2"),
        ("a## a comment\nb#* and\nanother *#c", "abc"),
        ("#[[ $n #if ]]#", " $n #if "),
        ('{"v": [#foreach($p in $input.params("a").split(","))"$p"#if($foreach.hasNext),#end#end]}',
         '{"v": ["1","2","3"]}'),
        ("#set($x = 1)\nnext", "next"),
        ("$person.name.toUpperCase() $person.name.substring(1)", "ADA da"),
    ],
)  # fmt: skip
def test_a_template_makes(template: str, text: str) -> None:
    assert render(template, KNOWN) == text


@pytest.mark.parametrize(
    "template",
    [
        "$person.__class__",
        "$person.name.__class__.__mro__",
        "$items.append('z')",
        "$input.params.__globals__",
        "$items.__getitem__(0)",
        "$person.tags.clear()",
    ],
)
def test_nothing_of_python_s_is_reached(template: str) -> None:
    assert render(template, KNOWN) == ""
    assert KNOWN["items"] == ["x", "y"]


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("a\n#if($x)", "line 2 of the mapping template: the text ends before #end"),
        ("#set($x 1)", "line 1 of the mapping template: '=' is missing"),
        ("#end", "line 1 of the mapping template: there is a #end to nothing"),
        ("#foreach($i in [1..2000])#end", "a range has 2000 items; 1000 may be"),
        ("#set($x = $n / 0)", "the mapping template failed: division by zero"),
    ],
)
def test_a_wrong_template_says_where(template: str, said: str) -> None:
    with pytest.raises(TemplateError, match=said.replace("$", r"\$").replace("(", r"\(")):
        render(template, KNOWN)
